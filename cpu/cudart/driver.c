/* driver.c: finds the driver as NVIDIA's static runtime does (dlopen, dlsym of cuGetProcAddress_v2, the rest by name
 * and version), so that libraries that interpose on those see every call. */
#include "cpu/cudart/driver.h"
#include "cpu/cudart/checker.h"
#include "cpu/cudart/errors.h"
#include "report/print.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cs_cudart_driver cs_cudart_cu;
cs_symbol_report *cs_cudart_symbol_report;
cs_refusals *cs_cudart_refusals;
cs_loads_ahead *cs_cudart_loads_ahead;
cs_launch_refused *cs_cudart_launch_refused;

static pthread_once_t loaded = PTHREAD_ONCE_INIT, initialised = PTHREAD_ONCE_INIT;
static cudaError_t load_error = cudaSuccess, init_error = cudaSuccess;
static int version;
static atomic_int exiting;

static void on_exit_begins(void) {
  atomic_store(&exiting, 1);
}

int cs_cudart_exiting(void) {
  return atomic_load(&exiting);
}

static void resolve(PFN_cuGetProcAddress_v12000 get, const char *name, int wanted, void *slot) {
  void *function = NULL;
  CUdriverProcAddressQueryResult status;
  if (get(name, &function, wanted, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status) != CUDA_SUCCESS)
    function = NULL;
  memcpy(slot, &function, sizeof function);
}

/* libcusafe replaces dlsym, unless it was loaded after the C library (as a dependency of a library, or by an
 * interpreter): then its own cuGetProcAddress_v2 is used. */
static void *find_proc_address(void *driver) {
  void *interposer = cs_cudart_checker();
  void *symbol = dlsym(interposer ? interposer : driver, "cuGetProcAddress_v2");
  return symbol ? symbol : dlsym(driver, "cuGetProcAddress_v2");
}

static void load(void) {
  load_error = cudaErrorInsufficientDriver;
  void *handle = dlopen("libcuda.so.1", RTLD_NOW);
  if (!handle)
    return;
  PFN_cuGetProcAddress_v12000 get;
  void *symbol = find_proc_address(handle);
  if (!symbol)
    return;
  memcpy(&get, &symbol, sizeof get);
  cs_cudart_checker_decided();
#define CS_CUDART_DRIVER(name, wanted) resolve(get, "cu" #name, wanted, &cs_cudart_cu.name);
#include "cpu/cudart/driver.inc"
#undef CS_CUDART_DRIVER
  resolve(get, CS_SYMBOL_REPORT, CUDART_VERSION, &cs_cudart_symbol_report);
  cs_cudart_refusals = (cs_refusals *)dlsym(handle, CS_REFUSALS);
  cs_cudart_loads_ahead = (cs_loads_ahead *)dlsym(handle, CS_LOADS_AHEAD);
  cs_cudart_launch_refused = (cs_launch_refused *)dlsym(handle, CS_LAUNCH_REFUSED);
  if (!cs_cudart_cu.Init || !cs_cudart_cu.DriverGetVersion || cs_cudart_cu.DriverGetVersion(&version) != CUDA_SUCCESS)
    return;
  load_error = version < CUDART_VERSION ? cudaErrorInsufficientDriver : cudaSuccess;
}

static void initialise(void) {
  init_error = cs_cudart_error(cs_cudart_cu.Init(0));
  int count = 0;
  if (init_error == cudaSuccess && CU(DeviceGetCount, &count) == CUDA_SUCCESS && count == 0)
    init_error = cudaErrorNoDevice;
  /* Registered after the driver's own exit functions, so it runs before them. */
  atexit(on_exit_begins);
}

int cs_cudart_driver_version(void) {
  pthread_once(&loaded, load);
  return version;
}

cudaError_t cs_cudart_driver_ready(void) {
  if (cs_cudart_exiting())
    return cudaErrorCudartUnloading;
  pthread_once(&loaded, load);
  if (load_error != cudaSuccess)
    return load_error;
  pthread_once(&initialised, initialise);
  return init_error;
}

/* Names already printed; string literals, so the pointer is the identity. */
static void print_once(const char *name, const char *text) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const char **printed;
  static size_t count;
  pthread_mutex_lock(&lock);
  size_t i = 0;
  while (i < count && printed[i] != name)
    i++;
  if (i == count) {
    const char **grown = realloc(printed, (count + 1) * sizeof *printed);
    if (grown) {
      printed = grown;
      printed[count++] = name;
    }
    cs_report_print(stderr, "cusafe: %s %s\n", name, text);
  }
  pthread_mutex_unlock(&lock);
}

CUresult cs_cudart_driver_lacks(const char *name) {
  print_once(name, "is not provided by this CUDA driver; calls that need it return cudaErrorNotSupported.");
  return CUDA_ERROR_NOT_SUPPORTED;
}

void cs_cudart_print_unsupported(const char *name) {
  print_once(name, "is not supported on CuSafe's CPU device (cudaErrorNotSupported).");
}

/* As in the CPU device's driver, features that drivers may lack have no line: programs try them. */
cudaError_t cs_cudart_unsupported(const char *name) {
  if (strncmp(name, "cudaLogs", 8) != 0 && !strstr(name, "ShareableHandle"))
    cs_cudart_print_unsupported(name);
  return cs_cudart_fail(cudaErrorNotSupported);
}
