/* device.c: which devices there are and what they report about themselves. */
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/code/function_attributes.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include <cudaProfiler.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define RESERVED_SHARED 1024
#define PCI_BUS(device) (0xc0 + (device)->ordinal)

static int clock_khz(void) {
  unsigned mhz = cs_cpu_engine_info()->clock_mhz;
  return mhz ? (int)mhz * 1000 : 1000000;
}

static CUresult check(CUdevice ordinal, const void *out, struct cs_cpu_device **device) {
  CUresult result = cs_cpu_device_of(ordinal, device);
  return result == CUDA_SUCCESS && !out ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuDeviceGetCount(int *count) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = cs_cpu_device_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *out, int ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check(ordinal, out, &device);
  if (result == CUDA_SUCCESS)
    *out = ordinal;
  return result;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check(ordinal, name, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  snprintf(name, (size_t)length, "CuSafe CPU device (%s)", cs_cpu_engine_info()->name);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check(ordinal, uuid, &device);
  if (result != CUDA_SUCCESS)
    return result;
  memcpy(uuid->bytes, "CuSafe CPU dev", 14);
  uuid->bytes[14] = 0;
  uuid->bytes[15] = (char)ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check(ordinal, bytes, &device);
  if (result == CUDA_SUCCESS)
    *bytes = cs_cpu_options()->memory;
  return result;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check(ordinal, value, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  switch ((int)attribute) {
#define CS_CPU_ATTRIBUTE(name, number)                                                                                 \
  case CU_DEVICE_ATTRIBUTE_##name:                                                                                     \
    *value = number;                                                                                                   \
    break;
#include "cpu/cuda/attributes.inc"
#undef CS_CPU_ATTRIBUTE
  default:
    *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  CUresult result = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return result == CUDA_SUCCESS ? cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)
                                : result;
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check(ordinal, text, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  snprintf(text, (size_t)length, "0000:%02X:00.0", PCI_BUS(device));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *out, const char *text) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !text)
    return CUDA_ERROR_INVALID_VALUE;
  unsigned domain = 0, bus = 0, slot = 0;
  if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3 && (domain = 0, sscanf(text, "%x:%x", &bus, &slot) != 2))
    return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < cs_cpu_device_count(); i++) {
    if (domain == 0 && slot == 0 && bus == (unsigned)PCI_BUS(cs_cpu_device_at(i))) {
      *out = i;
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

/* All devices share the engine's memory, so each can access each other's. */
CUresult cuDeviceCanAccessPeer(int *can, CUdevice from, CUdevice to) {
  struct cs_cpu_device *device;
  CUresult result = check(from, can, &device);
  if (result == CUDA_SUCCESS)
    result = check(to, can, &device);
  if (result == CUDA_SUCCESS)
    *can = from != to;
  return result;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  struct cs_cpu_device *device;
  CUresult result = check(from, value, &device);
  if (result == CUDA_SUCCESS)
    result = check(to, value, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (from == to)
    return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
  case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
  case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    *value = 1;
    return CUDA_SUCCESS;
  case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
  case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
    *value = 0;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuCtxEnablePeerAccess(CUcontext peer_handle, unsigned int flags) {
  struct cs_cpu_context *context, *peer;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = peer_handle ? cs_cpu_context_check(peer_handle, &peer) : CUDA_ERROR_INVALID_CONTEXT;
  if (result != CUDA_SUCCESS)
    return result;
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (peer->device == context->device)
    return CUDA_ERROR_INVALID_CONTEXT;
  unsigned bit = 1u << peer->device->ordinal;
  return atomic_fetch_or(&context->peers, bit) & bit ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer_handle) {
  struct cs_cpu_context *context, *peer;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = peer_handle ? cs_cpu_context_check(peer_handle, &peer) : CUDA_ERROR_INVALID_CONTEXT;
  if (result != CUDA_SUCCESS)
    return result;
  unsigned bit = 1u << peer->device->ordinal;
  return atomic_fetch_and(&context->peers, ~bit) & bit ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check(ordinal, supported, &device);
  if (result == CUDA_SUCCESS && type >= CU_EXEC_AFFINITY_TYPE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *supported = 0;
  return result;
}

CUresult cuProfilerStart(void) {
  struct cs_cpu_context *context;
  return cs_cpu_enter(&context); /* no profiler is attached */
}

CUresult cuProfilerStop(void) {
  struct cs_cpu_context *context;
  return cs_cpu_enter(&context);
}
