/* loaded.h: what the program loaded: a CUmodule or a CUlibrary. */
#ifndef CUSAFE_HOST_MODULES_LOADED_H
#define CUSAFE_HOST_MODULES_LOADED_H

#include "cusafe/layout.h"
#include "host/base/driver.h"

/* The driver gives out the handle of an unloaded module again; the number is given out once (known.h). What outlasts a
 * call keeps the number, and compares nothing else. */
struct cs_host_loaded {
  void *handle; /* the CUmodule or CUlibrary */
  int is_library;
  cs_u64 number; /* 0: unknown */
};

/* The address of its variable of this name in the current context. Returns 0, CUDA_ERROR_NOT_FOUND if there is none,
 * or another CUresult if the driver does not answer. */
int cs_host_find_global(struct cs_host_loaded image, const char *name, CUdeviceptr *address, size_t *bytes);

#endif
