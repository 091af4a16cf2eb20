/* fake_cuda.c: a libcuda.so.1 of a few calls, without a device: kernels are host functions, memory is mmap's. It calls
 * its own exported functions, has a newer edition of one call than CuSafe knows, and lacks calls that a driver may
 * lack. */
#include "host/tests/fake_cuda.h"
#include <cuda.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#undef cuGetProcAddress
#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

EXPORT int fake_parameters, fake_plain_allocs, fake_stream_syncs, fake_context_syncs, fake_newer_allocs, fake_failure,
    fake_capturing, fake_capture_broken, fake_busy;
static int context_object;
static CUcontext current;

EXPORT CUresult cuInit(unsigned flags) {
  (void)flags;
  current = (CUcontext)&context_object;
  return CUDA_SUCCESS;
}
#define EVENT_STATE (fake_busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS)
#include "host/tests/same_cuda.inc"

/* The primary context is the only one, and has one handle for good. */
static int retained = 1;
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  (void)device;
  retained++;
  *context = current;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  (void)device;
  *flags = 0;
  *active = retained > 0;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  (void)device;
  retained--;
  return CUDA_SUCCESS;
}
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}
EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  (void)device;
  return CUDA_SUCCESS;
}

/* While a stream captures, calls in the legacy stream break the capture; allocations only in a thread that did not
 * allow them. */
static CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  CUstreamCaptureMode before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}
static CUresult in_capture(int is_forbidden) {
  if (!fake_capturing || !is_forbidden)
    return CUDA_SUCCESS;
  fake_capture_broken = 1;
  return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}
static CUresult in_legacy_stream(void) {
  return in_capture(1);
}
static CUresult allocating(void) {
  return in_capture(capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED);
}

/* Streams and events. A stream is its flags. */
static unsigned flags_of(CUstream stream) {
  return stream ? *(const unsigned *)(const void *)stream : CU_STREAM_DEFAULT;
}
EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  unsigned *made = malloc(sizeof *made);
  *made = flags;
  *stream = (CUstream)(void *)made;
  return allocating();
}
EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  *flags = flags_of(stream);
  return CUDA_SUCCESS;
}
/* Of the stream's own work, which has ended always. */
EXPORT CUresult cuStreamQuery(CUstream stream) {
  (void)stream;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  (void)stream, (void)function, (void)data;
  return CUDA_SUCCESS;
}

/* Fills of streams that wait for the legacy stream while it is busy. */
enum { FILLS_MAX = 8 };
static struct fill {
  CUdeviceptr to;
  unsigned char value;
  size_t bytes;
} fills[FILLS_MAX];
static int fill_count;

