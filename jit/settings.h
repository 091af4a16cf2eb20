/* settings.h: where compiled modules are kept, as the environment says. */
#ifndef CUSAFE_JIT_SETTINGS_H
#define CUSAFE_JIT_SETTINGS_H

#include <limits.h>
#include <stddef.h>

/* CUDA_CACHE_PATH and CUDA_CACHE_MAXSIZE; an empty folder if CUDA_CACHE_DISABLE is set, or if there is no suitable
 * one. */
struct cs_jit_cache_settings {
  char folder[PATH_MAX];
  size_t bytes;
};
/* Read once. Never NULL. */
const struct cs_jit_cache_settings *cs_jit_cache_settings(void);

#endif
