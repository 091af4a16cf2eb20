/* nvml.c: stands in for NVML: its devices are those of the CPU device's driver. Questions on hardware are "not
 * supported", which NVML answers for many GPUs as well, so there is no message. A handle is the device's number plus
 * 1. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  SUCCESS,
  UNINITIALIZED,
  INVALID_ARGUMENT,
  NOT_SUPPORTED,
  NOT_FOUND = 6,
  INSUFFICIENT_SIZE = 7,
  DRIVER_NOT_LOADED = 9
};

#define CS_GET(name)                                                                                                   \
  int name(void);                                                                                                      \
  int name(void) {                                                                                                     \
    return NOT_SUPPORTED;                                                                                              \
  }
#include "cpu/libraries/nvml.inc"

/* Calls whose first version has the same parameters. */
#define BOTH(name, version, parameters, arguments)                                                                     \
  int name##version parameters;                                                                                        \
  int name parameters;                                                                                                 \
  int name parameters {                                                                                                \
    return name##version arguments;                                                                                    \
  }
BOTH(nvmlInit, _v2, (void), ())
BOTH(nvmlDeviceGetCount, _v2, (unsigned *count), (count))
BOTH(nvmlDeviceGetHandleByIndex, _v2, (unsigned index, void **handle), (index, handle))
BOTH(nvmlDeviceGetHandleByPciBusId, _v2, (const char *bus, void **handle), (bus, handle))
BOTH(nvmlSystemGetCudaDriverVersion, _v2, (int *version), (version))

int nvmlInitWithFlags(unsigned flags);
int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlSystemGetDriverVersion(char *text, unsigned bytes);
int nvmlSystemGetNVMLVersion(char *text, unsigned bytes);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle);
int nvmlDeviceGetIndex(void *handle, unsigned *index);
int nvmlDeviceGetName(void *handle, char *text, unsigned bytes);
int nvmlDeviceGetUUID(void *handle, char *text, unsigned bytes);
int nvmlDeviceGetMemoryInfo(void *handle, unsigned long long total_free_used[3]);
int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor);

int nvmlDeviceGetClockInfo(void *handle, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *handle, int type, unsigned *mhz);

static void *handle_of(int device) {
  return (void *)((uintptr_t)device + 1); // NOLINT(performance-no-int-to-ptr): opaque to the caller
}

/* The device of a handle, or -1. */
static CUdevice device_of(const void *handle) {
  int count = 0;
  uintptr_t number = (uintptr_t)handle;
  return cuDeviceGetCount(&count) == CUDA_SUCCESS && number && number <= (uintptr_t)count ? (CUdevice)(number - 1) : -1;
}

static int copy_text(char *to, unsigned bytes, const char *text) {
  if (!to)
    return INVALID_ARGUMENT;
  if (strlen(text) >= bytes)
    return INSUFFICIENT_SIZE;
  strcpy(to, text);
  return SUCCESS;
}

static int uuid_text(CUdevice device, char text[64]) {
  CUuuid uuid;
  if (cuDeviceGetUuid(&uuid, device) != CUDA_SUCCESS)
    return NOT_SUPPORTED;
  char *to = text + sprintf(text, "GPU-");
  for (size_t i = 0; i < sizeof uuid.bytes; i++)
    to += sprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)uuid.bytes[i]);
  return SUCCESS;
}

int nvmlInit_v2(void) {
  return cuInit(0) == CUDA_SUCCESS ? SUCCESS : DRIVER_NOT_LOADED;
}

int nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  return nvmlInit_v2();
}

int nvmlShutdown(void) {
  return SUCCESS;
}

const char *nvmlErrorString(int result) {
  return result == SUCCESS         ? "success"
         : result == NOT_SUPPORTED ? "not supported on the CPU device"
                                   : "an error of NVML";
}

int nvmlSystemGetDriverVersion(char *text, unsigned bytes) {
  return copy_text(text, bytes, "580.0");
}

int nvmlSystemGetNVMLVersion(char *text, unsigned bytes) {
  return copy_text(text, bytes, "13.580.0");
}

int nvmlSystemGetCudaDriverVersion_v2(int *version) {
  return cuDriverGetVersion(version) == CUDA_SUCCESS ? SUCCESS : INVALID_ARGUMENT;
}

int nvmlDeviceGetCount_v2(unsigned *count) {
  int devices = 0;
  if (!count)
    return INVALID_ARGUMENT;
  if (cuDeviceGetCount(&devices) != CUDA_SUCCESS)
    return UNINITIALIZED;
  *count = (unsigned)devices;
  return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) {
  if (!handle || index > INT32_MAX - 1 || device_of(handle_of((int)index)) < 0)
    return INVALID_ARGUMENT;
  *handle = handle_of((int)index);
  return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **handle) {
  CUdevice device;
  if (!bus || !handle)
    return INVALID_ARGUMENT;
  if (cuDeviceGetByPCIBusId(&device, bus) != CUDA_SUCCESS)
    return NOT_FOUND;
  *handle = handle_of(device);
  return SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle) {
  char text[64];
  int count = 0;
  if (!uuid || !handle)
    return INVALID_ARGUMENT;
  cuDeviceGetCount(&count);
  for (int device = 0; device < count; device++)
    if (uuid_text(device, text) == SUCCESS && strcmp(text, uuid) == 0) {
      *handle = handle_of(device);
      return SUCCESS;
    }
  return NOT_FOUND;
}

int nvmlDeviceGetIndex(void *handle, unsigned *index) {
  CUdevice device = device_of(handle);
  if (device < 0 || !index)
    return INVALID_ARGUMENT;
  *index = (unsigned)device;
  return SUCCESS;
}

int nvmlDeviceGetName(void *handle, char *text, unsigned bytes) {
  char name[256];
  CUdevice device = device_of(handle);
  if (device < 0 || cuDeviceGetName(name, sizeof name, device) != CUDA_SUCCESS)
    return INVALID_ARGUMENT;
  return copy_text(text, bytes, name);
}

int nvmlDeviceGetUUID(void *handle, char *text, unsigned bytes) {
  char uuid[64];
  CUdevice device = device_of(handle);
  if (device < 0)
    return INVALID_ARGUMENT;
  int failed = uuid_text(device, uuid);
  return failed ? failed : copy_text(text, bytes, uuid);
}

/* NVML counts what all processes use, which the CPU device does not know. */
int nvmlDeviceGetMemoryInfo(void *handle, unsigned long long total_free_used[3]) {
  size_t total;
  CUdevice device = device_of(handle);
  if (device < 0 || !total_free_used || cuDeviceTotalMem(&total, device) != CUDA_SUCCESS)
    return INVALID_ARGUMENT;
  total_free_used[0] = total_free_used[1] = total;
  total_free_used[2] = 0;
  return SUCCESS;
}

int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor) {
  CUdevice device = device_of(handle);
  if (device < 0 || !major || !minor)
    return INVALID_ARGUMENT;
  cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return SUCCESS;
}

/* What the device's attributes say: programs that print the clock give up without it. */
int nvmlDeviceGetMaxClockInfo(void *handle, int type, unsigned *mhz) {
  enum { MEMORY = 2, VIDEO = 3 };
  int khz = 0;
  CUdevice device = device_of(handle);
  if (device < 0 || !mhz || type < 0 || type > VIDEO)
    return INVALID_ARGUMENT;
  cuDeviceGetAttribute(&khz, type == MEMORY ? CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE : CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
                       device);
  *mhz = (unsigned)khz / 1000;
  return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *handle, int type, unsigned *mhz) {
  return nvmlDeviceGetMaxClockInfo(handle, type, mhz);
}
