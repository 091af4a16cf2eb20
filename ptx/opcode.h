/* opcode.h: the opcode of an instruction: its row of opcodes.inc, its types and modifiers. */
#ifndef CUSAFE_PTX_OPCODE_H
#define CUSAFE_PTX_OPCODE_H

#include "ptx/tree.h"

/* The rows of opcodes.inc. */
enum cs_ptx_code {
  CS_PTX_UNKNOWN, /* no row */
#define CS_PTX_OPCODE(opcode, access, lift, cpu, traits) CS_PTX_OP_##opcode,
#include "ptx/opcodes.inc"
};

enum cs_ptx_trait {
  CS_PTX_PURE = 1, /* affects registers only, and cannot trap: may be executed whether or not its predicate holds */
  CS_PTX_NO_RESULT = 2,  /* its first operand is no destination */
  CS_PTX_EFFECTS = 4,    /* reads more than its operands, or depends on when it is executed */
  CS_PTX_CONVERGENT = 8, /* all lanes of a warp execute it together */
  CS_PTX_JUMPS = 16,     /* code after it may be skipped, or run twice */
};

/* kind: b untyped bits, u and s integers, f float, h f16, g bf16, t tf32, p predicate. */
struct cs_ptx_type {
  char kind;
  unsigned bits, lanes;
};

/* Modifiers of an access besides its state space and type. None of them changes the address. */
#define CS_PTX_SCOPES "cta cluster gpu sys "
#define CS_PTX_ORDERS "weak volatile relaxed acquire release acq_rel mmio "
#define CS_PTX_CACHES                                                                                                  \
  "ca cg cs lu cv wb wt nc v2 v4 v8 L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "              \
  "L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B "
#define CS_PTX_OPERATIONS "add and or xor exch min max inc dec cas noftz "

/* The row of the first part of an opcode. */
enum cs_ptx_code cs_ptx_code(const char *part);
/* 1 if its row has the trait. */
int cs_ptx_is(const struct cs_ptx_instruction *i, enum cs_ptx_trait trait);

/* Parses a type such as "u32" or "f16x2". Returns 1, or 0 if it is none. */
int cs_ptx_type(const char *text, struct cs_ptx_type *type);
/* The first two types of the opcode. Returns their number. */
unsigned cs_ptx_types(const struct cs_ptx_instruction *i, struct cs_ptx_type types[2]);
/* 1 if the opcode has this part after the first. */
int cs_ptx_has(const struct cs_ptx_instruction *i, const char *part);
/* 1 if every part after the first is a type or one of these words: an unknown modifier may change the meaning. */
int cs_ptx_knows(const struct cs_ptx_instruction *i, const char *words);

#endif