static void run_fills(void) {
  for (int i = 0; i < fill_count; i++)
    memset((void *)fills[i].to, fills[i].value, fills[i].bytes);
  fill_count = 0;
}
EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  fake_stream_syncs++;
  if (!fake_busy || !(flags_of(stream) & CU_STREAM_NON_BLOCKING))
    run_fills();
  return (CUresult)fake_failure;
}
EXPORT CUresult cuCtxSynchronize(void) {
  fake_context_syncs++;
  return cuStreamSynchronize(NULL); /* through the exported symbol, as some drivers do */
}
/* Virtual memory: a handle is a memory file. */
EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr hint,
                                    unsigned long long flags) {
  (void)alignment, (void)flags;
  void *p = mmap((void *)hint, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = (CUdeviceptr)p;
  return p == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  munmap((void *)address, bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                              CUmemAllocationGranularity_flags option) {
  (void)properties, (void)option;
  *granularity = 2 << 20;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                            unsigned long long flags) {
  (void)properties, (void)flags;
  int file = memfd_create("fake cuda", 0);
  if (file < 0 || ftruncate(file, (off_t)bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = (CUmemGenericAllocationHandle)file;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  close((int)handle);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                         unsigned long long flags) {
  (void)flags;
  void *p = mmap((void *)address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)handle, (off_t)offset);
  return p == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  void *p = mmap((void *)address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return p == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
/* FAKE_NO_HOST: the host cannot access memory of this kind. */
EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count) {
  for (size_t i = 0; i < count && getenv("FAKE_NO_HOST"); i++)
    if (list[i].location.type == CU_MEM_LOCATION_TYPE_HOST)
      return CUDA_ERROR_NOT_SUPPORTED;
  int write = list->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_WRITE : 0;
  return mprotect((void *)address, bytes, PROT_READ | write) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Ordinary memory: addresses are recorded, so that an invalid free is refused. */
enum { BLOCKS_MAX = 1024 };
static void *blocks[BLOCKS_MAX];

static CUresult add_block(void **address, size_t bytes) {
  for (int i = 0; i < BLOCKS_MAX; i++)
    if (!blocks[i]) {
      *address = blocks[i] = calloc(1, bytes);
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_OUT_OF_MEMORY;
}
static CUresult remove_block(void *address) {
  for (int i = 0; i < BLOCKS_MAX; i++)
    if (blocks[i] == address && address) {
      free(address);
      blocks[i] = NULL;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  fake_plain_allocs++;
  CUresult result = allocating();
  return result ? result : add_block((void **)address, bytes);
}
EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  return remove_block((void *)address);
}
EXPORT CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  (void)flags;
  CUresult result = allocating();
  return result ? result : add_block(address, bytes);
}
EXPORT CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  return flags == 1 || flags == 2 ? add_block((void **)address, bytes) : CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
  (void)flags;
  return address && bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuMemHostUnregister(void *address) {
  return address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *address) {
  (void)flags, (void)address;
  return CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  memcpy(handle->reserved, &address, sizeof address);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemFreeHost(void *address) {
  return remove_block(address);
}
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  (void)stream;
  return cuMemAlloc_v2(address, bytes);
}
EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  (void)stream;
  return cuMemFree_v2(address);
}
EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
  (void)flags;
  *device = (CUdeviceptr)host;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  *base = address & ~(CUdeviceptr)0xfff; /* the mapping, not the buffer */
  *bytes = 2 << 20;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  (void)address;
  if (attribute != CU_POINTER_ATTRIBUTE_RANGE_SIZE)
    return CUDA_ERROR_INVALID_VALUE;
  *(size_t *)data = 2 << 20;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  memcpy((void *)to, from, bytes);
  return in_legacy_stream();
}
EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  memcpy(to, (void *)from, bytes);
  return in_legacy_stream();
}
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  (void)stream;
  memcpy(to, (void *)from, bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUmemcpyAttributes *how,
                                            CUstream stream) {
  (void)to, (void)from, (void)bytes, (void)how, (void)stream;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags, CUstream stream) {
  (void)copy, (void)flags, (void)stream;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  (void)stream;
  memcpy((void *)to, from, bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes) {
  memset((void *)to, value, bytes);
  return in_legacy_stream();
}
EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) {
  const char *from = c->srcMemoryType == CU_MEMORYTYPE_HOST ? c->srcHost : (const char *)c->srcDevice;
  char *to = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (char *)c->dstDevice;
  for (size_t y = 0; y < c->Height; y++)
    memcpy(to + (c->dstY + y) * c->dstPitch + c->dstXInBytes, from + (c->srcY + y) * c->srcPitch + c->srcXInBytes,
           c->WidthInBytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  if (fake_busy && !(flags_of(stream) & CU_STREAM_NON_BLOCKING) && fill_count < FILLS_MAX)
    fills[fill_count++] = (struct fill){to, value, bytes};
  else
    memset((void *)to, value, bytes);
  return CUDA_SUCCESS;
}

/* The driver has a handle for every mapping, and no advice on memory that it did not allocate as managed. */
EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  *handle = (CUmemGenericAllocationHandle)address;
  return CUDA_SUCCESS;
}
static char default_pool;
static CUmemoryPool current_pool = (CUmemoryPool)&default_pool;
EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  (void)device;
  *pool = (CUmemoryPool)&default_pool;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  (void)properties;
  *pool = malloc(1);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  (void)device;
  current_pool = pool;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  (void)device;
  *pool = current_pool;
  return CUDA_SUCCESS;
}
static CUresult only_own_blocks(const CUdeviceptr *addresses, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int known = 0;
    for (int b = 0; b < BLOCKS_MAX; b++)
      known |= blocks[b] == (void *)addresses[i];
    if (!known)
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *bytes, size_t count, CUmemLocation *locations,
                                        size_t *indices, size_t location_count, unsigned long long flags,
                                        CUstream stream) {
  (void)bytes, (void)locations, (void)indices, (void)location_count, (void)flags, (void)stream;
  return only_own_blocks(addresses, count);
}
EXPORT CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *bytes, size_t count, unsigned long long flags,
                                       CUstream stream) {
  (void)bytes, (void)flags, (void)stream;
  return only_own_blocks(addresses, count);
}
EXPORT CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                                       size_t bytes) {
  (void)data, (void)size, (void)attribute, (void)bytes;
  return only_own_blocks(&address, 1);
}
EXPORT CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  (void)stream, (void)address, (void)value, (void)flags;
  return CUDA_SUCCESS;
}

