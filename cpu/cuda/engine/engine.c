/* engine.c: finds an OpenCL device that can replace a GPU, compiles SPIR-V on it and runs kernels. */
#define CL_TARGET_OPENCL_VERSION 300
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/threads.h"
#include "cpu/cuda/engine/crash.h"
#include "cpu/cuda/engine/progress.h"
#include "cpu/cuda/engine/signals.h"
#include "cusafe/image.h"
#include "jit/cache.h"
#include "report/print.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Our handles are OpenCL's, under types that keep OpenCL out of the other files. */
#define PROGRAM(p) ((cl_program)(p))
#define ENTRY(p) ((cl_kernel)(p))
#define QUEUE(p) ((cl_command_queue)(p))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CUresult started = CUDA_ERROR_NO_DEVICE;
static cl_device_id device;
static cl_context context;
static cl_command_queue globals_queue;
static struct cs_cpu_engine_info info;

/* How modules can be built. A binary is valid for one engine: device, version, driver version, build options and
 * the engine's variables. */
enum { OPTIMIZED, UNOPTIMIZED, FOR_DEBUGGERS, FOR_DEBUGGERS_WITH_WARPS, BUILD_COUNT };
static const char *const build_options[BUILD_COUNT] = {"", "-cl-opt-disable", "-g -cl-opt-disable", "-g"};
static char identity[BUILD_COUNT][512];

