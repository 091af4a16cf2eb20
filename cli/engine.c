/* engine.c: `cusafe doctor --engine`: tries what the CPU device requires on each OpenCL device, by small kernels. */
#define CL_TARGET_OPENCL_VERSION 300
#include "cli/engine.h"
#include "cli/base/argv.h"
#include "cli/base/process.h"
#include "report/print.h"
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum requirement {
#define CS_REQUIREMENT(id, name, source) id,
#include "cli/requirements.inc"
  REQUIREMENTS
};
static const struct {
  const char *name, *source;
} requirements[] = {
#define CS_REQUIREMENT(id, name, source) {name, source},
#include "cli/requirements.inc"
};

/* function_pointers.ll, and a module with the empty kernel k. */
static const unsigned with_pointers[] = {
#include "function_pointers.inc"
};
static const unsigned empty[] = {
    0x07230203, 0x00010000, 0, 7,          0, /* magic number, version, generator, number of identifiers, schema */
    0x00020011, 4,                            /* OpCapability Addresses */
    0x00020011, 6,                            /* OpCapability Kernel */
    0x0003000e, 2,          2,                /* OpMemoryModel Physical64 OpenCL */
    0x0004000f, 6,          4, 0x0000006b,    /* OpEntryPoint Kernel %4 "k" */
    0x00020013, 1,                            /* %1 = OpTypeVoid */
    0x00030021, 2,          1,                /* %2 = OpTypeFunction %1 */
    0x00050036, 1,          4, 0,          2, /* %4 = OpFunction %1 None %2 */
    0x000200f8, 5,                            /* %5 = OpLabel */
    0x000100fd,                               /* OpReturn */
    0x00010038,                               /* OpFunctionEnd */
};

/* OpenCL is loaded, as in probe.c. */
#define CALLS(CALL)                                                                                                    \
  CALL(clGetPlatformIDs)                                                                                               \
  CALL(clGetDeviceIDs)                                                                                                 \
  CALL(clGetDeviceInfo)                                                                                                \
  CALL(clCreateContext)                                                                                                \
  CALL(clCreateCommandQueueWithProperties)                                                                             \
  CALL(clCreateProgramWithSource)                                                                                      \
  CALL(clCreateProgramWithIL)                                                                                          \
  CALL(clBuildProgram)                                                                                                 \
  CALL(clCreateKernel)                                                                                                 \
  CALL(clSetKernelArg)                                                                                                 \
  CALL(clSetKernelArgSVMPointer)                                                                                       \
  CALL(clCreateBuffer)                                                                                                 \
  CALL(clEnqueueNDRangeKernel)                                                                                         \
  CALL(clEnqueueReadBuffer)                                                                                            \
  CALL(clFinish)
#define CALL(name) static __typeof__(name) *p_##name;
CALLS(CALL)
#undef CALL

