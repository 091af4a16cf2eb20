/* init.c: brings the driver up: engine, devices, executors, fault handlers. */
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/shadow.h"
#include "cpu/cuda/code/print.h"
#include "cpu/cuda/context.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/memory/pool.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include "cpu/cuda/work/fault.h"
#include "report/print.h"
#include <pthread.h>
#include <stdio.h>

static CUresult outcome;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int start_device(int ordinal) {
  struct cs_cpu_device *device = cs_cpu_device_storage(ordinal);
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
    cs_report_print(stderr,
                    "cusafe: the OpenCL engine has no sub-groups of 32; kernels that use warp operations may fail\n");
  if (cs_cpu_fault_install() != 0)
    return CUDA_ERROR_OPERATING_SYSTEM;
  for (int i = 0; i < cs_cpu_options()->devices; i++) {
    if (start_device(i) != 0)
      return CUDA_ERROR_OUT_OF_MEMORY;
    cs_cpu_devices_set_count(i + 1);
  }
  return CUDA_SUCCESS;
}

/* A child of fork() has none of the driver's threads, and locks that they may have held: as with NVIDIA's driver, it
 * cannot use a driver that its parent has initialised. */
static void in_child(void) {
  if (outcome == CUDA_SUCCESS)
    cs_cpu_devices_inherit();
}

static void start_once(void) {
  outcome = pthread_atfork(NULL, NULL, in_child) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
  cs_cpu_shadow_start();
  if (outcome == CUDA_SUCCESS)
    outcome = start();
  cs_cpu_devices_set_initialised(outcome == CUDA_SUCCESS);
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
  *version = (int)cs_cpu_anomalies()->version;
  return CUDA_SUCCESS;
}
