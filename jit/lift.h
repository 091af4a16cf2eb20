/* lift.h: PTX that is lifted while a program runs: by `cusafe lift` in another process, since programs may bring their
 * own LLVM, or from the cache. */
#ifndef CUSAFE_JIT_LIFT_H
#define CUSAFE_JIT_LIFT_H

#include <stddef.h>

/* 1 if the data of a module is PTX. */
int cs_jit_is_ptx(const void *data);

/* 1 if the command `cusafe` is installed next to this library. */
int cs_jit_has_command(void);

/* What is made of the PTX. */
struct cs_jit_form {
  const char *ending; /* "img": an image for the CPU device; "ptx" */
  unsigned version;   /* of that format */
  int checked;
  int part;           /* the variables that the PTX declares are another image's */
  const char *detect; /* what to look for besides errors of memory, as `cusafe lift --detect` takes it; or "" */
};
enum cs_jit_result {
  CS_JIT_MADE,
  CS_JIT_REFUSED, /* the command has printed the reason */
  CS_JIT_NO_COMMAND,
  CS_JIT_NO_MEMORY,
  CS_JIT_NO_FILE /* a file cannot be written or read */
};
/* Lifts PTX modules, linked if there are several. *made: freed by the caller, with a zero after its *bytes bytes. */
enum cs_jit_result cs_jit_lift(const char *const *ptx, size_t count, const struct cs_jit_form *form, void **made,
                               size_t *bytes);

#endif
