/* access.h: what of an instruction concerns the pass: accesses to check, pointers that escape, pointers used as numbers. */
#ifndef CUSAFE_PASS_ACCESS_H
#define CUSAFE_PASS_ACCESS_H

#include "pass/pass.h"

/* One pointer operand through which an instruction touches memory. */
struct cs_pass_access_item {
  LLVMValueRef instruction;
  unsigned operand;
  enum cs_access access;
  cs_u64 bytes;                      /* 0: only known at run time */
  unsigned align;                    /* what the instruction takes for granted */
  LLVMValueRef length;               /* of a memory intrinsic */
  LLVMValueRef root;                 /* filled by function.c; NULL: needs no check */
  struct cs_pass_variable *variable; /* the root, if it is a variable, */
  struct cs_pass_choice *choice;     /* or the variables among which the root is chosen */
  int aligned;                       /* the address is aligned if the root is */
};

/* One pointer operand that is stored, passed or returned (escape), or that must be a plain address (number): compared,
 * converted, or given to code that is not instrumented. */
struct cs_pass_pointer_use {
  LLVMValueRef instruction;
  unsigned operand;
  LLVMValueRef root;             /* filled by function.c */
  struct cs_pass_variable *into; /* the variable that it is stored in, if that is known */
};

struct cs_pass_collected {
  struct cs_pass_access_item *accesses;
  size_t access_count, access_capacity;
  struct cs_pass_pointer_use *escapes;
  size_t escape_count, escape_capacity;
  struct cs_pass_pointer_use *numbers;
  size_t number_count, number_capacity;
  LLVMValueRef *frees; /* calls of free */
  size_t free_count, free_capacity;
  LLVMValueRef *fields; /* calls by which clang reports an index outside an array */
  size_t field_count, field_capacity;
  LLVMValueRef *ignored_fields; /* such calls that the user wants ignored */
  size_t ignored_field_count, ignored_field_capacity;
  unsigned ignored; /* accesses that the user wants ignored: they are done with plain addresses */
};

/* What a call says that this argument of its is a multiple of. */
unsigned cs_pass_argument_align(LLVMValueRef call, unsigned argument);

void cs_pass_collect(struct cs_pass_collected *collected, struct cs_pass *pass, LLVMValueRef function);
/* 1 if the function is malloc or new, and not the program's own. */
int cs_pass_is_malloc(LLVMValueRef function);
/* 1 if a kernel may free: then words change while it runs. */
int cs_pass_frees(LLVMModuleRef module);
void cs_pass_add_escape(struct cs_pass_collected *collected, LLVMValueRef instruction, unsigned operand);
void cs_pass_collected_free(struct cs_pass_collected *collected);

#endif
