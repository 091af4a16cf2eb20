/* mock.c: the driver for unit tests. */
#include "cpu/cudart/tests/mock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int device_count = MOCK_DEVICES, version = 13000;
static _Thread_local CUcontext current;
static char primaries[MOCK_DEVICES];
static _Thread_local struct mock_launch last_launch;
static _Thread_local CUstream last_stream;

/* Every call of driver.inc, by number. */
enum call {
#define CS_CUDART_DRIVER(name, version) CALL_##name,
#include "cpu/cudart/driver.inc"
#undef CS_CUDART_DRIVER
  CALL_COUNT
};
static const char *const names[] = {
#define CS_CUDART_DRIVER(name, version) "cu" #name,
#include "cpu/cudart/driver.inc"
#undef CS_CUDART_DRIVER
};
static unsigned counts[CALL_COUNT];
static CUresult results[CALL_COUNT];
static int hidden[CALL_COUNT];

static int number(const char *name) {
  for (int i = 0; i < CALL_COUNT; i++)
    if (!strcmp(names[i], name))
      return i;
  abort(); /* a test names a call that driver.inc does not have */
}

static CUresult note(enum call call) {
  pthread_mutex_lock(&lock);
  counts[call]++;
  pthread_mutex_unlock(&lock);
  return results[call];
}

void mock_reset(void) {
  memset(counts, 0, sizeof counts);
  memset(results, 0, sizeof results);
}
unsigned mock_calls(const char *name) {
  return counts[number(name)];
}
void mock_result(const char *name, CUresult result) {
  results[number(name)] = result;
}
void mock_hide(const char *name) {
  hidden[number(name)] = 1;
}
void mock_set_devices(int count) {
  device_count = count;
}
void mock_set_version(int value) {
  version = value;
}
const struct mock_launch *mock_last_launch(void) {
  return &last_launch;
}
CUstream mock_last_stream(void) {
  return last_stream;
}
const char *mock_function_name(CUfunction function) {
  return (const char *)function; /* see module_get_function */
}

