/* around.h: accesses to the aligned word around a smaller object. */
#ifndef CUSAFE_PASS_FUNCTION_AROUND_H
#define CUSAFE_PASS_FUNCTION_AROUND_H

#include "pass/module/pass.h"

enum cs_pass_around {
  CS_PASS_AROUND_NOT,     /* the program accesses what the address names */
  CS_PASS_AROUND_ROUNDED, /* the address was rounded down to the size of the access */
  CS_PASS_AROUND_UNKNOWN
};

/* libcu++ implements atomics on one byte or two bytes by accesses to the aligned word around them, which may end past
 * the buffer. Classifies the address that the instruction accesses `bytes` bytes at; `from` is the address before it
 * was rounded. */
enum cs_pass_around cs_pass_word_around(LLVMValueRef instruction, LLVMValueRef address, unsigned bytes,
                                        LLVMValueRef *from);

#endif
