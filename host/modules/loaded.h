/* loaded.h: what the program loaded: a CUmodule or a CUlibrary. */
#ifndef CUSAFE_HOST_MODULES_LOADED_H
#define CUSAFE_HOST_MODULES_LOADED_H

#include "host/base/driver.h"

struct cs_host_loaded {
  void *owner; /* the CUmodule or CUlibrary */
  int is_library;
};

/* The address of its variable of this name in the current context. Returns 0, CUDA_ERROR_NOT_FOUND if there is none,
 * or another CUresult if the driver does not answer. */
int cs_host_find_global(struct cs_host_loaded image, const char *name, CUdeviceptr *address, size_t *bytes);

#endif
