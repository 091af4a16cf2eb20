/* threads_cuda.c: a libcuda.so.1 for tests of libcusafe's threads: every call may be made by any thread, kernels run on
 * the host in the thread that launches them, and there is no memory at tagged addresses, where ThreadSanitizer has its
 * shadow. */
#include "cusafe/abi.h"
#include "cusafe/divided.h"
#include <cuda.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* A loaded module. Its one kernel makes as many errors as its parameter says, all at its one site. */
struct module {
  struct {
    struct cs_module header;
    struct cs_site site;
    struct cs_frame frame;
    char strings[32];
  } table;
  cs_fault_counts counts[1];
  struct cs_state state;
};

static int context_object;
static _Thread_local CUcontext current;

EXPORT CUresult cuInit(unsigned flags) {
  (void)flags;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  (void)device;
  *context = (CUcontext)&context_object;
  return CUDA_SUCCESS;
}
#define EVENT_STATE CUDA_SUCCESS
#include "host/tests/same_cuda.inc"

/* Streams and events: all work is done when its call returns. */
EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  (void)flags;
  *stream = malloc(1);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  free(stream);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  (void)stream;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxSynchronize(void) {
  return CUDA_SUCCESS;
}
/* Virtual memory without memory. */
EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr hint,
                                    unsigned long long flags) {
  (void)bytes, (void)alignment, (void)flags;
  *address = hint;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  (void)address, (void)bytes;
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
  static unsigned long long last;
  (void)bytes, (void)properties, (void)flags;
  *handle = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  (void)handle;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                         unsigned long long flags) {
  (void)address, (void)bytes, (void)offset, (void)handle, (void)flags;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  (void)address, (void)bytes;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count) {
  (void)address, (void)bytes, (void)list, (void)count;
  return CUDA_SUCCESS;
}

/* Ordinary memory. */
EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  *address = (CUdeviceptr)calloc(1, bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  free((void *)address);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  (void)flags;
  *address = calloc(1, bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemFreeHost(void *address) {
  free(address);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
  (void)flags;
  *device = (CUdeviceptr)host;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  (void)stream;
  return cuMemAlloc_v2(address, bytes);
}
EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  (void)stream;
  return cuMemFree_v2(address);
}

/* Only ordinary memory is copied. Kernels of other threads may be counting errors in it, as on a device. */
static int is_memory(CUdeviceptr address) {
  int is_table = address >= CS_TABLE_BASE && address < CS_TABLE_BASE + CS_TABLE_BYTES;
  int is_shadow = address >= CS_SHADOW_BASE && address < cs_shadow_word(~0ull >> 17);
  return !cs_is_tagged(address) && !is_table && !is_shadow;
}
EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  (void)stream;
  if (is_memory(to))
    memcpy((void *)to, from, bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  (void)stream;
  for (size_t i = 0; is_memory(from) && i < bytes; i += sizeof(cs_u32))
    ((cs_u32 *)to)[i / sizeof(cs_u32)] = __atomic_load_n((const cs_u32 *)(from + i), __ATOMIC_RELAXED);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, NULL);
}
EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  (void)stream;
  if (is_memory(to))
    memset((void *)to, value, bytes);
  return CUDA_SUCCESS;
}

/* Modules. */
static struct module *load(void) {
  struct module *m = calloc(1, sizeof *m);
  m->table.header = (struct cs_module){.magic = CS_ABI_MAGIC,
                                       .abi_version = CS_ABI_VERSION,
                                       .placement = CS_PLACEMENT_TABLE,
                                       .total_bytes = sizeof m->table,
                                       .site_count = 1,
                                       .site_offset = (cs_u32)offsetof(__typeof__(m->table), site),
                                       .frame_count = 1,
                                       .frame_offset = (cs_u32)offsetof(__typeof__(m->table), frame),
                                       .string_bytes = sizeof m->table.strings,
                                       .string_offset = (cs_u32)offsetof(__typeof__(m->table), strings)};
  memcpy(m->table.strings, "\0kernel.cu\0fails", 17);
  m->table.frame = (struct cs_frame){1, 11, 42, 7, CS_NONE, 0};
  m->table.site = (struct cs_site){.access = CS_ACCESS_READ, .size = 4};
  return m;
}
EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  (void)image;
  *module = (CUmodule)load();
  return CUDA_SUCCESS;
}
EXPORT CUresult cuModuleUnload(CUmodule module) {
  free(module);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  struct module *m = (struct module *)module;
  struct {
    const char *name;
    void *address;
    size_t bytes;
  } globals[] = {{CS_SYM_MODULE, &m->table, sizeof m->table},
                 {CS_SYM_COUNTS, m->counts, sizeof m->counts},
                 {CS_SYM_STATE, &m->state, sizeof m->state}};
  for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
    if (strcmp(globals[i].name, name) == 0) {
      *address = (CUdeviceptr)globals[i].address;
      *bytes = globals[i].bytes;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}
EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  (void)name;
  *function = (CUfunction)module;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit, void **jit_values,
                                  unsigned jit_count, CUlibraryOption *options, void **values, unsigned count) {
  (void)code, (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
  *library = (CUlibrary)load();
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  free(library);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
  return cuModuleGetGlobal_v2(address, bytes, (CUmodule)library, name);
}
EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

/* What device/error.c does. A module that is not connected loses the error. */
static void fail(struct module *m) {
  struct cs_ring *ring = (struct cs_ring *)m->state.ring;
  if (!ring)
    return;
  int first = __atomic_fetch_add(&m->counts[0][CS_FAULT_WILD], 1, __ATOMIC_SEQ_CST) == 0;
  __atomic_fetch_add(&ring->errors, 1, __ATOMIC_SEQ_CST);
  cs_u32 index = first ? __atomic_fetch_add(&ring->head, 1, __ATOMIC_SEQ_CST) : ring->capacity;
  if (index < ring->capacity) {
    struct cs_record *record = (struct cs_record *)(ring + 1) + index;
    record->address = record->root = 0x1234567890;
    record->size = 4;
    record->module = m->state.module;
    record->fault = CS_FAULT_WILD;
    __atomic_store_n(&record->ready, 1, __ATOMIC_RELEASE);
  }
  __atomic_fetch_add((cs_u64 *)ring->bell, 1, __ATOMIC_SEQ_CST);
}
EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra) {
  (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
  for (cs_u64 i = 0; i < *(const cs_u64 *)parameters[0]; i++)
    fail((struct module *)function);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  (void)stream;
  fail((struct module *)graph);
  return CUDA_SUCCESS;
}
