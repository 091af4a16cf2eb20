/* primary.c: each device's primary context. */
#include "cpu/cuda/context.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include <pthread.h>
#include <stdatomic.h>

/* Opening and closing a primary context exclude each other. Outermost: taken before every other lock. */
static pthread_mutex_t lifecycle = PTHREAD_MUTEX_INITIALIZER;

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = cs_cpu_device_of(ordinal, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_context *primary = device->primary;
  pthread_mutex_lock(&lifecycle);
  primary->retains++;
  if (!atomic_load(&primary->alive))
    cs_cpu_context_open(primary, primary->flags);
  pthread_mutex_unlock(&lifecycle);
  *out = (CUcontext)primary;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = cs_cpu_device_of(ordinal, &device);
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_context *primary = device->primary;
  pthread_mutex_lock(&lifecycle);
  int retained = primary->retains > 0;
  if (retained && --primary->retains == 0)
    cs_cpu_context_close(primary);
  pthread_mutex_unlock(&lifecycle);
  return retained ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}

/* Ends the context's work for good; callers that retained it must still release it. */
CUresult cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = cs_cpu_device_of(ordinal, &device);
  if (result != CUDA_SUCCESS)
    return result;
  pthread_mutex_lock(&lifecycle);
  cs_cpu_context_close(device->primary);
  device->primary->flags = 0;
  pthread_mutex_unlock(&lifecycle);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return cuDevicePrimaryCtxReset_v2(device);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned int flags) {
  struct cs_cpu_device *device;
  CUresult result = cs_cpu_device_of(ordinal, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_context_flags_valid(flags))
    return CUDA_ERROR_INVALID_VALUE;
  device->primary->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned int *flags, int *active) {
  struct cs_cpu_device *device;
  CUresult result = cs_cpu_device_of(ordinal, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (flags)
    *flags = device->primary->flags & ~(unsigned)CU_CTX_MAP_HOST;
  if (active)
    *active = atomic_load(&device->primary->alive);
  return CUDA_SUCCESS;
}
