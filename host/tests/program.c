/* program.c: a CUDA program on the fake driver, in as many ways as programs come; test_interpose.c runs it under CuSafe. */
#include "cusafe/abi.h"
#include "host/tests/fake_cuda.h"
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "program: line %d: %s\n", __LINE__, #condition);                                                 \
      exit(3);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* A checked module: two sites, in one kernel that reads past the end of the buffer it is given. */
static struct {
  struct cs_module header;
  struct cs_site sites[2];
  struct cs_frame frames[1];
  char strings[64];
} table;
static cs_u32 counts[2];
static struct cs_state state;

static cs_u32 add_string(cs_u32 *used, const char *text) {
  cs_u32 at = *used;
  strcpy(table.strings + at, text);
  *used += (cs_u32)strlen(text) + 1;
  return at;
}

static void make_table(cs_u32 placement) {
  cs_u32 used = 1;
  table.header = (struct cs_module){.magic = CS_ABI_MAGIC,
                                    .abi_version = CS_ABI_VERSION,
                                    .placement = placement,
                                    .total_bytes = sizeof table,
                                    .site_count = 2,
                                    .site_offset = (cs_u32)offsetof(__typeof__(table), sites),
                                    .frame_count = 1,
                                    .frame_offset = (cs_u32)offsetof(__typeof__(table), frames),
                                    .string_bytes = sizeof table.strings,
                                    .string_offset = (cs_u32)offsetof(__typeof__(table), strings)};
  table.frames[0] =
      (struct cs_frame){add_string(&used, "kernel.cu"), add_string(&used, "reads_too_far"), 42, 7, CS_NONE};
  table.sites[0] = table.sites[1] = (struct cs_site){0, CS_ACCESS_READ, 4, 0};
}

/* The check that the pass would have put in front of a 4-byte read at root + offset. */
static void checked_read(cs_u64 root, cs_u64 offset, cs_u32 site) {
  cs_u32 placement = table.header.placement;
  cs_u64 word = *(const cs_u64 *)cs_meta_address(root, placement);
  cs_u64 start = cs_buffer_start(root, placement), size = cs_meta_size(root, word);
  if (!cs_is_tagged(root) || root + offset - start + 4 <= size)
    return;
  struct cs_ring *ring = (struct cs_ring *)state.ring;
  ring->errors++;
  if (counts[site]++)
    return;
  cs_u32 place = ring->head++;
  if (place < ring->capacity)
    ((struct cs_record *)(ring + 1))[place] = (struct cs_record){.address = root + offset,
                                                                 .root = root,
                                                                 .word = word,
                                                                 .size = 4,
                                                                 .site = site,
                                                                 .module = state.module,
                                                                 .thread = {5, 0, 0},
                                                                 .ready = 1};
}

static void kernel(void **parameters) {
  cs_u64 root = *(cs_u64 *)parameters[0], bytes = *(cs_u64 *)parameters[1];
  for (cs_u64 offset = 0; offset < bytes; offset += 4)
    checked_read(root, offset, 0);
}

static const struct fake_image image = {{{CS_SYM_MODULE, &table, sizeof table},
                                         {CS_SYM_COUNTS, counts, sizeof counts},
                                         {CS_SYM_STATE, &state, sizeof state}},
                                        kernel};

static CUfunction load(void) {
  CUmodule module;
  CUfunction function;
  make_table(getenv("PROGRAM_WINDOW") ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE);
  CHECK(!cuModuleLoadData(&module, &image));
  CHECK(!cuModuleGetFunction(&function, module, "_Z13reads_too_farPi"));
  return function;
}

static void launch(CUfunction function, CUdeviceptr p, cs_u64 bytes) {
  void *parameters[] = {&p, &bytes};
  CHECK(!cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
}

static CUdeviceptr alloc(size_t bytes) {
  CUdeviceptr p;
  CHECK(!cuMemAlloc(&p, bytes));
  CHECK(cs_is_tagged(p));
  return p;
}

static void clean(void) {
  CUfunction f = load();
  for (int i = 0; i < 1000; i++) {
    CUdeviceptr p = alloc(100);
    launch(f, p, 100);
    CHECK(!cuMemFree(p));
  }
  CHECK(fake_plain_allocs == 1); /* the sink */
}

static void past_the_end(void) {
  CUfunction f = load();
  launch(f, alloc(100), 120);
  CHECK(!cuCtxSynchronize());
  puts("went on");
}

static void at_exit_only(void) {
  launch(load(), alloc(100), 120);
}

static void after_free(void) {
  CUfunction f = load();
  CUdeviceptr p = alloc(100);
  CHECK(!cuMemFree(p));
  launch(f, p, 4);
  CHECK(!cuStreamSynchronize(NULL));
}

static void after_async_free(void) {
  CUfunction f = load();
  CUdeviceptr p, q;
  CHECK(!cuMemAllocAsync(&p, 100, NULL) && cs_is_tagged(p));
  launch(f, p, 100);
  CHECK(!cuMemFreeAsync(p, NULL));
  CHECK(!cuMemAllocAsync(&q, 100, NULL) && q != p);
  launch(f, q, 100);
  launch(f, p, 4);
  CHECK(!cuStreamSynchronize(NULL));
}

static CUkernel load_library(void) {
  CUlibrary l;
  CUkernel k;
  make_table(CS_PLACEMENT_TABLE);
  CHECK(!cuLibraryLoadData(&l, &image, NULL, NULL, 0, NULL, NULL, 0));
  CHECK(!cuLibraryGetKernel(&k, l, "_Z13reads_too_farPi"));
  return k;
}

static void library(void) {
  launch((CUfunction)load_library(), alloc(100), 120);
  CHECK(!cuCtxSynchronize());
}

static void library_before_context(void) {
  CUkernel k = load_library();
  CHECK(!cuInit(0));
  launch((CUfunction)k, alloc(100), 120);
  CHECK(!cuCtxSynchronize());
}

static void double_free(void) {
  CUdeviceptr p = alloc(100);
  CHECK(!cuMemFree(p));
  CHECK(cuMemFree(p) == CUDA_ERROR_INVALID_VALUE);
  puts("went on");
}

static void middle_free(void) {
  CHECK(cuMemFree(alloc(100) + 8) == CUDA_ERROR_INVALID_VALUE);
}

static void host_free(void) {
  int on_stack;
  CHECK(cuMemFree((CUdeviceptr)&on_stack) == CUDA_ERROR_INVALID_VALUE);
}

static void wrong_free(void) {
  CHECK(cuMemFreeHost((void *)alloc(100)) == CUDA_ERROR_INVALID_VALUE);
}

static void ranges(void) {
  CUdeviceptr p = alloc(1000), base;
  size_t bytes;
  CHECK(!cuMemGetAddressRange(&base, &bytes, p + 999) && base == p && bytes == 1000);
  CHECK(cuMemGetAddressRange(&base, &bytes, p + 1000) == CUDA_ERROR_NOT_FOUND);
  CHECK(!cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 1) && bytes == 1000);
  CHECK(!cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)&p) && bytes == 2 << 20);
}

