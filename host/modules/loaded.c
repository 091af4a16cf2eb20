/* loaded.c: finds variables of modules and libraries alike. */
#include "host/modules/loaded.h"

int cs_host_find_global(struct cs_host_loaded image, const char *name, CUdeviceptr *address, size_t *bytes) {
  const struct cs_host_driver *d = cs_host_driver();
  if (image.is_library)
    return !d->cuLibraryGetGlobal || d->cuLibraryGetGlobal(address, bytes, image.owner, name) ? -1 : 0;
  return !d->cuModuleGetGlobal_v2 || d->cuModuleGetGlobal_v2(address, bytes, image.owner, name) ? -1 : 0;
}
