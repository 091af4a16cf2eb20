/* init.c: brings the driver up: engine, devices, executors, fault handlers. */
#include "cpu/cuda/fault.h"
#include "cpu/cuda/internal.h"
#include <stdio.h>
#include <stdlib.h>

static struct cs_cpu_device devices[CS_CPU_MAX_DEVICES];
static atomic_int device_count;
static atomic_int initialised;
static CUresult outcome;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int inherited; /* see in_child() */

int cs_cpu_device_count(void) {
  return atomic_load(&device_count);
}

struct cs_cpu_device *cs_cpu_device_at(int ordinal) {
  return ordinal >= 0 && ordinal < cs_cpu_device_count() ? &devices[ordinal] : NULL;
}

static int start_device(int ordinal) {
  struct cs_cpu_device *device = &devices[ordinal];
  device->ordinal = ordinal;
  device->print = cs_cpu_print_new((size_t)1 << 20);
  device->primary = cs_cpu_context_new(device, 0);
  if (!device->print || !device->primary || cs_cpu_executor_start(device) != 0 || cs_cpu_pools_start(device) != 0)
    return -1;
  device->primary->is_primary = 1;
  return 0;
}

static CUresult start(void) {
  CUresult result = cs_cpu_engine_start();
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_engine_info()->sub_groups_of_32)
    fprintf(stderr, "cusafe: the OpenCL engine has no sub-groups of 32; kernels that use warp operations may fail\n");
  if (cs_cpu_fault_install() != 0)
    return CUDA_ERROR_OPERATING_SYSTEM;
  for (int i = 0; i < cs_cpu_options()->devices; i++) {
    if (start_device(i) != 0)
      return CUDA_ERROR_OUT_OF_MEMORY;
    atomic_store(&device_count, i + 1);
  }
  return CUDA_SUCCESS;
}

/* A child of fork() has none of the threads that work is done by, and locks that they may have held: as with NVIDIA's driver, a
 * driver that was in use before cannot be used there. */
static void in_child(void) {
  if (outcome != CUDA_SUCCESS)
    return;
  atomic_store(&inherited, 1);
  atomic_store(&initialised, 0);
}

int cs_cpu_inherited(void) {
  return atomic_load(&inherited);
}

static void start_once(void) {
  outcome = pthread_atfork(NULL, NULL, in_child) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
  if (outcome == CUDA_SUCCESS)
    outcome = start();
  atomic_store(&initialised, outcome == CUDA_SUCCESS);
}

CUresult cs_cpu_check_init(void) {
  return atomic_load(&initialised) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuInit(unsigned int flags) {
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (cs_cpu_inherited())
    return CUDA_ERROR_NOT_INITIALIZED;
  pthread_once(&once, start_once);
  return outcome;
}

CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = CS_CPU_DRIVER_VERSION;
  return CUDA_SUCCESS;
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
