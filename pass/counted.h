/* counted.h: what a module that defines __cs_count counts (count.c). Free of LLVM: bench/count.h includes it in CUDA
 * code. */
#ifndef CUSAFE_PASS_COUNTED_H
#define CUSAFE_PASS_COUNTED_H

/* The upper eight bits of the first argument of __cs_count; the lower 24 are the instruction's number. */
enum cs_pass_counted {
  CS_PASS_COUNTED_BEGIN,  /* a thread enters a kernel */
  CS_PASS_COUNTED_GLOBAL, /* an access, with its address: to data, or to a metadata word */
  CS_PASS_COUNTED_SHARED,
  CS_PASS_COUNTED_LOCAL,
  CS_PASS_COUNTED_CHECK
};

#endif
