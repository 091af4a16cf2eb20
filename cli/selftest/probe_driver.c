/* probe_driver.c: probes of the driver's version, its functions and its devices. */
#include "cli/selftest/driver.h"
#include "cli/selftest/probes.h"
#include "cusafe/layout.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int attribute(CUdevice_attribute which, int device) {
  int value = 0;
  CALL(DeviceGetAttribute, &value, which, device);
  return value;
}

/* The platforms on which addresses or tools may differ. */
static const char *platform(void) {
  return access("/dev/dxg", F_OK) == 0 ? ", in WSL" : "";
}

void cs_cli_probe_driver(void) {
  char name[128] = "";
  cs_cli_probe_load();
  int count = cs_cli_probe_devices();
  CALL(DeviceGetName, name, sizeof name, 0);
  cs_cli_probe_end(CS_CLI_HOLDS, "%d device%s: %s%s", count, count == 1 ? "" : "s", name, platform());
}

void cs_cli_probe_driver_version(void) {
  enum { OLDEST = 12090 };
  int version = 0;
  cs_cli_probe_load();
  CALL(DriverGetVersion, &version);
  cs_cli_probe_end(version >= OLDEST ? CS_CLI_HOLDS : CS_CLI_FAILS, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

void cs_cli_probe_architecture(void) {
  enum { OLDEST = 75 };
  int lowest = 1000;
  cs_cli_probe_load();
  for (int i = cs_cli_probe_devices() - 1; i >= 0; i--) {
    int arch = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i) +
               attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i);
    lowest = arch < lowest ? arch : lowest;
  }
  cs_cli_probe_end(lowest >= OLDEST ? CS_CLI_HOLDS : CS_CLI_FAILS, "the oldest device is sm_%d", lowest);
}

/* The calls that libcusafe must interpose to know every buffer and every kernel. */
void cs_cli_probe_proc_address(void) {
  static const struct {
    const char *name, *symbol;
    int version;
  } calls[] = {{"cuMemAlloc", "cuMemAlloc_v2", 3020},         {"cuMemFree", "cuMemFree_v2", 3020},
               {"cuMemAllocAsync", "cuMemAllocAsync", 11020}, {"cuModuleLoadData", "cuModuleLoadData", 2000},
               {"cuLaunchKernel", "cuLaunchKernel", 4000},    {"cuMemcpyHtoD", "cuMemcpyHtoD_v2", 3020}};
  cs_cli_probe_load();
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    void *found = NULL;
    CUdriverProcAddressQueryResult status;
    CALL(GetProcAddress, calls[i].name, &found, calls[i].version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status);
    if (!found || found != dlsym(RTLD_DEFAULT, calls[i].symbol))
      if (found != dlsym(dlopen("libcuda.so.1", RTLD_NOW), calls[i].symbol))
        cs_cli_probe_end(CS_CLI_FAILS, "%s is another function than the exported one", calls[i].symbol);
  }
  cs_cli_probe_end(CS_CLI_HOLDS, "%zu calls", sizeof calls / sizeof *calls);
}

void cs_cli_probe_virtual_memory(void) {
  cs_cli_probe_load();
  if (!attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0))
    cs_cli_probe_end(CS_CLI_FAILS, "it has none");
}

void cs_cli_probe_other_tools(void) {
  static const char *const variables[] = {"CUDA_INJECTION64_PATH", "CUDA_DEBUGGER_SOFTWARE_PREEMPTION",
                                          "NSYS_TARGET_STD_REDIRECT_ACTIVE", "COMPUTE_SANITIZER_INJECTION"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (getenv(variables[i]))
      cs_cli_probe_end(CS_CLI_FAILS, "the variable %s is set", variables[i]);
}

/* Whether a function is libcusafe's. */
static int is_ours(void *function) {
  Dl_info info;
  return dladdr(function, &info) && info.dli_fname && strstr(info.dli_fname, "libcusafe.so");
}

void cs_cli_probe_interposition(void) {
  void *found = NULL, *looked_up = NULL;
  CUdriverProcAddressQueryResult status;
  cs_cli_probe_open();
  memcpy(&looked_up, &cs_cli_cuda.MemAlloc, sizeof looked_up);
  if (!is_ours(looked_up))
    cs_cli_probe_end(CS_CLI_FAILS, "dlsym returned the driver's cuMemAlloc");
  CALL(GetProcAddress, "cuMemAlloc", &found, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status);
  if (!is_ours(found))
    cs_cli_probe_end(CS_CLI_FAILS, "cuGetProcAddress returned the driver's cuMemAlloc");
}

/* Where CuSafe has no addresses for any buffer, the runtime's tell nothing. */
static void require_tags(void) {
  CUdeviceptr buffer;
  cs_cli_probe_open();
  CALL(MemAlloc, &buffer, 100);
  if (!cs_is_tagged(buffer))
    cs_cli_probe_end(CS_CLI_ABSENT, "CuSafe has no addresses for buffers");
}

void cs_cli_probe_runtime(void) {
  enum { INSUFFICIENT_DRIVER = 35 };
  static const char *const names[] = {"libcudart.so.13", "libcudart.so.12"};
  int (*allocate)(void **, size_t) = NULL;
  void *library = NULL, *buffer = NULL, *found;
  size_t i = 0;
  require_tags();
  for (; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW);
  if (!library)
    cs_cli_probe_end(CS_CLI_ABSENT, "no libcudart.so is installed");
  found = dlsym(library, "cudaMalloc");
  memcpy(&allocate, &found, sizeof found);
  int error = allocate ? allocate(&buffer, 100) : -1;
  if (error)
    cs_cli_probe_end(error == INSUFFICIENT_DRIVER ? CS_CLI_ABSENT : CS_CLI_FAILS, "cudaMalloc of %s returned %d",
                     names[i - 1], error);
  if (!cs_is_tagged((cs_u64)(size_t)buffer))
    cs_cli_probe_end(CS_CLI_FAILS, "cudaMalloc of %s returned the driver's address", names[i - 1]);
  cs_cli_probe_end(CS_CLI_HOLDS, "%s", names[i - 1]);
}
