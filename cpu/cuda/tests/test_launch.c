/* test_launch.c: modules, launches, variables, printf, asserts, and sticky errors. */
#include "cpu/cuda/tests/support.h"
#include "cusafe/image.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void runs_a_kernel(void **state) {
  (void)state;
  CUdeviceptr p;
  int host[1000], count = 1000, factor = 3;
  for (int i = 0; i < count; i++)
    host[i] = i;
  OK(cuMemAlloc(&p, sizeof host));
  OK(cuMemcpyHtoD(p, host, sizeof host));
  void *params[] = {&p, &count, &factor};
  OK(cuLaunchKernel(test_kernel("scale"), 4, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
  struct {
    CUdeviceptr p;
    int count, factor;
  } packed = {p, count, 2};
  size_t size = sizeof packed;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(test_kernel("scale"), 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
  OK(cuMemcpyDtoH(host, p, sizeof host));
  for (int i = 0; i < count; i++)
    assert_int_equal(host[i], i * 6);
  OK(cuMemFree(p));
}

static void provides_dynamic_shared_memory(void **state) {
  (void)state;
  CUdeviceptr p;
  int host[512];
  for (int i = 0; i < 512; i++)
    host[i] = i;
  OK(cuMemAlloc(&p, sizeof host));
  OK(cuMemcpyHtoD(p, host, sizeof host));
  void *params[] = {&p};
  CUfunction f = test_kernel("reverse");
  OK(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 1024, NULL, params, NULL));
  OK(cuMemcpyDtoH(host, p, sizeof host));
  assert_int_equal(host[0], 255);
  assert_int_equal(host[256], 511);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 50000, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
  OK(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 50000, NULL, params, NULL));
  OK(cuCtxSynchronize());
  FAILS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(p));
}

