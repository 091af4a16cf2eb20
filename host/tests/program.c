/* program.c: a CUDA program on the fake driver with many modes; test_interpose.c and test_reports.c run it under
 * CuSafe. */
#include "host/tests/checked_image.h"
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static CUmodule module;

static CUfunction load(void) {
  CUfunction function;
  make_table(getenv("PROGRAM_WINDOW") ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE);
  CHECK(!cuModuleLoadData(&module, &image));
  CHECK(!cuModuleGetFunction(&function, module, "_Z13reads_too_farPi"));
  return function;
}

static void clean(void) {
  CUfunction f = load();
  for (int i = 0; i < 1000; i++) {
    CUdeviceptr p = alloc(100);
    launch(f, p, 100);
    CHECK(!cuMemFree(p));
  }
  int counts_faulting_threads = !(state.mode & CS_MODE_TRAP);
  CHECK(fake_plain_allocs == 2 + counts_faulting_threads); /* the sink, the variables; and the heatmap */
}

static void past_the_end(void) {
  CUfunction f = load();
  launch(f, alloc(100), 120);
  CHECK(!cuCtxSynchronize());
  puts("continued");
}

/* A kernel that the driver stops at an address that CuSafe does not know; the program ignores the error. */
static void fault(void) {
  launch(load(), alloc(100), 100);
  fake_failure = CUDA_ERROR_ILLEGAL_ADDRESS;
  for (int i = 0; i < 2; i++)
    CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
  puts("continued");
}

static void fault_at_exit(void) {
  launch(load(), alloc(100), 100);
  fake_failure = CUDA_ERROR_MISALIGNED_ADDRESS;
}

/* Which of two kernels it was is known only if the other has finished. */
static void two_kernels(int first_ended) {
  CUfunction f = load(), other;
  CHECK(!cuModuleGetFunction(&other, module, "_ZN2ns10other_kindIfEEvPT_"));
  launch(f, alloc(100), 100);
  CHECK(first_ended ? !cuCtxSynchronize() : !cuStreamSynchronize(NULL));
  launch(other, alloc(100), 100);
  fake_failure = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK(cuStreamSynchronize(NULL));
}

static void fault_of_either(void) {
  two_kernels(0);
}

static void fault_of_second(void) {
  two_kernels(1);
}

