/* device.c: devices: counting, choosing, describing, limits, resetting, peers; and the versions. */
#include "cpu/cudart/runtime.h"

#include <string.h>

_Static_assert((int)cudaDevAttrHostNumaMultinodeIpcSupported ==
                   (int)CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED,
               "device attributes are passed through");
_Static_assert((int)cudaLimitPersistingL2CacheSize == (int)CU_LIMIT_PERSISTING_L2_CACHE_SIZE, "limits, too");
_Static_assert((int)cudaFuncCachePreferEqual == (int)CU_FUNC_CACHE_PREFER_EQUAL, "cache settings, too");
_Static_assert((int)cudaDeviceScheduleBlockingSync == (int)CU_CTX_SCHED_BLOCKING_SYNC, "context flags, too");

cudaError_t cudaDriverGetVersion(int *version) {
  CS_CUDART_CHECK(version);
  *version = cs_cudart_driver_version();
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  CS_CUDART_CHECK(version);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
  cudaError_t error = cs_cudart_driver_ready();
  if (count && error == cudaErrorNoDevice)
    *count = 0;
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  CS_CUDART_CHECK(count);
  return cs_cudart_done(CU(DeviceGetCount, count));
}

cudaError_t cudaSetDevice(int ordinal) {
  CS_CUDART_READY();
  return cs_cudart_fail(cs_cudart_select_device(ordinal));
}

/* The first of the list becomes the device of a thread that has not selected one; all devices stay valid. */
cudaError_t cudaSetValidDevices(int *list, int count) {
  CUdevice device;
  CS_CUDART_CHECK(count >= 0 && (list || !count));
  for (int i = 0; i < count; i++)
    CS_CUDART_DEVICE(list[i], device);
  return count ? cudaSetDevice(list[0]) : cudaSuccess;
}

/* A context that the application has made current through the driver takes precedence over the thread's selection. */
cudaError_t cudaGetDevice(int *ordinal) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(ordinal);
  CUcontext current = NULL;
  if (CU(CtxGetCurrent, &current) != CUDA_SUCCESS || !current) {
    *ordinal = cs_cudart_selected_device();
    return cudaSuccess;
  }
  struct cs_cudart_context *context;
  CS_CUDART_ENTER_IN(context);
  *ordinal = context->ordinal;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int ordinal, unsigned device_flags, unsigned flags) {
  CUdevice device;
  CUcontext context;
  CS_CUDART_DEVICE(ordinal, device);
  if (flags & cudaInitDeviceFlagsAreValid) {
    CUresult result = CU(DevicePrimaryCtxSetFlags, device, device_flags);
    if (result != CUDA_SUCCESS)
      return cs_cudart_done(result);
  }
  return cs_cudart_fail(cs_cudart_primary_context(ordinal, &context));
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  CUdevice device;
  CS_CUDART_CHECK(!(flags & ~cudaDeviceMask));
  CS_CUDART_DEVICE(cs_cudart_selected_device(), device);
  return cs_cudart_done(CU(DevicePrimaryCtxSetFlags, device, flags));
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  CUdevice device;
  int active;
  CS_CUDART_CHECK(flags);
  CS_CUDART_DEVICE(cs_cudart_selected_device(), device);
  CUresult result = CU(DevicePrimaryCtxGetState, device, flags, &active);
  *flags |= cudaDeviceMapHost; /* always on with unified addressing, as documented */
  return cs_cudart_done(result);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int ordinal) {
  CUdevice device;
  CS_CUDART_CHECK(value);
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceGetAttribute, value, (CUdevice_attribute)attribute, device));
}

/* An attribute that an older driver does not know is 0. */
static int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return CU(DeviceGetAttribute, &value, which, device) == CUDA_SUCCESS ? value : 0;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int ordinal) {
  CUdevice device;
  CS_CUDART_CHECK(out);
  CS_CUDART_DEVICE(ordinal, device);
  memset(out, 0, sizeof *out);
  CUresult result = CU(DeviceGetName, out->name, sizeof out->name, device);
  if (result == CUDA_SUCCESS)
    result = CU(DeviceTotalMem, &out->totalGlobalMem, device);
  if (result != CUDA_SUCCESS)
    return cs_cudart_done(result);
  CU(DeviceGetUuid, (CUuuid *)&out->uuid, device); /* zero where the driver has none */
#define CS_CUDART_PROPERTY(field, which) out->field = attribute(device, CU_DEVICE_ATTRIBUTE_##which);
#include "cpu/cudart/properties.inc"
#undef CS_CUDART_PROPERTY
  return cudaSuccess;
}