static int load_opencl(void) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW), *symbol;
#define CALL(name)                                                                                                     \
  if (!library || !(symbol = dlsym(library, #name)))                                                                   \
    return -1;                                                                                                         \
  memcpy(&p_##name, &symbol, sizeof symbol);
  CALLS(CALL)
#undef CALL
  return 0;
}

enum { MAX_DEVICES = 16 };
static cl_device_id devices[MAX_DEVICES];

/* Devices of all kinds, in the order of the loader. */
static unsigned find_devices(void) {
  cl_platform_id platforms[MAX_DEVICES];
  cl_uint count = 0, found = 0;
  if (load_opencl() || p_clGetPlatformIDs(MAX_DEVICES, platforms, &count) != CL_SUCCESS)
    return 0;
  for (cl_uint i = 0; i < count && i < MAX_DEVICES && found < MAX_DEVICES; i++) {
    cl_uint more = 0;
    if (p_clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES - found, devices + found, &more) == CL_SUCCESS)
      found += more < MAX_DEVICES - found ? more : MAX_DEVICES - found;
  }
  return found;
}

int cs_cli_engine_list(void) {
  unsigned count = find_devices();
  for (unsigned i = 0; i < count; i++) {
    char name[256] = "", version[256] = "";
    p_clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    p_clGetDeviceInfo(devices[i], CL_DRIVER_VERSION, sizeof version - 1, version, NULL);
    cs_report_print(stdout, "%s, %s\n", name, version);
  }
  return 0;
}

/* ---- one requirement, in a process of its own ---- */

struct trial {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_kernel kernel;
};
enum { ITEMS = 128, BLOCK = 64 };

static int refused(const char *what, cl_int error) {
  printf("%s returns %d\n", what, error);
  return 1;
}

static int build(struct trial *t, enum requirement what) {
  cl_int error;
  const char *source = requirements[what].source;
  cl_program program = what == SPIRV ? p_clCreateProgramWithIL(t->context, empty, sizeof empty, &error)
                       : what == POINTERS
                           ? p_clCreateProgramWithIL(t->context, with_pointers, sizeof with_pointers, &error)
                           : p_clCreateProgramWithSource(t->context, 1, &source, NULL, &error);
  if (error != CL_SUCCESS)
    return refused(source ? "clCreateProgramWithSource" : "clCreateProgramWithIL", error);
  if ((error = p_clBuildProgram(program, 1, &t->device, source ? "-cl-std=CL3.0" : "", NULL, NULL)) != CL_SUCCESS)
    return refused("clBuildProgram", error);
  t->kernel = p_clCreateKernel(program, "k", &error);
  return error == CL_SUCCESS ? 0 : refused("clCreateKernel", error);
}

static int run(const struct trial *t) {
  size_t items = ITEMS, block = BLOCK;
  cl_int error = p_clEnqueueNDRangeKernel(t->queue, t->kernel, 1, NULL, &items, &block, 0, NULL, NULL);
  if (error == CL_SUCCESS)
    error = p_clFinish(t->queue);
  return error == CL_SUCCESS ? 0 : refused("the kernel's launch", error);
}

static int judge(const int *results) {
  int right = 0;
  for (int i = 0; i < ITEMS; i++)
    right += results[i] == 1;
  if (right != ITEMS)
    printf("%d of %d work-items compute something else\n", ITEMS - right, ITEMS);
  return right != ITEMS;
}

/* The results are in memory of the C library: the CPU device's buffers are. */
static int run_on_system_memory(const struct trial *t) {
  int *results = calloc(ITEMS, sizeof *results);
  cl_int error = p_clSetKernelArgSVMPointer(t->kernel, 0, results);
  if (error != CL_SUCCESS)
    return refused("clSetKernelArgSVMPointer", error);
  return run(t) || judge(results);
}

static int run_on_buffer(const struct trial *t) {
  int results[ITEMS] = {0};
  cl_int error;
  cl_mem buffer =
      p_clCreateBuffer(t->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof results, results, &error);
  if (error == CL_SUCCESS)
    error = p_clSetKernelArg(t->kernel, 0, sizeof(cl_mem), &buffer);
  if (error != CL_SUCCESS)
    return refused("the kernel's argument", error);
  if (run(t))
    return 1;
  error = p_clEnqueueReadBuffer(t->queue, buffer, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL);
  return error == CL_SUCCESS ? judge(results) : refused("clEnqueueReadBuffer", error);
}

/* A device may crash on memory that it does not share: it is asked first. */
static int shares_system_memory(cl_device_id device) {
  cl_device_svm_capabilities svm = 0;
  p_clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
  return (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
}

int cs_cli_engine_try(const char *which) {
  enum { SECONDS = 60 };
  unsigned number = 0, what = 0;
  if (sscanf(which, "%u:%u", &number, &what) != 2 || number >= find_devices() || what >= REQUIREMENTS)
    return puts("no such device"), 1;
  alarm(SECONDS); /* a kernel may never end */
  cl_int error;
  struct trial t = {.device = devices[number]};
  t.context = p_clCreateContext(NULL, 1, &t.device, NULL, NULL, &error);
  if (error == CL_SUCCESS)
    t.queue = p_clCreateCommandQueueWithProperties(t.context, t.device, NULL, &error);
  if (error != CL_SUCCESS)
    return refused("clCreateContext", error);
  if (what == MEMORY && !shares_system_memory(t.device))
    return puts("the device does not have CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"), 1;
  if (build(&t, what))
    return 1;
  if (what == SPIRV)
    return run(&t);
  if ((error = p_clSetKernelArg(t.kernel, 1, BLOCK * sizeof(int), NULL)) != CL_SUCCESS)
    return refused("clSetKernelArg", error);
  return what == MEMORY ? run_on_system_memory(&t) : run_on_buffer(&t);
}

/* ---- the report ---- */

static int child(const char *option, char *text, size_t room) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, "/proc/self/exe");
  cs_cli_argv_push(&command, "doctor");
  cs_cli_argv_push(&command, option);
  int status = cs_cli_capture(command.items, text, room);
  cs_cli_argv_free(&command);
  return status;
}

/* What an engine prints itself precedes our line, or follows it. */
static int try(unsigned device, unsigned what) {
  char option[64], text[4096] = "";
  snprintf(option, sizeof option, "--try-engine=%u:%u", device, what);
  int status = child(option, text, sizeof text);
  if (!status) {
    cs_report_print(stdout, "  %-27s ok\n", requirements[what].name);
    return 0;
  }
  const char *line = text;
  if (status >= 128)
    snprintf(text, sizeof text, "ended by signal %d%s", status - 128, status == 128 + 14 ? ", after 60 s" : "");
  for (const char *next; (next = strchr(line, '\n')) && next[1];)
    line = next + 1;
  cs_report_print(stdout, "  %-27s missing: %.*s\n", requirements[what].name, (int)strcspn(line, "\n"), line);
  return 1;
}

int cs_cli_engine_report(void) {
  char names[8192] = "";
  int usable = 0;
  unsigned number = 0;
  child("--list-engines", names, sizeof names);
  for (char *line = names, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
    int missing = 0;
    *end = 0;
    cs_report_print(stdout, "%s\n", line);
    for (unsigned what = 0; what < REQUIREMENTS; what++) {
      fflush(stdout);
      missing += try(number, what);
    }
    usable |= !missing;
  }
  if (!number)
    puts("OpenCL has no device");
  puts(usable ? "\nReady for --device=cpu." : "\nNo device has all that --device=cpu requires.");
  return !usable;
}
