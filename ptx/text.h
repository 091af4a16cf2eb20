/* text.h: the text of inline PTX: its statements, their opcodes, operands and types. The pass reads it, too: it knows nothing of
 * LLVM. */
#ifndef CUSAFE_PTX_TEXT_H
#define CUSAFE_PTX_TEXT_H

#include <stddef.h>

enum { CS_PTX_STATEMENT_OPERANDS = 12, CS_PTX_MAX_NAME = 192, CS_PTX_MAX_PARTS = 16, CS_PTX_MAX_LIST = 16 };

/* b untyped bits, u and s integers, f float, h and g the two 16-bit formats (f16, bf16), p a predicate. */
struct cs_ptx_type {
  char kind;
  unsigned bits, lanes;
};

struct cs_ptx_statement {
  char opcode[CS_PTX_MAX_NAME];
  char parts[CS_PTX_MAX_PARTS][24]; /* of the opcode, at its dots */
  unsigned part_count;
  char operands[CS_PTX_STATEMENT_OPERANDS][CS_PTX_MAX_NAME];
  unsigned count;
  char predicate[CS_PTX_MAX_NAME]; /* of "@p" or "@!p": empty without */
  int negated;
};

/* What an access may say besides its space and its type, none of which changes where it goes. */
#define CS_PTX_SCOPES "cta cluster gpu sys "
#define CS_PTX_ORDERS "weak volatile relaxed acquire release acq_rel mmio "
#define CS_PTX_CACHES                                                                                                  \
  "ca cg cs lu cv wb wt nc v2 v4 v8 L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "              \
  "L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B "
#define CS_PTX_OPERATIONS "add and or xor exch min max inc dec cas noftz "

/* In place: "$$" becomes a character of names, comments and line ends become spaces. */
void cs_ptx_plain_text(char *text);
/* Reads one statement; returns what follows it, or NULL when it has too many operands. Declarations give an empty opcode. */
const char *cs_ptx_parse(const char *text, struct cs_ptx_statement *s);
int cs_ptx_type(const char *text, struct cs_ptx_type *type);
/* The opcode's types in order, at most two; returns how many there are. */
unsigned cs_ptx_types(const struct cs_ptx_statement *s, struct cs_ptx_type types[2]);
int cs_ptx_has(const struct cs_ptx_statement *s, const char *part);
/* 1 when every part after the first is a type or one of these words: an unknown word may change the meaning. */
int cs_ptx_knows(const struct cs_ptx_statement *s, const char *words);
/* "{a,b}" or "a|b": the pieces; 0 when there are too many. A single name is a list of one. */
unsigned cs_ptx_list(const char *text, char items[CS_PTX_MAX_LIST][CS_PTX_MAX_NAME]);

#endif
