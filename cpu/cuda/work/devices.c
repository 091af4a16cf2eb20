/* devices.c: the devices of the process, and whether the driver is initialised. */
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/base/limits.h"

static struct cs_cpu_device devices[CS_CPU_MAX_DEVICES];
static atomic_int device_count, initialised, inherited;

CUresult cs_cpu_check_init(void) {
  return atomic_load(&initialised) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cs_cpu_check_handle(const void *handle, enum cs_cpu_magic magic, CUresult otherwise) {
  CUresult result = cs_cpu_check_init();
  return result == CUDA_SUCCESS && !cs_cpu_object_is(handle, magic) ? otherwise : result;
}

int cs_cpu_inherited(void) {
  return atomic_load(&inherited);
}

int cs_cpu_device_count(void) {
  return atomic_load(&device_count);
}

struct cs_cpu_device *cs_cpu_device_at(int ordinal) {
  return ordinal >= 0 && ordinal < cs_cpu_device_count() ? &devices[ordinal] : NULL;
}

CUresult cs_cpu_device_of(CUdevice ordinal, struct cs_cpu_device **device) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  *device = cs_cpu_device_at(ordinal);
  return *device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

void cs_cpu_devices_fail(CUresult error) {
  for (int i = 0; i < cs_cpu_device_count(); i++) {
    struct cs_cpu_device *device = &devices[i];
    pthread_mutex_lock(&device->lock);
    atomic_store(&device->failed, (int)error);
    atomic_store(&device->completed, device->submitted);
    pthread_cond_broadcast(&device->done);
    pthread_mutex_unlock(&device->lock);
  }
}

struct cs_cpu_device *cs_cpu_device_storage(int ordinal) {
  return &devices[ordinal];
}

void cs_cpu_devices_set_count(int count) {
  atomic_store(&device_count, count);
}

void cs_cpu_devices_set_initialised(int value) {
  atomic_store(&initialised, value);
}

void cs_cpu_devices_inherit(void) {
  atomic_store(&inherited, 1);
  atomic_store(&initialised, 0);
}
