/* loader.h: the loader's own dlsym, which libcusafe replaces for the program (hooks/dlsym.c). */
#ifndef CUSAFE_HOST_BASE_LOADER_H
#define CUSAFE_HOST_BASE_LOADER_H

/* cs_host_find_dlsym() sets cs_host_dlsym_next, which the jump in hooks/dlsym.c reads; every thread
 * stores the same value. */
typedef void *cs_host_dlsym(void *handle, const char *name);
extern cs_host_dlsym *cs_host_dlsym_next __attribute__((visibility("hidden")));
void cs_host_find_dlsym(void);
void *cs_host_real_dlsym(void *handle, const char *name);

/* Whether the C library precedes CuSafe in the search order: then programs do not reach CuSafe's dlsym, and only the
 * CPU device's runtime, which is linked with CuSafe, is interposed. */
int cs_host_loader_hides(void);

#endif