static void checks_the_configuration(void **state) {
  (void)state;
  CUfunction f = test_kernel("describe"), bounded = test_kernel("reverse");
  CUdeviceptr p;
  unsigned out[6];
  OK(cuMemAlloc(&p, sizeof out));
  void *params[] = {&p}, *none[] = {NULL};
  FAILS(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 64, 64, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, none, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuLaunchKernel(bounded, 1, 1, 1, 512, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  FAILS(cuLaunchKernel((CUfunction)&p, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_HANDLE);
  FAILS(cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 1, 1, 1, 0, NULL, params), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CUlaunchConfig config = {.gridDimX = 2, .gridDimY = 3, .gridDimZ = 4, .blockDimX = 5, .blockDimY = 6, .blockDimZ = 7};
  OK(cuLaunchKernelEx(&config, f, params, NULL));
  OK(cuMemcpyDtoH(out, p, sizeof out));
  for (unsigned i = 0; i < 6; i++)
    assert_int_equal(out[i], 2 + i);
  OK(cuMemFree(p));
}

/* The grid is larger than what the engine runs at a time. */
static void synchronises_a_grid(void **state) {
  (void)state;
  enum { BLOCKS = 40, THREADS = 33, COUNT = BLOCKS * THREADS };
  CUdeviceptr data, out;
  static unsigned host[COUNT];
  unsigned count = COUNT;
  OK(cuMemAlloc(&data, sizeof host));
  OK(cuMemAlloc(&out, sizeof host));
  void *params[] = {&data, &out, &count};
  OK(cuLaunchCooperativeKernel(test_kernel("phases"), BLOCKS, 1, 1, THREADS, 1, 1, 100, NULL, params));
  OK(cuMemcpyDtoH(host, out, sizeof host));
  for (unsigned i = 0; i < COUNT; i++)
    assert_int_equal(host[i], COUNT - 1 - i + 3 * i + i / THREADS + 1);
  OK(cuMemFree(data));
  OK(cuMemFree(out));
}

static void queries_functions(void **state) {
  (void)state;
  CUfunction f = test_kernel("scale"), bounded = test_kernel("reverse");
  int value, grid, block;
  size_t offset, size;
  const char *name;
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  assert_int_equal(value, 1024);
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
  assert_int_equal(value, 256);
  OK(cuFuncGetParamInfo(f, 2, &offset, &size));
  assert_int_equal(offset, 12);
  assert_int_equal(size, 4);
  FAILS(cuFuncGetParamInfo(f, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  OK(cuFuncGetName(&name, f));
  assert_string_equal(name, "scale");
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 256, 0));
  assert_int_equal(value, 8);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, NULL, 0, 0));
  assert_int_equal(block, 256);
}

static void finds_variables(void **state) {
  (void)state;
  CUmodule module;
  CUfunction f;
  CUdeviceptr p, table;
  size_t size;
  int value = 0;
  void *image = test_image();
  OK(cuModuleLoadData(&module, image));
  OK(cuModuleGetGlobal(&p, &size, module, "counter"));
  assert_int_equal(size, 4);
  OK(cuModuleGetGlobal(&table, &size, module, "table"));
  assert_int_equal(size, 64);
  FAILS(cuModuleGetGlobal(&table, &size, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  FAILS(cuModuleGetFunction(&f, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  OK(cuMemcpyDtoH(&value, p, 4));
  assert_int_equal(value, 7);
  OK(cuModuleGetFunction(&f, module, "count"));
  OK(cuLaunchKernel(f, 10, 1, 1, 100, 1, 1, 0, NULL, NULL, NULL));
  OK(cuMemcpyDtoH(&value, p, 4));
  assert_int_equal(value, 1007);
  FAILS(cuMemcpyDtoH(&value, p + 2, 4), CUDA_ERROR_INVALID_VALUE);
  OK(cuModuleUnload(module));
  FAILS(cuModuleGetFunction(&f, module, "count"), CUDA_ERROR_INVALID_HANDLE);
  FAILS(cuMemcpyDtoH(&value, p, 4), CUDA_ERROR_INVALID_VALUE);
  free(image);
}

static void libraries_become_modules(void **state) {
  (void)state;
  CUlibrary library;
  CUkernel kernel;
  CUfunction f;
  CUdeviceptr p;
  int value;
  void *image = test_image();
  OK(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
  free(image);
  OK(cuLibraryGetKernel(&kernel, library, "count"));
  FAILS(cuLibraryGetKernel(&kernel, library, "nothing"), CUDA_ERROR_NOT_FOUND);
  OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 3, 1, 1, 0, NULL, NULL, NULL));
  OK(cuKernelGetFunction(&f, kernel));
  OK(cuLaunchKernel(f, 1, 1, 1, 3, 1, 1, 0, NULL, NULL, NULL));
  OK(cuLibraryGetGlobal(&p, NULL, library, "counter"));
  OK(cuMemcpyDtoH(&value, p, 4));
  assert_int_equal(value, 13);
  OK(cuLibraryUnload(library));
  FAILS(cuKernelGetFunction(&f, kernel), CUDA_ERROR_INVALID_HANDLE);
}

/* The library's kernels are the module's functions, in the same order, and only the library can be unloaded. */
static void a_module_is_a_librarys_instance(void **state) {
  (void)state;
  enum { MAX = 64 };
  CUlibrary library;
  CUmodule module, own;
  CUkernel kernels[MAX];
  CUfunction functions[MAX], f;
  CUdeviceptr p, same;
  unsigned count, functions_count;
  const char *name;
  void *image = test_image();
  OK(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
  OK(cuModuleLoadData(&own, image));
  free(image);
  OK(cuLibraryGetModule(&module, library));
  OK(cuLibraryGetKernelCount(&count, library));
  OK(cuModuleGetFunctionCount(&functions_count, module));
  assert_int_equal(count, functions_count);
  assert_in_range(count, 1, MAX);
  OK(cuLibraryEnumerateKernels(kernels, MAX, library));
  OK(cuModuleEnumerateFunctions(functions, MAX, module));
  for (unsigned i = 0; i < count; i++) {
    OK(cuKernelGetName(&name, kernels[i]));
    OK(cuKernelGetFunction(&f, kernels[i]));
    assert_ptr_equal(f, functions[i]);
    OK(cuModuleGetFunction(&f, module, name));
    assert_ptr_equal(f, functions[i]);
    OK(cuModuleGetFunction(&f, own, name));
    assert_ptr_not_equal(f, functions[i]);
  }
  OK(cuLibraryGetGlobal(&p, NULL, library, "counter"));
  OK(cuModuleGetGlobal(&same, NULL, module, "counter"));
  assert_int_equal(p, same);
  FAILS(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
  OK(cuModuleUnload(own));
  OK(cuLibraryUnload(library));
  FAILS(cuModuleGetFunction(&f, module, "count"), CUDA_ERROR_INVALID_HANDLE);
}

/* A context ends with its modules; a library outlives it, and has an instance in the next. */
static void instances_end_with_their_context(void **state) {
  (void)state;
  CUcontext context;
  CUlibrary library;
  CUkernel kernel;
  CUmodule own, module;
  CUfunction f;
  void *image = test_image();
  OK(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
  OK(cuLibraryGetKernel(&kernel, library, "count"));
  for (int i = 0; i < 2; i++) {
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuModuleLoadData(&own, image));
    OK(cuLibraryGetModule(&module, library));
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 3, 1, 1, 0, NULL, NULL, NULL));
    OK(cuCtxDestroy(context));
    FAILS(cuModuleGetFunction(&f, own, "count"), CUDA_ERROR_INVALID_HANDLE);
    FAILS(cuModuleGetFunction(&f, module, "count"), CUDA_ERROR_INVALID_HANDLE);
  }
  OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 3, 1, 1, 0, NULL, NULL, NULL));
  OK(cuLibraryUnload(library));
  free(image);
}

/* Code for debuggers is an image in the image, and untrusted, too. */
static void refuses_invalid_debug_images(void **state) {
  (void)state;
  CUmodule module;
  struct cs_image *image = test_image();
  const cs_u32 offsets[] = {4, 8, (cs_u32)image->total_bytes, (cs_u32)image->total_bytes - 8, ~7u};
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
    image->debug_offset = offsets[i];
    FAILS(cuModuleLoadData(&module, image), CUDA_ERROR_INVALID_IMAGE);
  }
  image->debug_offset = 0;
  OK(cuModuleLoadData(&module, image));
  OK(cuModuleUnload(module));
  free(image);
}

static void refuses_other_images(void **state) {
  (void)state;
  CUmodule module;
  uint64_t *image = test_image();
  FAILS(cuModuleLoadData(&module, "//"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  FAILS(cuModuleLoadData(&module, "\177ELF............"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  FAILS(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuModuleLoad(&module, "/proc/absent"), CUDA_ERROR_FILE_NOT_FOUND);
  image[2] = 80; /* total_bytes */
  FAILS(cuModuleLoadData(&module, image), CUDA_ERROR_INVALID_IMAGE);
  free(image);
}

/* A path that leads to no image: a folder, a pipe that nothing writes, and the wrapper of an image, whose address is a
 * program's. */
static void refuses_other_files(void **state) {
  (void)state;
  CUmodule module;
  char folder[] = "/tmp/cusafe-launch-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  FAILS(cuModuleLoad(&module, folder), CUDA_ERROR_INVALID_VALUE);
  snprintf(path, sizeof path, "%s/file", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  FAILS(cuModuleLoad(&module, path), CUDA_ERROR_INVALID_VALUE);
  unlink(path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite("\xb1\x43\x62\x46\1\0\0\0AAAAAAAA\0\0\0\0\0\0\0", 24, 1, file), 1);
  fclose(file);
  FAILS(cuModuleLoad(&module, path), CUDA_ERROR_INVALID_IMAGE);
  unlink(path);
  rmdir(folder);
}

/* What a stream prints while the body runs. */
#define CAPTURED(stream, text, body)                                                                                   \
  do {                                                                                                                 \
    FILE *file = tmpfile();                                                                                            \
    fflush(stream);                                                                                                    \
    int saved = dup(fileno(stream));                                                                                   \
    dup2(fileno(file), fileno(stream));                                                                                \
    body;                                                                                                              \
    fflush(stream);                                                                                                    \
    dup2(saved, fileno(stream));                                                                                       \
    close(saved);                                                                                                      \
    rewind(file);                                                                                                      \
    (text)[fread(text, 1, sizeof(text) - 1, file)] = '\0';                                                             \
    fclose(file);                                                                                                      \
  } while (0)

static void prints(void **state) {
  (void)state;
  char text[256];
  const char *format = "%d|%5.2f|%-4s|%lld|%c|%%|%u\n", *word = "ab";
  void *params[] = {&format, &word};
  CAPTURED(stdout, text, {
    OK(cuLaunchKernel(test_kernel("print"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
  });
  assert_string_equal(text, "-3| 2.50|ab  |1234567890123|c|%|0\n");
  word = (const char *)16; /* an invalid pointer must not end the process */
  CAPTURED(stdout, text, {
    OK(cuLaunchKernel(test_kernel("print"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
  });
  assert_non_null(strstr(text, "(invalid string)"));
}

static void prints_until_the_buffer_is_full(void **state) {
  (void)state;
  char text[256];
  const char *format = "x", *word = "";
  void *params[] = {&format, &word};
  OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 64 * 5 + 10));
  CAPTURED(stdout, text, {
    OK(cuLaunchKernel(test_kernel("print"), 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxSynchronize());
  });
  assert_string_equal(text, "xxxxx");
  OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20));
}

/* Last: ends the primary context's work, and shows that a reset brings it back. */
static void errors_stick_until_reset(void **state) {
  (void)state;
  char text[256];
  CUdeviceptr p;
  const char *message = "i < n", *file = "a.cu", *function = "f(int)";
  void *params[] = {&message, &file, &function};
  CAPTURED(stderr, text, {
    OK(cuLaunchKernel(test_kernel("assert_fail"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ASSERT);
  });
  assert_string_equal(text, "a.cu:42: f(int): block: [0,1,2], thread: [10,11,12] Assertion `i < n` failed.\n");
  FAILS(cuMemAlloc(&p, 8), CUDA_ERROR_ASSERT);
  FAILS(cuStreamSynchronize(NULL), CUDA_ERROR_ASSERT);
  OK(cuDevicePrimaryCtxReset(0));
  FAILS(cuMemAlloc(&p, 8), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuMemAlloc(&p, 8));
  OK(cuMemFree(p));
  OK(cuDevicePrimaryCtxRelease(0));
}

int main(void) {
  setenv("CUSAFE_CPU_DEBUG", "1", 1); /* without such code, nothing differs */
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_a_kernel),
                                     cmocka_unit_test(provides_dynamic_shared_memory),
                                     cmocka_unit_test(checks_the_configuration),
                                     cmocka_unit_test(synchronises_a_grid),
                                     cmocka_unit_test(queries_functions),
                                     cmocka_unit_test(finds_variables),
                                     cmocka_unit_test(libraries_become_modules),
                                     cmocka_unit_test(a_module_is_a_librarys_instance),
                                     cmocka_unit_test(instances_end_with_their_context),
                                     cmocka_unit_test(refuses_invalid_debug_images),
                                     cmocka_unit_test(refuses_other_images),
                                     cmocka_unit_test(refuses_other_files),
                                     cmocka_unit_test(prints),
                                     cmocka_unit_test(prints_until_the_buffer_is_full),
                                     cmocka_unit_test(errors_stick_until_reset)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
