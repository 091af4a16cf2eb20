/* access.h: what of an instruction concerns the pass: accesses to check, pointers that escape, pointers used as numbers. */
#ifndef CUSAFE_PASS_ACCESS_H
#define CUSAFE_PASS_ACCESS_H

#include "pass/pass.h"

/* One pointer operand through which an instruction touches memory. */
struct cs_access_item {
  LLVMValueRef instruction;
  unsigned operand;
  enum cs_access access;
  cs_u64 bytes;        /* 0: only known at run time */
  LLVMValueRef length; /* of a memory intrinsic */
  LLVMValueRef root;   /* filled by function.c */
};

/* One pointer operand that is stored, passed or returned (escape), or compared or converted (number). */
struct cs_pointer_use {
  LLVMValueRef instruction;
  unsigned operand;
};

struct cs_collected {
  struct cs_access_item *accesses;
  size_t access_count, access_capacity;
  struct cs_pointer_use *escapes;
  size_t escape_count, escape_capacity;
  struct cs_pointer_use *numbers;
  size_t number_count, number_capacity;
};

void cs_collect(struct cs_collected *collected, const struct cs_pass *pass, LLVMValueRef function);
void cs_collected_free(struct cs_collected *collected);

#endif