/* How many of the required properties (fields that are not 0) a device has. */
static int score(const struct cudaDeviceProp *required, const struct cudaDeviceProp *actual) {
  return (required->major && 10 * actual->major + actual->minor >= 10 * required->major + required->minor) +
         (required->totalGlobalMem && actual->totalGlobalMem >= required->totalGlobalMem) +
         (required->multiProcessorCount && actual->multiProcessorCount >= required->multiProcessorCount) +
         (required->sharedMemPerBlock && actual->sharedMemPerBlock >= required->sharedMemPerBlock) +
         (required->maxThreadsPerBlock && actual->maxThreadsPerBlock >= required->maxThreadsPerBlock);
}

cudaError_t cudaChooseDevice(int *ordinal, const struct cudaDeviceProp *required) {
  CS_CUDART_CHECK(ordinal && required);
  int count, best = -1;
  cudaError_t error = cudaGetDeviceCount(&count);
  for (int i = 0; error == cudaSuccess && i < count; i++) {
    struct cudaDeviceProp actual;
    error = cudaGetDeviceProperties(&actual, i);
    if (error == cudaSuccess && score(required, &actual) > best) {
      best = score(required, &actual);
      *ordinal = i;
    }
  }
  return error;
}

cudaError_t cudaDeviceGetByPCIBusId(int *ordinal, const char *bus) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(ordinal && bus);
  CUdevice wanted, device;
  CUresult result = CU(DeviceGetByPCIBusId, &wanted, bus);
  if (result != CUDA_SUCCESS)
    return cs_cudart_done(result);
  for (int i = 0; cs_cudart_driver_device(i, &device) == cudaSuccess; i++)
    if (device == wanted) {
      *ordinal = i;
      return cudaSuccess;
    }
  return cs_cudart_fail(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int length, int ordinal) {
  CUdevice device;
  CS_CUDART_CHECK(bus && length > 0);
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceGetPCIBusId, bus, length, device));
}

cudaError_t cudaDeviceSynchronize(void) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(CtxSynchronize));
}

cudaError_t cudaDeviceReset(void) {
  int ordinal;
  cudaError_t error = cudaGetDevice(&ordinal);
  return error == cudaSuccess ? cs_cudart_fail(cs_cudart_reset_device(ordinal)) : error;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(CtxSetLimit, (CUlimit)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(value);
  return cs_cudart_done(CU(CtxGetLimit, value, (CUlimit)limit));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(config);
  CUfunc_cache value = CU_FUNC_CACHE_PREFER_NONE;
  CUresult result = CU(CtxGetCacheConfig, &value);
  *config = (enum cudaFuncCache)value;
  return cs_cudart_done(result);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(CtxSetCacheConfig, (CUfunc_cache)config));
}

/* Shared memory banks have one size on every device that CUDA 13 knows: documented to be reported, and not to
 * change. */
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(config);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK((unsigned)config <= cudaSharedMemBankSizeEightByte);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(CtxGetStreamPriorityRange, least, greatest));
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(CtxResetPersistingL2Cache));
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int ordinal, int peer_ordinal) {
  CUdevice device, peer;
  CS_CUDART_CHECK(can);
  CS_CUDART_DEVICE(ordinal, device);
  CS_CUDART_DEVICE(peer_ordinal, peer);
  return cs_cudart_done(CU(DeviceCanAccessPeer, can, device, peer));
}

cudaError_t cudaDeviceEnablePeerAccess(int peer_ordinal, unsigned flags) {
  CUcontext peer;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(flags == 0);
  cudaError_t error = cs_cudart_primary_context(peer_ordinal, &peer);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  CUresult result = CU(CtxEnablePeerAccess, peer, 0);
  return result == CUDA_ERROR_INVALID_CONTEXT ? cs_cudart_fail(cudaErrorInvalidDevice)
                                              : cs_cudart_done(result); /* the device itself */
}

cudaError_t cudaDeviceDisablePeerAccess(int peer_ordinal) {
  CUcontext peer;
  CS_CUDART_ENTER();
  cudaError_t error = cs_cudart_primary_context(peer_ordinal, &peer);
  return error == cudaSuccess ? cs_cudart_done(CU(CtxDisablePeerAccess, peer)) : cs_cudart_fail(error);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr which, int source, int target) {
  CUdevice from, to;
  CS_CUDART_CHECK(value);
  CS_CUDART_DEVICE(source, from);
  CS_CUDART_DEVICE(target, to);
  return cs_cudart_done(CU(DeviceGetP2PAttribute, value, (CUdevice_P2PAttribute)which, from, to));
}

cudaError_t cudaProfilerStart(void) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(ProfilerStart));
}

cudaError_t cudaProfilerStop(void) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(ProfilerStop));
}
