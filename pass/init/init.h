/* init.h: what the files of this folder share: the shadows of one function's values, for the detector of uninitialised
 * memory (detect/detect_init.c).
 *
 * The shadow of a value has a 1 for each uninitialised bit, as in MemorySanitizer. It is an integer as wide as the
 * value, or a vector of such; of a structure, that of its first member. Code is added for those values only that may be
 * uninitialised ("dirty"), and that a check or a store needs. */
#ifndef CUSAFE_PASS_INIT_INIT_H
#define CUSAFE_PASS_INIT_INIT_H

#include "ir/map.h"
#include "pass/module/pass.h"

struct cs_pass_init {
  struct cs_pass *pass;
  LLVMValueRef function, kernel; /* kernel: the only one that reaches the function, or NULL */
  LLVMValueRef *instructions;    /* without those that are added */
  size_t count;
  struct cs_ir_map dirty;   /* values, and local variables that hold such values */
  struct cs_ir_map locals;  /* local variable -> itself, if all accesses to it are known */
  struct cs_ir_map fresh;   /* those that may be read before they are written */
  struct cs_ir_map soiled;  /* those in which uninitialised values may be stored */
  struct cs_ir_map twins;   /* local variable -> the variable of its shadow */
  struct cs_ir_map shadows; /* value -> its shadow */
  LLVMValueRef *phis;       /* whose shadows have no incoming values yet */
  size_t phi_count;
  LLVMValueRef origin;  /* a variable: address and site of the last load of uninitialised bytes (device/init.h) */
  LLVMValueRef near;    /* whether shared memory has a shadow */
  LLVMValueRef scratch; /* a variable for stores without an effect */
};

/* ---- types.c ---- */

/* The type of the shadow of values of this type; NULL: such values always count as initialised. */
LLVMTypeRef cs_pass_init_type(const struct cs_pass *pass, LLVMTypeRef type);
LLVMTypeRef cs_pass_init_int(const struct cs_pass *pass, unsigned bits);
unsigned cs_pass_init_bits(const struct cs_pass *pass, LLVMTypeRef shadow_type);
/* The shadow as one integer; the bits of a value as the type of its shadow. */
LLVMValueRef cs_pass_init_flat(const struct cs_pass *pass, LLVMValueRef shadow);
LLVMValueRef cs_pass_init_raw(const struct cs_pass *pass, LLVMValueRef value);
/* Whether any bit is 1 (i1), and all bits equal to that. */
LLVMValueRef cs_pass_init_any(const struct cs_pass *pass, LLVMValueRef shadow);
LLVMValueRef cs_pass_init_spread(const struct cs_pass *pass, LLVMValueRef flag, LLVMTypeRef shadow_type);

/* ---- dirty.c ---- */

/* Fills instructions, dirty and locals. */
void cs_pass_init_find_dirty(struct cs_pass_init *init);
int cs_pass_init_is_dirty(const struct cs_pass_init *init, LLVMValueRef value);
/* What the pointer is derived from in the function, with or without a check. */
LLVMValueRef cs_pass_init_base(LLVMValueRef pointer);
/* The local variable that the pointer points to, if all accesses to it are known. */
LLVMValueRef cs_pass_init_local(const struct cs_pass_init *init, LLVMValueRef pointer);
/* Whether all code that accesses the variable through this pointer, or one derived from it, is of a kind that maintains
 * the shadow. */
int cs_pass_init_are_uses_known(LLVMValueRef pointer);
/* Whether the pointer may point to a buffer, or to shared memory. */
int cs_pass_init_is_buffer(LLVMValueRef pointer);
/* Whether the call only returns its first argument, where that is valid: a check, or a mark that is removed or added. */
int cs_pass_init_is_check(LLVMValueRef call);
int cs_pass_init_is_mark(LLVMValueRef call);

/* ---- memory.c: all at the builder's position ---- */

/* Where the shadow of local variables is; NULL: the pointer points to none. */
LLVMValueRef cs_pass_init_twin(struct cs_pass_init *init, LLVMValueRef pointer);
/* The variable `origin`. */
LLVMValueRef cs_pass_init_origin(struct cs_pass_init *init);
LLVMValueRef cs_pass_init_load(struct cs_pass_init *init, LLVMValueRef access, LLVMValueRef pointer, LLVMTypeRef type,
                               unsigned align);
void cs_pass_init_store(struct cs_pass_init *init, LLVMValueRef pointer, LLVMValueRef shadow, unsigned align);
cs_u32 cs_pass_init_load_site(struct cs_pass_init *init, LLVMValueRef access, cs_u32 bytes);
cs_u32 cs_pass_init_local_site(struct cs_pass_init *init, LLVMValueRef access, LLVMValueRef local, cs_u32 bytes);
cs_u64 cs_pass_init_bytes_of_local(const struct cs_pass_init *init, LLVMValueRef local);
/* What an access writes to the shadow of memory. */
void cs_pass_init_write(struct cs_pass_init *init, LLVMValueRef access);

/* ---- fresh.c: memory that begins to be uninitialised ---- */

/* Adds the local variables of `locals` that may be read before they are written to `fresh`. */
void cs_pass_init_find_fresh(struct cs_pass_init *init);
/* Marks shared variables at the start of functions, and what kernels allocate. Before any function is instrumented. */
void cs_pass_init_begin_memory(struct cs_pass *pass);

/* ---- values.c and rules.c ---- */

/* The shadow of a value that has one; places its code after the value. Moves the builder. */
LLVMValueRef cs_pass_init_shadow(struct cs_pass_init *init, LLVMValueRef value);
/* Gives the shadows of phi nodes their incoming values, and those whatever they need. */
void cs_pass_init_finish_phis(struct cs_pass_init *init);
/* Whether the result depends on the operands in a way that rules.c knows. */
int cs_pass_init_has_rule(LLVMValueRef instruction);
/* operands: their shadows. The builder is after the instruction. */
LLVMValueRef cs_pass_init_apply_rule(struct cs_pass_init *init, LLVMValueRef instruction, LLVMValueRef *operands);

/* ---- ptx.c: inline PTX ---- */

/* Whether all of the result is uninitialised if any of an operand is. */
int cs_pass_init_is_arithmetic(LLVMValueRef instruction);
/* The divisor of a division of integers; NULL for other values. */
LLVMValueRef cs_pass_init_divisor(LLVMValueRef instruction);

/* ---- uses.c ---- */

/* Marks what the program uses, before CuSafe adds branches. */
void cs_pass_init_mark_uses(struct cs_pass *pass, LLVMValueRef function);
void cs_pass_init_check_uses(struct cs_pass_init *init, LLVMValueRef instruction);

#endif