static cl_ulong device_ulong(cl_device_id id, cl_device_info what) {
  cl_ulong value = 0;
  return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static cl_uint device_uint(cl_device_id id, cl_device_info what) {
  cl_uint value = 0;
  return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static int device_text_has(cl_device_id id, cl_device_info what, const char *part) {
  size_t size = 0;
  if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS || size == 0)
    return 0;
  char *text = malloc(size + 1);
  int found = 0;
  if (text && clGetDeviceInfo(id, what, size, text, NULL) == CL_SUCCESS) {
    text[size] = '\0';
    found = strstr(text, part) != NULL;
  }
  free(text);
  return found;
}

/* Several vendors share this extension under one number. */
#define DEVICE_SUB_GROUP_SIZES 0x4108
static int has_sub_groups_of_32(cl_device_id id) {
  size_t sizes[16], bytes = 0;
  if (clGetDeviceInfo(id, DEVICE_SUB_GROUP_SIZES, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
    return 0;
  for (size_t i = 0; i < bytes / sizeof *sizes; i++)
    if (sizes[i] == 32)
      return 1;
  return 0;
}

/* 0: unusable. Otherwise larger is better. */
static int score(cl_device_id id) {
  cl_bool available = CL_FALSE;
  clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
  cl_device_svm_capabilities svm = 0;
  clGetDeviceInfo(id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
  cl_bool generic = CL_FALSE;
  clGetDeviceInfo(id, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof generic, &generic, NULL);
  if (!available || !(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) || !generic)
    return 0;
  if (!device_text_has(id, CL_DEVICE_IL_VERSION, "SPIR-V"))
    return 0;
  return 1 + has_sub_groups_of_32(id);
}

static cl_device_id best_of(cl_platform_id platform, int *best) {
  cl_device_id ids[16], chosen = NULL;
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, ids, &count) != CL_SUCCESS)
    return NULL;
  for (cl_uint i = 0; i < count && i < 16; i++) {
    int value = score(ids[i]);
    if (value > *best) {
      *best = value;
      chosen = ids[i];
    }
  }
  return chosen;
}

static cl_device_id choose(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  cl_device_id chosen = NULL;
  int best = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
    return NULL;
  for (cl_uint i = 0; i < count && i < 16; i++) {
    cl_device_id found = best_of(platforms[i], &best);
    chosen = found ? found : chosen;
  }
  return chosen;
}

static void describe(void) {
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof info.name - 1, info.name, NULL);
  info.compute_units = device_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.clock_mhz = device_uint(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  info.local_bytes = device_ulong(device, CL_DEVICE_LOCAL_MEM_SIZE);
  info.global_bytes = device_ulong(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof info.max_group, &info.max_group, NULL);
  info.sub_groups_of_32 = has_sub_groups_of_32(device);
  char version[128] = "", driver[128] = "";
  clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
  clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL);
  for (int how = 0; how < BUILD_COUNT; how++)
    snprintf(identity[how], sizeof identity[how], "%s|%s|%s|%s|%016llx", info.name, version, driver, build_options[how],
             (unsigned long long)cs_cpu_options_engine_settings());
}

/* A kernel that waits for the host may occupy all threads of the engine: where the engine can, the calling thread runs
 * the kernels of this queue itself. */
static cl_command_queue create_globals_queue(cl_int *error) {
  cl_queue_properties by_caller[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL, 0};
  int can = device_text_has(device, CL_DEVICE_EXTENSIONS, "cl_intel_exec_by_local_thread");
  return clCreateCommandQueueWithProperties(context, device, can ? by_caller : NULL, error);
}

/* A function of the engine's library: objects of OpenCL begin with the address of a table of them (cl_khr_icd). */
static const void *engine_function(void) {
  return device ? **(const void *const *const *)device : NULL;
}

static void start(void) {
  static struct cs_cpu_signals signals;
  cs_cpu_options_choose_engine();
  char name[CS_CPU_THREAD_NAME_BYTES];
  cs_cpu_thread_enter_engine(name);
  cs_cpu_signals_save(&signals);
  device = choose();
  cl_int error = CL_DEVICE_NOT_FOUND;
  if (device)
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  if (error == CL_SUCCESS)
    globals_queue = create_globals_queue(&error);
  cs_cpu_signals_restore(&signals, engine_function());
  cs_cpu_thread_leave_engine(name);
  if (error != CL_SUCCESS) {
    cs_report_print(stderr,
                    "cusafe: no OpenCL engine with SPIR-V and system shared memory was found; run 'cusafe doctor'\n");
    return;
  }
  describe();
  started = CUDA_SUCCESS;
}

CUresult cs_cpu_engine_start(void) {
  pthread_once(&once, start);
  return started;
}

const struct cs_cpu_engine_info *cs_cpu_engine_info(void) {
  return &info;
}

struct cs_cpu_queue *cs_cpu_engine_queue(void) {
  cl_int error;
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  return error == CL_SUCCESS ? (struct cs_cpu_queue *)queue : NULL;
}

static CUresult translate(cl_int error) {
  switch (error) {
  case CL_SUCCESS:
    return CUDA_SUCCESS;
  case CL_OUT_OF_HOST_MEMORY:
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    return CUDA_ERROR_OUT_OF_MEMORY;
  case CL_OUT_OF_RESOURCES:
  case CL_INVALID_WORK_GROUP_SIZE:
  case CL_INVALID_WORK_ITEM_SIZE:
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  case CL_INVALID_KERNEL_NAME:
    return CUDA_ERROR_NOT_FOUND;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

static void print_build_log(cl_program program, cl_int error) {
  size_t size = 0;
  cs_report_print(stderr, "cusafe: the engine could not compile a device module (OpenCL error %d)\n", error);
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS || size <= 1)
    return;
  char *log = calloc(1, size + 1);
  if (log && clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL) == CL_SUCCESS)
    cs_report_print_lines(stderr, log), fputs("\n", stderr);
  free(log);
}

/* The engine's optimiser vectorises warps; without it, their lanes do not see each other. */
static int has_warps(const uint32_t *spirv, size_t bytes) {
  enum { HEADER = 5, OP_CAPABILITY = 2 << 16 | 17, SUBGROUP_DISPATCH = 58 };
  for (size_t i = HEADER; i + 1 < bytes / sizeof *spirv && spirv[i] == OP_CAPABILITY; i += 2)
    if (spirv[i + 1] == SUBGROUP_DISPATCH)
      return 1;
  return 0;
}

static int has_several_kernels(const uint32_t *spirv, size_t bytes) {
  enum { HEADER = 5, OP_ENTRY_POINT = 15, OP_FUNCTION = 54 };
  int count = 0;
  for (size_t i = HEADER; i < bytes / sizeof *spirv; i += spirv[i] >> 16) {
    uint32_t code = spirv[i] & 0xffff;
    count += code == OP_ENTRY_POINT;
    if (code == OP_FUNCTION || spirv[i] >> 16 == 0)
      break;
  }
  return count > 1;
}

static int how_to_build(const void *spirv, size_t bytes, int for_debuggers) {
  int warps = has_warps(spirv, bytes);
  if (for_debuggers)
    return warps ? FOR_DEBUGGERS_WITH_WARPS : FOR_DEBUGGERS;
  return warps || cs_cpu_options()->optimize ? OPTIMIZED : UNOPTIMIZED;
}

static cl_int build(cl_program program, int how) {
  char name[CS_CPU_THREAD_NAME_BYTES];
  cs_cpu_thread_enter_engine(name);
  cl_int error = clBuildProgram(program, 1, &device, build_options[how], NULL, NULL);
  cs_cpu_thread_leave_engine(name);
  return error;
}

/* The program from the cache; NULL if it is not there or the engine rejects it. */
static cl_program from_cache(const void *spirv, size_t bytes, int how) {
  size_t binary_bytes = 0;
  cl_int error, status;
  unsigned char *binary = cs_jit_cache_find(identity[how], spirv, bytes, &binary_bytes);
  if (!binary)
    return NULL;
  const unsigned char *binaries[] = {binary};
  cl_program program = clCreateProgramWithBinary(context, 1, &device, &binary_bytes, binaries, &status, &error);
  free(binary);
  if (error != CL_SUCCESS)
    return NULL;
  if (build(program, how) == CL_SUCCESS)
    return program;
  clReleaseProgram(program);
  return NULL;
}

static void to_cache(cl_program program, const void *spirv, size_t bytes, int how) {
  size_t binary_bytes = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binary_bytes, &binary_bytes, NULL) != CL_SUCCESS ||
      binary_bytes == 0)
    return;
  unsigned char *binary = malloc(binary_bytes), *binaries[] = {binary};
  if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL) == CL_SUCCESS)
    cs_jit_cache_keep(identity[how], spirv, bytes, binary, binary_bytes);
  free(binary);
}