/* Calls with results. The others only count: see generic_. */
static CUresult driver_version(int *value) {
  *value = version;
  return note(CALL_DriverGetVersion);
}
static CUresult device_get_count(int *count) {
  *count = device_count;
  return note(CALL_DeviceGetCount);
}
static CUresult device_get(CUdevice *device, int ordinal) {
  if (ordinal < 0 || ordinal >= device_count)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal + 10; /* a handle is not an ordinal */
  return note(CALL_DeviceGet);
}
static CUresult device_attribute(int *value, CUdevice_attribute which, CUdevice device) {
  (void)device;
  *value = which == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK                                           ? 1024
           : which >= CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X && which <= CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z ? 65535
           : which == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z ? 64
                                                          : (int)which + 1000;
  return note(CALL_DeviceGetAttribute);
}
static CUresult retain(CUcontext *context, CUdevice device) {
  *context = (CUcontext)&primaries[device - 10];
  return note(CALL_DevicePrimaryCtxRetain);
}
static CUresult get_current(CUcontext *context) {
  *context = current;
  return note(CALL_CtxGetCurrent);
}
static CUresult set_current(CUcontext context) {
  current = context;
  return note(CALL_CtxSetCurrent);
}
static CUresult context_device(CUdevice *device) {
  *device = 10 + (int)((char *)current - primaries);
  return note(CALL_CtxGetDevice);
}
static CUresult context_id(CUcontext context, unsigned long long *id) {
  *id = 1 + (unsigned long long)((char *)context - primaries);
  return note(CALL_CtxGetId);
}
static CUresult library_load(CUlibrary *library, const void *image, CUjit_option *jit, void **jit_values,
                             unsigned jit_count, CUlibraryOption *options, void **values, unsigned count) {
  (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
  CUresult result = note(CALL_LibraryLoadData);
  if (result == CUDA_SUCCESS)
    *library = (CUlibrary)image;
  return result;
}
static CUresult library_get_module(CUmodule *module, CUlibrary library) {
  *module = (CUmodule)library;
  return note(CALL_LibraryGetModule);
}
static CUresult library_get_kernel(CUkernel *kernel, CUlibrary library, const char *name) {
  (void)library;
  *kernel = (CUkernel)name;
  return strstr(name, "absent") ? CUDA_ERROR_NOT_FOUND : note(CALL_LibraryGetKernel);
}
static CUresult module_get_function(CUfunction *function, CUmodule module, const char *name) {
  (void)module;
  *function = (CUfunction)name;
  return strstr(name, "absent") ? CUDA_ERROR_NOT_FOUND : note(CALL_ModuleGetFunction);
}
static CUresult module_get_global(CUdeviceptr *address, size_t *size, CUmodule module, const char *name) {
  (void)module;
  *address = 0x1000;
  if (size)
    *size = 16;
  return strstr(name, "absent") ? CUDA_ERROR_NOT_FOUND : note(CALL_ModuleGetGlobal);
}
static CUresult alloc(CUdeviceptr *address, size_t size) {
  *address = 0x2000 + size;
  return note(CALL_MemAlloc);
}
static CUresult launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, CUstream stream, void **args, void **extra) {
  (void)extra;
  last_launch = (struct mock_launch){f, {gx, gy, gz}, {bx, by, bz}, shared, stream, args};
  return note(CALL_LaunchKernel);
}
static CUresult copy_async(CUdeviceptr to, const void *from, size_t size, CUstream stream) {
  (void)to, (void)from, (void)size;
  last_stream = stream;
  return note(CALL_MemcpyHtoDAsync);
}
static CUresult stream_synchronize(CUstream stream) {
  last_stream = stream;
  return note(CALL_StreamSynchronize);
}
static CUresult pointer_attributes(unsigned count, CUpointer_attribute *which, void **data, CUdeviceptr pointer) {
  for (unsigned i = 0; i < count; i++)
    if (which[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      *(unsigned *)data[i] = pointer == 0x2000 ? CU_MEMORYTYPE_DEVICE : 0;
  return note(CALL_PointerGetAttributes);
}
static CUresult add_callback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
  (void)flags;
  callback(stream, CUDA_ERROR_LAUNCH_FAILED, data);
  return note(CALL_StreamAddCallback);
}

/* A call that only counts ignores its arguments, so it need not declare them. */
#define CS_CUDART_DRIVER(name, version)                                                                                \
  static CUresult generic_##name(void) {                                                                               \
    return note(CALL_##name);                                                                                          \
  }
#include "cpu/cudart/driver.inc"
#undef CS_CUDART_DRIVER

CUresult cuGetProcAddress_v2(const char *name, void **function, int wanted, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status);

static const struct {
  enum call call;
  void *function;
} special[] = {
    {CALL_DriverGetVersion, (void *)driver_version},
    {CALL_DeviceGetCount, (void *)device_get_count},
    {CALL_DeviceGet, (void *)device_get},
    {CALL_DeviceGetAttribute, (void *)device_attribute},
    {CALL_DevicePrimaryCtxRetain, (void *)retain},
    {CALL_CtxGetCurrent, (void *)get_current},
    {CALL_CtxSetCurrent, (void *)set_current},
    {CALL_CtxGetDevice, (void *)context_device},
    {CALL_CtxGetId, (void *)context_id},
    {CALL_LibraryLoadData, (void *)library_load},
    {CALL_LibraryGetModule, (void *)library_get_module},
    {CALL_LibraryGetKernel, (void *)library_get_kernel},
    {CALL_ModuleGetFunction, (void *)module_get_function},
    {CALL_ModuleGetGlobal, (void *)module_get_global},
    {CALL_MemAlloc, (void *)alloc},
    {CALL_LaunchKernel, (void *)launch},
    {CALL_MemcpyHtoDAsync, (void *)copy_async},
    {CALL_StreamSynchronize, (void *)stream_synchronize},
    {CALL_PointerGetAttributes, (void *)pointer_attributes},
    {CALL_StreamAddCallback, (void *)add_callback},
    {CALL_GetProcAddress, (void *)cuGetProcAddress_v2},
};

static void *const generic[] = {
#define CS_CUDART_DRIVER(name, version) (void *)generic_##name,
#include "cpu/cudart/driver.inc"
#undef CS_CUDART_DRIVER
};

CUresult cuGetProcAddress_v2(const char *name, void **function, int wanted, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  (void)flags;
  int call = 0;
  while (call < CALL_COUNT && strcmp(names[call], name))
    call++;
  *function = NULL;
  if (status)
    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (call == CALL_COUNT || hidden[call] || wanted < 2000)
    return CUDA_ERROR_NOT_FOUND;
  *function = generic[call];
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    if (special[i].call == (enum call)call)
      *function = special[i].function;
  if (status)
    *status = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}