/* The fault after an invalid access is not reported again. */
static void fault_explained(void) {
  launch(load(), alloc(100), 120);
  fake_failure = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* Launches 0 and 2 are of one kernel, 1, 3 and 4 of the other; all fault at the same site, launch n 2^n times. */
static void five_launches(void) {
  CUfunction f = load(), other;
  CUdeviceptr p = alloc(100);
  CHECK(!cuModuleGetFunction(&other, module, "_ZN2ns10other_kindIfEEvPT_"));
  for (int n = 0; n < 5; n++)
    launch(n == 0 || n == 2 ? f : other, p, 100 + ((cs_u64)4 << n));
  CHECK(!cuCtxSynchronize());
  puts("continued");
}

/* Demangled, this name starts with a bracket and contains a space. */
static void unnamed_namespace(void) {
  CUfunction f;
  load();
  CHECK(!cuModuleGetFunction(&f, module, "_ZN12_GLOBAL__N_15localIiEEvPT_"));
  launch(f, alloc(100), 104);
}

/* One site: five accesses past the end, and one after the free. */
static void two_kinds(void) {
  CUfunction f = load();
  CUdeviceptr p = alloc(100), freed = alloc(100);
  CHECK(!cuMemFree(freed));
  launch(f, p, 120);
  launch(f, freed, 4);
  CHECK(!cuCtxSynchronize());
}

/* Ways to end the process without exit handlers. */
static void leaves(void) {
  past_the_end();
  fflush(stdout);
  _exit(0);
}

static void leaves_badly(void) {
  past_the_end();
  fflush(stdout);
  _Exit(5);
}

static void leaves_quickly(void) {
  launch(load(), alloc(100), 120);
  quick_exit(0);
}

static int wait_for(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* A child of a process that uses the driver gets the driver's own result. */
static void forks(void) {
  CHECK(cs_is_tagged(alloc(100)));
  pid_t child = fork();
  if (child == 0) {
    CUdeviceptr p;
    CHECK(!cuMemAlloc(&p, 10) && !cs_is_tagged(p));
    _exit(7);
  }
  exit(wait_for(child));
}

/* The parent only looks up the driver; the child uses it. */
static void forks_early(void) {
  void *function;
  CHECK(!cuGetProcAddress("cuInit", &function, 12000, 0, NULL));
  pid_t child = fork();
  if (child == 0) {
    CHECK(!cuInit(0));
    launch(load(), alloc(100), 120);
    exit(0);
  }
  exit(wait_for(child));
}

/* Two findings, and then the process is killed. */
static void killed(void) {
  past_the_end();
  CUdeviceptr p = alloc(100);
  CHECK(!cuMemFree(p) && cuMemFree(p));
  raise(SIGKILL);
}

/* Three launches that the program does not wait for, then the module is unloaded. */
static void unloads(void) {
  CUfunction f = load();
  CUdeviceptr p = alloc(100);
  for (int n = 0; n < 3; n++)
    launch(f, p, 104);
  CHECK(!cuModuleUnload(module));
  puts("continued");
}

static void own_status(void) {
  past_the_end();
  exit(5);
}

static void printed_late(void) {
  printf(", and this comes out too");
}

static void own_handlers(void) {
  atexit(printed_late);
  past_the_end();
}

static void tells_mode(void) {
  load();
  printf("mode %u\n", state.mode);
}

/* Every site faults, some of them in later launches, and one of them a million times. */
static void many(void) {
  CUfunction f = load();
  CUdeviceptr p = alloc(100);
  for (cs_u32 pass = 0; pass < 2; pass++) {
    for (cs_u32 site = pass; site < SITES; site += 2)
      checked_read(p, 100, site);
    launch(f, p, 100);
    CHECK(!cuCtxSynchronize());
  }
  for (int i = 0; i < 1000000 - SITES; i++)
    checked_read(p, 100, 7);
  CHECK(!cuCtxSynchronize());
}

/* Sites 1 and 2 are on the same line, 2 in a function that is inlined there; 1 and 3 check indices, 3 on another
 * line. */
static void fields(void) {
  load();
  table.sites[1].check = table.sites[3].check = CS_CHECK_FIELD;
  table.sites[3].frame = CS_NONE;
  table.sites[2].frame = 1;
  CHECK(!cuModuleUnload(module) && !cuModuleLoadData(&module, &image));
  CUdeviceptr p = alloc(100);
  for (cs_u32 site = 1; site <= 3; site++)
    checked_read(p, 100, site);
  CHECK(!cuCtxSynchronize());
}

/* The module's variables are in the context's table as long as it is loaded. */
static void variables(void) {
  load();
  const struct cs_object *in_table = (const struct cs_object *)state.objects;
  cs_u32 first = state.first_object;
  CHECK(in_table && first <= CS_OBJECT_NUMBER_MASK && in_table[first].start == 0x1000 &&
        in_table[first + 1].bytes == 20);
  CUmodule another;
  struct fake_image second = image;
  CHECK(!cuModuleLoadData(&another, &second));
  CHECK(state.first_object == first + 2 && in_table[first + 2].start == 0x1000 && in_table[first + 3].bytes == 20);
  CHECK(!cuModuleUnload(module));
  CHECK(in_table[first].bytes == 0 && in_table[first + 3].bytes == 20);
  CHECK(!cuModuleLoadData(&module, &image) && state.first_object == first);
  CHECK(!cuModuleLoadData(&module,
                          &image)); /* the driver gives out the handle again: the earlier module was unloaded unseen */
  CHECK(state.first_object == first && in_table[first + 1].bytes == 20);
  table.header.object_count = 0; /* pointers to other modules' variables may still be checked */
  CHECK(!cuModuleLoadData(&another, &image));
  CHECK(state.objects == (cs_u64)in_table && state.first_object > CS_OBJECT_NUMBER_MASK);
}

static void reloads(void) {
  CUfunction f = load();
  CUdeviceptr p = alloc(100);
  for (int i = 0; i < 3000; i++) {
    CHECK(!cuModuleUnload(module));
    f = load();
    CHECK(state.first_object == 0);
  }
  memset(counts, 0, sizeof counts);
  launch(f, p, 104);
  CHECK(!cuModuleUnload(module));
  load();
  puts("continued");
}

static long resident_pages(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%*d %ld", &pages) == 1);
  fclose(file);
  return pages;
}

/* More modules than CuSafe could once count, and nothing of them is kept. */
static void reloads_for_ever(void) {
  long before = 0;
  CUdeviceptr p = alloc(100);
  for (int i = 0; i < 70000; i++) {
    launch(load(), p, 100);
    CHECK(!cuModuleUnload(module));
    if (i == 5000)
      before = resident_pages();
  }
  CHECK(resident_pages() - before < 256);
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
  puts("continued");
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

/* As the runtime does: no driver symbol is linked. */
static void by_dlsym(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  CHECK(driver);
  PFN_cuMemAlloc_v3020 alloc_function = (PFN_cuMemAlloc_v3020)dlsym(driver, "cuMemAlloc_v2");
  CUdeviceptr p;
  CHECK(alloc_function && !alloc_function(&p, 10) && cs_is_tagged(p));
  CHECK(dlsym(driver, "cuNoSuchCall") == NULL && dlerror());
  CHECK(dlsym(driver, "cuDeviceGetCount"));
  CHECK(!dlsym(driver, "cuMemAllocPitch_v2")); /* interposed, but this driver has none */
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

static const struct mode modes[] = {
    MODE(clean, 0),
    MODE(past_the_end, 0),
    MODE(own_status, 0),
    MODE(own_handlers, 0),
    MODE(tells_mode, 0),
    MODE(many, 0),
    MODE(fields, 0),
    MODE(variables, 0),
    MODE(reloads, 0),
    MODE(reloads_for_ever, 0),
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
    MODE(five_launches, 0),
    MODE(unloads, 0),
    MODE(killed, 0),
    MODE(two_kinds, 0),
    MODE(fault, 0),
    MODE(fault_at_exit, 0),
    MODE(fault_of_either, 0),
    MODE(fault_of_second, 0),
    MODE(fault_explained, 0),
    MODE(leaves, 0),
    MODE(leaves_badly, 0),
    MODE(leaves_quickly, 0),
    MODE(forks, 0),
    MODE(forks_early, 1),
    MODE(unnamed_namespace, 0),
};

int main(int argc, char **argv) {
  return run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
}
