/* loaded.c: finds variables of modules and libraries alike. */
#include "host/modules/loaded.h"

int cs_host_find_global(struct cs_host_loaded image, const char *name, CUdeviceptr *address, size_t *bytes) {
  const struct cs_host_driver *d = cs_host_driver();
  if (image.is_library)
    return d->cuLibraryGetGlobal ? (int)d->cuLibraryGetGlobal(address, bytes, image.handle, name)
                                 : CUDA_ERROR_NOT_FOUND;
  return d->cuModuleGetGlobal_v2 ? (int)d->cuModuleGetGlobal_v2(address, bytes, image.handle, name)
                                 : CUDA_ERROR_NOT_FOUND;
}
