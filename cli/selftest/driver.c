/* driver.c: loads the CUDA driver and CuSafe's device code in the process of a probe. */
#include "cli/selftest/driver.h"
#include "report/print.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cs_cli_cuda cs_cli_cuda;

static const char *code_folder, *code_form;

void cs_cli_probe_end(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs(CS_CLI_ANSWER, stdout);
  cs_report_vprint(stdout, format, arguments);
  fputc('\n', stdout);
  va_end(arguments);
  fflush(stdout);
  exit(status);
}

const char *cs_cli_probe_error(CUresult error) {
  const char *name = NULL;
  if (!cs_cli_cuda.GetErrorName || cs_cli_cuda.GetErrorName(error, &name) || !name)
    return "an unknown error";
  return name;
}

void cs_cli_probe_check(const char *name, int is_present, CUresult result) {
  if (!is_present)
    cs_cli_probe_end(CS_CLI_FAILS, "the driver has no %s", name);
  if (result)
    cs_cli_probe_end(CS_CLI_FAILS, "%s returned %s (%d)", name, cs_cli_probe_error(result), (int)result);
}

#define TEXT(name) TEXT_OF(name) /* cuda.h defines macros of names that have editions */
#define TEXT_OF(name) #name

void cs_cli_probe_load(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    cs_cli_probe_end(CS_CLI_FAILS, "libcuda.so.1 cannot be loaded: there is no driver");
#define CS_CLI_CUDA(name)                                                                                              \
  {                                                                                                                    \
    void *found = dlsym(library, TEXT(cu##name));                                                                      \
    memcpy(&cs_cli_cuda.name, &found, sizeof found);                                                                   \
  }
#include "cli/selftest/calls.inc"
  CALL(Init, 0);
}

int cs_cli_probe_devices(void) {
  int count = 0;
  CALL(DeviceGetCount, &count);
  if (!count)
    cs_cli_probe_end(CS_CLI_FAILS, "there is no device");
  return count;
}

void cs_cli_probe_open(void) {
  CUcontext context;
  cs_cli_probe_load();
  cs_cli_probe_devices();
  CALL(DevicePrimaryCtxRetain, &context, 0);
  CALL(CtxSetCurrent, context);
}

void cs_cli_probe_code(const char *folder, const char *form) {
  code_folder = folder;
  code_form = form;
}

/* The driver reads PTX up to its end, a byte 0. */
static char *read_code(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", code_folder, name, code_form);
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    cs_cli_probe_end(CS_CLI_FAILS, "%s cannot be read: reinstall CuSafe", path);
  long bytes = ftell(file);
  rewind(file);
  char *code = bytes > 0 ? calloc(1, (size_t)bytes + 1) : NULL;
  if (!code || fread(code, 1, (size_t)bytes, file) != (size_t)bytes)
    cs_cli_probe_end(CS_CLI_FAILS, "%s cannot be read", path);
  fclose(file);
  return code;
}

CUmodule cs_cli_probe_module(const char *name) {
  char *code = read_code(name);
  CUmodule module;
  CALL(ModuleLoadData, &module, code);
  free(code);
  return module;
}

CUfunction cs_cli_probe_kernel(CUmodule module, const char *name) {
  CUfunction kernel;
  CALL(ModuleGetFunction, &kernel, module, name);
  return kernel;
}

CUdeviceptr cs_cli_probe_buffer(size_t bytes) {
  CUdeviceptr address;
  CALL(MemAlloc, &address, bytes);
  CALL(MemsetD8, address, 0, bytes);
  return address;
}

volatile int *cs_cli_probe_pinned(CUdeviceptr *device) {
  void *memory;
  CALL(MemHostAlloc, &memory, 4096, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  CALL(MemHostGetDevicePointer, device, memory, 0);
  memset(memory, 0, 4096);
  return memory;
}
