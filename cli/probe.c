/* probe.c: queries the OpenCL ICD loader and the CUDA driver for devices. */
#define CL_TARGET_OPENCL_VERSION 300
#include "cli/probe.h"
#include "report/print.h"
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* OpenCL is loaded, not linked, so that `cusafe doctor` can report that it is missing. */
static struct {
  cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *);
  cl_int (*devices)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
  cl_int (*device_info)(cl_device_id, cl_device_info, size_t, void *, size_t *);
} cl;

static int resolve(void *library, const char *name, void *function_pointer) {
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(function_pointer, &symbol, sizeof symbol);
  return symbol ? 0 : -1;
}

static int open_loader(void) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
  return resolve(library, "clGetPlatformIDs", &cl.platforms) | resolve(library, "clGetDeviceIDs", &cl.devices) |
         resolve(library, "clGetDeviceInfo", &cl.device_info);
}

static void text_of(cl_device_id device, cl_device_info what, char *to, size_t room) {
  if (cl.device_info(device, what, room, to, NULL) != CL_SUCCESS)
    *to = 0;
  to[room - 1] = 0;
}

/* The query is an extension: cl_intel_required_subgroup_size defines its number. */
static int has_subgroup(cl_device_id device, size_t size) {
  const cl_device_info sub_group_sizes = 0x4108;
  size_t sizes[16] = {0}, bytes = 0;
  if (cl.device_info(device, sub_group_sizes, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
    return 0;
  for (size_t i = 0; i < bytes / sizeof *sizes; i++)
    if (sizes[i] == size)
      return 1;
  return 0;
}

static int has_system_memory(cl_device_id device) {
  cl_device_svm_capabilities svm = 0;
  cl.device_info(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
  return (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
}

/* Prints the device's features. Returns 0 if it has all that the CPU device requires. */
static int describe(cl_device_id device) {
  char name[256], spirv[256];
  text_of(device, CL_DEVICE_NAME, name, sizeof name);
  text_of(device, CL_DEVICE_IL_VERSION, spirv, sizeof spirv);
  for (size_t end = strlen(spirv); end && spirv[end - 1] == ' ';)
    spirv[--end] = 0;
  const char *space = strrchr(spirv, ' '), *newest = space ? space + 1 : spirv; /* the list is in ascending order */
  int il = strstr(spirv, "SPIR-V") != NULL, memory = has_system_memory(device), warps = has_subgroup(device, 32);
  cs_report_print(stdout, "%s: %s, %s, %s\n", name, il ? newest : "no SPIR-V",
                  memory ? "system shared memory" : "no system shared memory",
                  warps ? "sub-groups of 32" : "no sub-groups of 32");
  return il && memory && warps ? 0 : 1;
}

int cs_cli_probe_engine(void) {
  cl_platform_id platforms[16];
  cl_uint platform_count = 0, seen = 0;
  if (open_loader() != 0) {
    puts("cannot load libOpenCL.so.1");
    return 1;
  }
  if (cl.platforms(16, platforms, &platform_count) != CL_SUCCESS)
    platform_count = 0;
  for (cl_uint i = 0; i < platform_count && i < 16; i++) {
    cl_device_id devices[16];
    cl_uint count = 0;
    if (cl.devices(platforms[i], CL_DEVICE_TYPE_CPU, 16, devices, &count) != CL_SUCCESS)
      continue;
    for (cl_uint j = 0; j < count && j < 16; j++, seen++)
      if (describe(devices[j]) == 0)
        return 0;
  }
  if (!seen)
    puts("OpenCL has no CPU device");
  return 1;
}

int cs_cli_probe_gpu(void) {
  int (*init)(unsigned), (*count)(int *), devices = 0;
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    puts("cannot load libcuda.so.1");
    return 1;
  }
  if (resolve(library, "cuInit", &init) || resolve(library, "cuDeviceGetCount", &count)) {
    puts("libcuda.so.1 is not a CUDA driver");
    return 1;
  }
  int error = init(0);
  if (error == 0)
    error = count(&devices);
  if (error)
    cs_report_print(stdout, "NVIDIA's driver is installed, but returns error %d\n", error);
  else
    cs_report_print(stdout, "%d device%s\n", devices, devices == 1 ? "" : "s");
  return error || !devices;
}
