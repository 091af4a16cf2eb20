/* driver.h: the real CUDA driver, as CuSafe calls it.
 *
 * cs_host_driver() finds libcuda.so.1 once, with the loader's own dlsym, so that no call made through the table comes back to
 * CuSafe. An entry that this driver does not have is NULL; cs_host_driver() itself is never NULL, and without a driver all of
 * its entries are. Any thread may call it at any time, before cuInit included. */
#ifndef CUSAFE_HOST_BASE_DRIVER_H
#define CUSAFE_HOST_BASE_DRIVER_H

#define CUDA_ENABLE_DEPRECATED /* programs may still call it */
#include <cuda.h>
#include <cudaTypedefs.h>
#include <stddef.h>

/* Both editions of these are named here. */
#undef cuGetProcAddress
#undef cuGraphAddNode
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync

struct cs_host_driver {
#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  PFN_##base##_v##version##variant base##edition##variant;
#include "host/base/interposed.inc"
#define CS_HOST_CALL(base, edition, variant, version) PFN_##base##_v##version##variant base##edition##variant;
#include "host/base/driver.inc"
};

const struct cs_host_driver *cs_host_driver(void);
int cs_host_driver_present(void);

/* The loader's own dlsym. */
void *cs_host_real_dlsym(void *handle, const char *name);
/* The C library came first, and nobody's dlsym is ours: only the CPU device's own runtime still asks for us. */
int cs_host_driver_hidden(void);

/* One line of interposed.inc, for the two ways in which programs look functions up. */
struct cs_host_hook {
  const char *base, *symbol;
  int version;
  int per_thread; /* a _ptsz or _ptds variant */
  size_t offset;  /* of the real function in struct cs_host_driver */
  void (*wrapper)(void);
};
extern const struct cs_host_hook cs_host_hooks[];
extern const size_t cs_host_hook_count;

/* The wrapper for what cuGetProcAddress(base, version, flags) resolved to, or NULL when CuSafe has none. */
const struct cs_host_hook *cs_host_hook_for(const char *base, int version, int per_thread);

#endif