static void reentrant(void) {
  CHECK(!cuCtxSynchronize());
  CHECK(fake_context_syncs == 1 && fake_stream_syncs == 1);
}

/* As the runtime does it: no driver symbol is linked. */
static void by_dlsym(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  CHECK(driver);
  PFN_cuMemAlloc_v3020 alloc_function = (PFN_cuMemAlloc_v3020)dlsym(driver, "cuMemAlloc_v2");
  CUdeviceptr p;
  CHECK(alloc_function && !alloc_function(&p, 10) && cs_is_tagged(p));
  CHECK(dlsym(driver, "cuNoSuchCall") == NULL && dlerror());
  CHECK(dlsym(driver, "cuDeviceGetCount"));
  CHECK(!dlsym(driver, "cuMemAllocManaged")); /* interposed, but this driver has none */
  CHECK(dlsym(RTLD_DEFAULT, "puts") == (void *)puts);
  CHECK(dlsym(RTLD_NEXT, "getpid"));
}

static void *resolve(const char *name, int version) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY), *function = NULL;
  CUdriverProcAddressQueryResult status;
  PFN_cuGetProcAddress_v12000 first = (PFN_cuGetProcAddress_v12000)dlsym(driver, "cuGetProcAddress_v2");
  PFN_cuGetProcAddress_v12000 second = NULL;
  CHECK(first && !first("cuGetProcAddress", (void **)&second, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  if (second(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &status))
    CHECK(!function && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  return function;
}

static void by_proc_address(void) {
  CUdeviceptr p;
  unsigned old;
  CHECK(!((PFN_cuInit_v2000)resolve("cuInit", 12000))(0));
  PFN_cuMemAlloc_v3020 today = (PFN_cuMemAlloc_v3020)resolve("cuMemAlloc", 12080);
  CHECK(!today(&p, 10) && cs_is_tagged(p));
  CHECK(resolve("cuMemAlloc", CUDA_VERSION) == (void *)today);
  CHECK(!((CUresult (*)(unsigned *, unsigned))resolve("cuMemAlloc", 3000))(&old, 10) && old == 1);
  CHECK(!((CUresult (*)(CUdeviceptr *, size_t, int))resolve("cuMemAlloc", 14000))(&p, 10, 0) && fake_newer_allocs == 1);
  CHECK(resolve("cuMemFree", 14000) == resolve("cuMemFree", 12000)); /* a newer toolkit, the same function */
  CHECK(resolve("cuMemFree", 14000) == (void *)cuMemFree);
  CHECK(!resolve("cuNoSuchCall", 12000));
  PFN_cuGetProcAddress_v11030 v1 = (PFN_cuGetProcAddress_v11030)resolve("cuGetProcAddress", 11080);
  void *function;
  CHECK(!v1("cuMemAlloc", &function, 11080, 0) && function == (void *)today);
}

static const struct {
  const char *name;
  void (*run)(void);
  int without_init;
} modes[] = {
#define MODE(name, without_init) {#name, name, without_init}
    MODE(clean, 0),
    MODE(past_the_end, 0),
    MODE(at_exit_only, 0),
    MODE(after_free, 0),
    MODE(library, 0),
    MODE(double_free, 0),
    MODE(after_async_free, 0),
    MODE(middle_free, 0),
    MODE(host_free, 0),
    MODE(wrong_free, 0),
    MODE(ranges, 0),
    MODE(reentrant, 0),
    MODE(by_dlsym, 0),
    MODE(by_proc_address, 1),
    MODE(library_before_context, 1),
};

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (argc == 2 && strcmp(argv[1], modes[i].name) == 0) {
      if (!modes[i].without_init)
        CHECK(!cuInit(0));
      modes[i].run();
      return 0;
    }
  return 2;
}
