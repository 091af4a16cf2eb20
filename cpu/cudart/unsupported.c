/* unsupported.c: the runtime calls that are only there to say, by name, that they are not: graphics, sharing between
 * processes and drivers, and a few more.
 *
 * They are defined without their parameters, and CUDA's headers are not included here for that reason: in the calling
 * conventions of the platforms CUDA runs on, the caller passes and removes the arguments, so a function that reads none
 * needs to declare none, and the list can be names alone. */
int cs_cudart_unsupported(const char *name);

#define CS_UNSUPPORTED(name)                                                                                           \
  int name(void);                                                                                                      \
  int name(void) {                                                                                                     \
    return cs_cudart_unsupported(#name);                                                                               \
  }
#include "cpu/cudart/unsupported.inc"
