/* vmm.c: makes granules of zeros from the virtual memory calls. */
#include "host/heap/vmm.h"

int cs_host_vmm_map_zeroed(const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 handle) {
  int error = vmm->map(address, CS_HOST_GRANULE, handle);
  if (error)
    return error;
  error = vmm->access(address, CS_HOST_GRANULE, -1, 1);
  if (!error)
    error = vmm->zero(address, CS_HOST_GRANULE);
  if (!error)
    error = vmm->settle();
  if (error)
    vmm->unmap(address, CS_HOST_GRANULE);
  return error;
}

int cs_host_vmm_make_zeroed(const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 *handle) {
  int error = vmm->create(-1, CS_HOST_GRANULE, handle);
  if (error)
    return error;
  error = cs_host_vmm_map_zeroed(vmm, address, *handle);
  if (error)
    vmm->release(*handle);
  return error;
}
