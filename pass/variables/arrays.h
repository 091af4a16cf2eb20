/* arrays.h: indices into arrays that are whole variables, not parts of an object. */
#ifndef CUSAFE_PASS_VARIABLES_ARRAYS_H
#define CUSAFE_PASS_VARIABLES_ARRAYS_H

#include "pass/module/pass.h"

struct cs_pass_array {
  const char *name; /* of the variable; LLVM's for as long as the context lives */
  cs_u64 bytes;     /* of all of it */
  cs_u64 stride;    /* of one element */
  cs_u64 memory;    /* enum cs_memory */
  cs_u64 access;    /* enum cs_access, of the element */
  cs_u64 size;      /* bytes accessed */
  cs_u64 inside;    /* their offset in the element, if that is constant */
};

/* The name of the variables that describe such arrays, to which LLVM adds a number. */
#define CS_PASS_ARRAY_NAME "cusafe.array"

/* On the code as clang wrote it: notes the array in the data of each call that concerns a whole variable. */
void cs_pass_note_arrays(LLVMModuleRef module);

/* 1 and the array, if the data of a call of CS_PASS_FIELD_HANDLER concerns a whole variable. */
int cs_pass_array_of(LLVMValueRef data, struct cs_pass_array *array);

#endif
