/* runtime_program.c: programs that make the driver calls of NVIDIA's runtime libraries, in their order, on the fake
 * driver; test_runtimes.c runs it under CuSafe. */
#include "host/tests/checked_image.h"
#include <cudaTypedefs.h>
#include <dlfcn.h>

#define KERNEL "_Z13reads_too_farPi"

static CUlibrary load_library(void) {
  CUlibrary library;
  make_table(CS_PLACEMENT_TABLE);
  CHECK(!cuLibraryLoadData(&library, &image, NULL, NULL, 0, NULL, NULL, 0));
  return library;
}

/* As from a private table: CuSafe sees no call. */
static CUmodule load_unseen(void) {
  make_table(CS_PLACEMENT_TABLE);
  return (CUmodule)(void *)&image;
}

static CUfunction function_of(CUmodule module) {
  CUfunction function;
  CHECK(!cuModuleGetFunction(&function, module, KERNEL));
  return function;
}

static void run_past_the_end(CUfunction function) {
  launch(function, alloc(100), 120);
  CHECK(!cuCtxSynchronize());
}

/* CUDA 12 */
static void library_module(void) {
  CUmodule module;
  CHECK(!cuLibraryGetModule(&module, load_library()));
  run_past_the_end(function_of(module));
}

static void library_module_is_checked(void) {
  CUmodule module;
  CHECK(!cuLibraryGetModule(&module, load_library()));
  launch(function_of(module), alloc(100), 100);
}

/* CUDA 13 with EAGER loading */
static void enumerated_kernels(void) {
  CUkernel kernels[4];
  CHECK(!cuLibraryEnumerateKernels(kernels, 4, load_library()));
  run_past_the_end((CUfunction)kernels[0]);
}

/* CUDA 11 */
static void unseen_module(void) {
  run_past_the_end(function_of(load_unseen()));
}

static void unseen_module_is_met_at_a_variable(void) {
  CUdeviceptr address;
  size_t bytes;
  CHECK(!cuModuleGetGlobal(&address, &bytes, load_unseen(), CS_SYM_COUNTS));
  CHECK(state.ring);
}

static void unseen_module_is_replaced(void) {
  launch(function_of(load_unseen()), alloc(100), 100);
  CHECK(!cuCtxSynchronize());
  memset(&state, 0, sizeof state); /* another module, in the same place */
  run_past_the_end(function_of(load_unseen()));
}

static void unseen_module_is_met_once(void) {
  function_of(load_unseen());
  cs_u64 ring = state.ring;
  function_of((CUmodule)(void *)&image);
  CHECK(ring && state.ring == ring);
}

/* cudaDeviceReset: the library stays loaded, its variables are new. */
static void reset_by_first_edition(void) {
  CUresult (*reset)(CUdevice) = (CUresult (*)(CUdevice))dlsym(RTLD_DEFAULT, "cuDevicePrimaryCtxReset");
  CUkernel kernel;
  CHECK(!cuLibraryGetKernel(&kernel, load_library(), KERNEL));
  launch((CUfunction)kernel, alloc(100), 100);
  CHECK(reset && !reset(0));
  memset(&state, 0, sizeof state);
  run_past_the_end((CUfunction)kernel);
}

/* The runtime's exit handler is older than CuSafe's, so it runs after it. */
static void release(void) {
  CUresult (*first_edition)(CUdevice) = (CUresult (*)(CUdevice))dlsym(RTLD_DEFAULT, "cuDevicePrimaryCtxRelease");
  CHECK(first_edition && !first_edition(0));
}

static void leak_until_release(void) {
  atexit(release);
  CHECK(!cuInit(0));
  alloc(100);
}

/* A variable's address is returned when the library is attached: the program's values are written after CuSafe's. */
static void library_variable(void) {
  CUdeviceptr address;
  size_t bytes;
  CUlibrary library = load_library();
  CHECK(!cuInit(0) && !state.ring);
  CHECK(!cuLibraryGetGlobal(&address, &bytes, library, CS_SYM_COUNTS));
  CHECK(state.ring);
}

/* LAZY loading: the first launch may be inside a stream capture. */
static void captured(CUfunction (*first)(void)) {
  CUdeviceptr p = alloc(100);
  fake_capturing = 1;
  launch(first(), p, 120);
  CHECK(!fake_capture_broken);
  fake_capturing = 0;
  CHECK(!cuCtxSynchronize());
}