/* Modules. */
EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  *module = (CUmodule)image;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuModuleUnload(CUmodule module) {
  (void)module;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  const struct fake_image *image = (const void *)module;
  for (int i = 0; i < 4 && image->globals[i].name; i++)
    if (strcmp(image->globals[i].name, name) == 0) {
      *address = (CUdeviceptr)image->globals[i].address;
      *bytes = image->globals[i].bytes;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}
EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  const struct fake_image *image = (const void *)module;
  fake_parameters = image->parameters;
  *function = (CUfunction)(image->other && strstr(name, "other") ? image->other : image->kernel);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  (void)function;
  *offset = 8 * index;
  *size = 8;
  return index < (size_t)fake_parameters ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit, void **jit_values,
                                  unsigned jit_count, CUlibraryOption *options, void **values, unsigned count) {
  (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
  *library = (CUlibrary)code;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
  if (!current)
    return CUDA_ERROR_INVALID_CONTEXT;
  return cuModuleGetGlobal_v2(address, bytes, (CUmodule)library, name);
}
EXPORT CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  static struct fake_image instance; /* a handle that differs from the library's */
  instance = *(const struct fake_image *)(const void *)library;
  *module = (CUmodule)(void *)&instance;
  return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
EXPORT CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  (void)library;
  *count = 1;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library) {
  const struct fake_image *image = (const void *)library;
  if (count)
    kernels[0] = (CUkernel)image->kernel;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  (void)kernel;
  *name = "_Z13reads_too_farPi";
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}
EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra) {
  (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
  ((void (*)(void **))(void *)function)(parameters);
  return CUDA_SUCCESS;
}

/* The launches of CUDA 3: their arguments are those that the test has set. */
EXPORT void **fake_arguments;
static CUresult launch_with_fake_arguments(CUfunction function) {
  ((void (*)(void **))(void *)function)(fake_arguments);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLaunch(CUfunction function) {
  return launch_with_fake_arguments(function);
}
EXPORT CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  (void)width, (void)height;
  return launch_with_fake_arguments(function);
}
EXPORT CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  (void)width, (void)height, (void)stream;
  return launch_with_fake_arguments(function);
}

/* cuGetProcAddress. A future edition of cuMemAlloc has one more parameter; the first one took 32-bit addresses. */
static CUresult alloc_v1(unsigned *address, unsigned bytes) {
  (void)bytes;
  *address = 1;
  return CUDA_SUCCESS;
}
static CUresult alloc_newer(CUdeviceptr *address, size_t bytes, int more) {
  (void)bytes, (void)more;
  fake_newer_allocs++;
  *address = 2;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *status);
EXPORT CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) {
  CUdriverProcAddressQueryResult status;
  return cuGetProcAddress_v2(name, function, version, flags, &status);
}
EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *status) {
  (void)flags;
  const struct {
    const char *name;
    int version;
    void *function;
  } table[] = {
      {"cuMemAlloc", 2000, (void *)alloc_v1},
      {"cuMemAlloc", 3020, (void *)cuMemAlloc_v2},
      {"cuMemAlloc", 14000, (void *)alloc_newer},
      {"cuMemcpyWithAttributesAsync", 13020, (void *)cuMemcpyWithAttributesAsync},
      {"cuMemcpy3DWithAttributesAsync", 13020, (void *)cuMemcpy3DWithAttributesAsync},
      {"cuMemFree", 3020, (void *)cuMemFree_v2},
      {"cuMemFreeHost", 2000, (void *)cuMemFreeHost},
      {"cuCtxSynchronize", 2000, (void *)cuCtxSynchronize},
      {"cuInit", 2000, (void *)cuInit},
      {"cuDeviceGetCount", 2000, (void *)cuDeviceGetCount},
      {"cuGetProcAddress", 11030, (void *)cuGetProcAddress},
      {"cuGetProcAddress", 12000, (void *)cuGetProcAddress_v2},
  };
  *function = NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0 && table[i].version <= version)
      *function = table[i].function;
  if (status)
    *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
