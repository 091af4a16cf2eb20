/* text.h: PTX as text: statements with their opcode, operands and types. Independent of LLVM. */
#ifndef CUSAFE_PTX_TEXT_H
#define CUSAFE_PTX_TEXT_H

#include <stddef.h>

enum {
  CS_PTX_MAX_STATEMENT_OPERANDS = 12,
  CS_PTX_MAX_NAME = 192,
  CS_PTX_MAX_PARTS = 16,
  CS_PTX_MAX_PART = 32,
  CS_PTX_MAX_LIST = 16
};

/* kind: b untyped bits, u and s integers, f float, h f16, g bf16, t tf32, p predicate. */
struct cs_ptx_type {
  char kind;
  unsigned bits, lanes;
};

struct cs_ptx_statement {
  char opcode[CS_PTX_MAX_NAME];
  char parts[CS_PTX_MAX_PARTS][CS_PTX_MAX_PART]; /* the opcode, split at its dots */
  unsigned part_count;
  char operands[CS_PTX_MAX_STATEMENT_OPERANDS][CS_PTX_MAX_NAME];
  unsigned count;
  char predicate[CS_PTX_MAX_NAME]; /* p of "@p" or "@!p"; empty if the statement has none */
  int negated;
};

/* Modifiers of an access besides its state space and type. None of them changes the address. */
#define CS_PTX_SCOPES "cta cluster gpu sys "
#define CS_PTX_ORDERS "weak volatile relaxed acquire release acq_rel mmio "
#define CS_PTX_CACHES                                                                                                  \
  "ca cg cs lu cv wb wt nc v2 v4 v8 L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "              \
  "L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B "
#define CS_PTX_OPERATIONS "add and or xor exch min max inc dec cas noftz "

/* Normalises the text in place: "$$" becomes a character of names, comments and line ends become spaces. */
void cs_ptx_plain_text(char *text);
/* Parses one statement. Returns the text after it, or NULL if it exceeds the limits above. A declaration has an empty opcode. */
const char *cs_ptx_parse(const char *text, struct cs_ptx_statement *s);
/* Parses a type such as "u32" or "f16x2". Returns 1, or 0 if it is none. */
int cs_ptx_type(const char *text, struct cs_ptx_type *type);
/* The first two types of the opcode. Returns their number. */
unsigned cs_ptx_types(const struct cs_ptx_statement *s, struct cs_ptx_type types[2]);
/* 1 if the opcode has this part after the first. */
int cs_ptx_has(const struct cs_ptx_statement *s, const char *part);
/* 1 if every part after the first is a type or one of these words: an unknown modifier may change the meaning. */
int cs_ptx_knows(const struct cs_ptx_statement *s, const char *words);
/* The same of one part. */
int cs_ptx_is_type_or(const char *part, const char *words);
/* Splits the address "[a+16]". Returns 1, or 0 if the text is none. */
int cs_ptx_address(const char *text, char base[CS_PTX_MAX_NAME], long long *offset);
/* Splits "{a,b}" or "a|b" into its elements. Returns their number, 1 for a single name, or 0 if there are too many. */
unsigned cs_ptx_list(const char *text, char items[CS_PTX_MAX_LIST][CS_PTX_MAX_NAME]);

#endif