static CUresult compile(const void *spirv, size_t bytes, int how, const char *kernel, cl_program *out) {
  cl_int error;
  cl_program program = clCreateProgramWithIL(context, spirv, bytes, &error);
  if (error != CL_SUCCESS)
    return error == CL_OUT_OF_HOST_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
  struct cs_cpu_progress progress;
  char text[CS_CPU_PROGRESS_TEXT];
  cs_cpu_progress_text(kernel, text, sizeof text);
  cs_cpu_progress_begin(&progress, text);
  cs_cpu_crash_begin(kernel, has_several_kernels(spirv, bytes));
  error = build(program, how);
  cs_cpu_crash_end();
  cs_cpu_progress_end(&progress);
  if (error != CL_SUCCESS) {
    print_build_log(program, error);
    clReleaseProgram(program);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  to_cache(program, spirv, bytes, how);
  *out = program;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_engine_build(const void *spirv, size_t bytes, int for_debuggers, const char *kernel,
                             struct cs_cpu_program **out) {
  int how = how_to_build(spirv, bytes, for_debuggers);
  cl_program program = from_cache(spirv, bytes, how);
  CUresult result = program ? CUDA_SUCCESS : compile(spirv, bytes, how, kernel, &program);
  if (result == CUDA_SUCCESS)
    *out = (struct cs_cpu_program *)program;
  return result;
}

void cs_cpu_engine_release_program(struct cs_cpu_program *program) {
  if (program)
    clReleaseProgram(PROGRAM(program));
}

CUresult cs_cpu_engine_entry(struct cs_cpu_program *program, const char *name, struct cs_cpu_entry **entry) {
  cl_int error;
  cl_kernel kernel = clCreateKernel(PROGRAM(program), name, &error);
  if (error != CL_SUCCESS)
    return translate(error);
  cl_bool system = CL_TRUE;
  error = clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof system, &system);
  if (error != CL_SUCCESS) {
    clReleaseKernel(kernel);
    return translate(error);
  }
  *entry = (struct cs_cpu_entry *)kernel;
  return CUDA_SUCCESS;
}

void cs_cpu_engine_release_entry(struct cs_cpu_entry *entry) {
  if (entry)
    clReleaseKernel(ENTRY(entry));
}

size_t cs_cpu_engine_entry_threads(struct cs_cpu_entry *entry) {
  size_t threads = 0;
  cl_int error =
      clGetKernelWorkGroupInfo(ENTRY(entry), device, CL_KERNEL_WORK_GROUP_SIZE, sizeof threads, &threads, NULL);
  return error == CL_SUCCESS && threads ? threads : info.max_group;
}

static cl_int run_range(cl_command_queue queue, cl_kernel kernel, size_t groups, const size_t threads[3]) {
  size_t global[3] = {groups * threads[0], threads[1], threads[2]};
  cl_uint dimensions = threads[2] > 1 ? 3 : threads[1] > 1 ? 2 : 1;
  cl_int error = clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, threads, 0, NULL, NULL);
  if (error == CL_SUCCESS)
    error = clFinish(queue);
  if (error != CL_SUCCESS)
    cs_report_print(stderr, "cusafe: the engine refused a launch of %zu blocks of %zu threads (OpenCL error %d)\n",
                    groups, threads[0] * threads[1] * threads[2], error);
  return error;
}

CUresult cs_cpu_engine_run(struct cs_cpu_queue *queue, struct cs_cpu_entry *entry, void *block, size_t dynamic_shared,
                           size_t groups, const size_t threads[3]) {
  cl_int error = clSetKernelArgSVMPointer(ENTRY(entry), 0, block);
  if (error == CL_SUCCESS)
    error = clSetKernelArg(ENTRY(entry), 1, dynamic_shared ? dynamic_shared : 1, NULL);
  if (error == CL_SUCCESS)
    error = run_range(QUEUE(queue), ENTRY(entry), groups, threads);
  return translate(error);
}

CUresult cs_cpu_engine_globals(struct cs_cpu_program *program, uint64_t *out) {
  struct cs_cpu_entry *entry;
  CUresult result = cs_cpu_engine_entry(program, CS_KERNEL_GLOBALS, &entry);
  if (result != CUDA_SUCCESS)
    return result;
  char name[CS_CPU_THREAD_NAME_BYTES];
  cs_cpu_thread_enter_engine(name);
  cl_int error = clSetKernelArgSVMPointer(ENTRY(entry), 0, out);
  if (error == CL_SUCCESS)
    error = run_range(globals_queue, ENTRY(entry), 1, (const size_t[3]){1, 1, 1});
  cs_cpu_thread_leave_engine(name);
  cs_cpu_engine_release_entry(entry);
  return translate(error);
}