static CUfunction first_of_library(void) {
  CUkernel kernel;
  CHECK(!cuLibraryGetKernel(&kernel, load_library(), KERNEL));
  return (CUfunction)kernel;
}

static CUfunction first_of_unseen_module(void) {
  return function_of(load_unseen());
}

static void captured_library(void) {
  captured(first_of_library);
}

static void captured_unseen_module(void) {
  captured(first_of_unseen_module);
}

/* CUDA 3: the arguments are set before the launch. */
static void launch_grid(void) {
  CUresult (*launch_of_old)(CUfunction, int, int);
  *(void **)&launch_of_old = dlsym(RTLD_DEFAULT, "cuLaunchGrid");
  CUfunction function = function_of(load_unseen());
  CUdeviceptr p = alloc(100);
  cs_u64 bytes = 100;
  void *arguments[] = {&p, &bytes};
  fake_arguments = arguments;
  CHECK(!launch_of_old(function, 1, 1) && !cuCtxSynchronize());
  puts("in bounds");
  bytes = 120;
  CHECK(!launch_of_old(function, 1, 1) && !cuCtxSynchronize());
}

/* While the words of new buffers cannot be written, a launch is refused: its accesses would be reported, or not be
 * checked. */
static void refused_launches(void) {
  CUresult (*one)(CUfunction), (*grid)(CUfunction, int, int), (*async)(CUfunction, int, int, CUstream);
  *(void **)&one = dlsym(RTLD_DEFAULT, "cuLaunch");
  *(void **)&grid = dlsym(RTLD_DEFAULT, "cuLaunchGrid");
  *(void **)&async = dlsym(RTLD_DEFAULT, "cuLaunchGridAsync");
  CUfunction function = function_of(load_unseen());
  CUdeviceptr p = alloc(100);
  fake_arguments = NULL; /* a launch would crash */
  fake_failure = CUDA_ERROR_UNKNOWN;
  CHECK(p && one(function) && grid(function, 1, 1) && async(function, 1, 1, NULL));
  fake_failure = CUDA_SUCCESS;
}

static void *resolve(const char *name, int version) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY), *function = NULL;
  PFN_cuGetProcAddress_v12000 get = (PFN_cuGetProcAddress_v12000)dlsym(driver, "cuGetProcAddress_v2");
  CUdriverProcAddressQueryResult status;
  CHECK(get && !get(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &status) && function);
  return function;
}

/* CUDA 13.2 and later: a newer version gets the same function. */
static void copy_with_attributes(void) {
  CUresult (*copy)(CUdeviceptr, CUdeviceptr, size_t, CUmemcpyAttributes *, CUstream);
  *(void **)&copy = resolve("cuMemcpyWithAttributesAsync", 13040);
  CHECK((void *)copy == resolve("cuMemcpyWithAttributesAsync", 13020));
  CUmemcpyAttributes how = {0};
  CHECK(!copy(alloc(100), alloc(100), 100, &how, NULL));
  puts("in bounds");
  copy(alloc(100), alloc(100), 101, &how, NULL);
}

static void copy_3d_with_attributes(void) {
  CUresult (*copy)(CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);
  *(void **)&copy = resolve("cuMemcpy3DWithAttributesAsync", 13020);
  CUDA_MEMCPY3D_BATCH_OP what = {.src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
                                 .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
                                 .extent = {10, 10, 1}};
  what.src.op.ptr.ptr = alloc(100);
  what.dst.op.ptr.ptr = alloc(100);
  CHECK(!copy(&what, 0, NULL));
  puts("in bounds");
  what.extent.height = 11;
  copy(&what, 0, NULL);
}

static const struct mode modes[] = {
    MODE(library_module, 0),
    MODE(library_module_is_checked, 0),
    MODE(enumerated_kernels, 0),
    MODE(unseen_module, 0),
    MODE(unseen_module_is_met_at_a_variable, 0),
    MODE(unseen_module_is_replaced, 0),
    MODE(unseen_module_is_met_once, 0),
    MODE(reset_by_first_edition, 0),
    MODE(leak_until_release, 1),
    MODE(library_variable, 1),
    MODE(captured_library, 0),
    MODE(captured_unseen_module, 0),
    MODE(launch_grid, 0),
    MODE(refused_launches, 0),
    MODE(copy_with_attributes, 0),
    MODE(copy_3d_with_attributes, 0),
};

int main(int argc, char **argv) {
  return run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
}
