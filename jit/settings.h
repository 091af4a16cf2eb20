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
  char shared[PATH_MAX]; /* CUSAFE_CACHE_SHARED, which is only read; or empty */
  int fills;             /* the folder is to be shared: other users may read it (cusafe cache fill) */
};
/* The folder for what CuSafe caches for the user: below XDG_CACHE_HOME, or ~/.cache. Returns 0, or -1 if there is
 * none. */
int cs_jit_cache_home(char to[PATH_MAX]);

/* Read once. Never NULL. */
const struct cs_jit_cache_settings *cs_jit_cache_settings(void);

#endif
