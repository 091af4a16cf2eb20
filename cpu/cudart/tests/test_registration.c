/* test_registration.c: registered kernels and variables, loading on first use, and launches. */
#include "cpu/cudart/tests/harness.h"
#include "cusafe/image.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINARIES = 50, KERNELS = 5000 };
static char hosts[KERNELS], kernel_names[KERNELS][16];
static struct cs_fatbin_wrapper wrappers[BINARIES];
static void **binaries[BINARIES];
static char variable, absent_variable, absent_kernel, stranger;

static int register_program(void **state) {
  (void)state;
  for (int i = 0; i < BINARIES; i++) {
    wrappers[i] = wrap(&wrappers[i]);
    binaries[i] = __cudaRegisterFatBinary(&wrappers[i]);
  }
  for (int i = 0; i < KERNELS; i++) {
    snprintf(kernel_names[i], sizeof kernel_names[i], "kernel%d", i);
    register_kernel(binaries[i % BINARIES], &hosts[i], kernel_names[i]);
  }
  register_kernel(binaries[0], &absent_kernel, "absent_kernel");
  __cudaRegisterVar(binaries[1], &variable, "v", "variable", 0, 16, 0, 0);
  __cudaRegisterVar(binaries[1], &absent_variable, "a", "absent_variable", 0, 16, 0, 0);
  for (int i = 0; i < BINARIES; i++)
    __cudaRegisterFatBinaryEnd(binaries[i]);
  return 0;
}

static void nothing_is_loaded_before_use(void **state) {
  (void)state;
  assert_int_equal(cudaFree(NULL), cudaSuccess);
  assert_int_equal(mock_calls("cuLibraryLoadData"), 0);
  assert_int_equal(launch(&hosts[7], 1, 1), cudaSuccess);
  assert_int_equal(launch(&hosts[7 + BINARIES], 1, 1), cudaSuccess); /* the same binary */
  assert_int_equal(mock_calls("cuLibraryLoadData"), 1);
  assert_int_equal(launch(&hosts[8], 1, 1), cudaSuccess);
  assert_int_equal(mock_calls("cuLibraryLoadData"), 2);
}

static void every_kernel_is_found_and_cached(void **state) {
  (void)state;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < KERNELS; i++) {
      assert_int_equal(launch(&hosts[i], 1, 1), cudaSuccess);
      assert_string_equal(mock_function_name(mock_last_launch()->function), kernel_names[i]);
    }
  assert_int_equal(mock_calls("cuLibraryLoadData"), BINARIES - 2); /* all but those of the test before */
  assert_int_equal(mock_calls("cuLibraryGetModule"), BINARIES);
  assert_int_equal(mock_calls("cuModuleGetFunction"), KERNELS);
}

static void each_device_has_its_own_module(void **state) {
  (void)state;
  assert_int_equal(launch(&hosts[0], 1, 1), cudaSuccess);
  assert_int_equal(cudaSetDevice(1), cudaSuccess);
  assert_int_equal(launch(&hosts[0], 1, 1), cudaSuccess);
  assert_int_equal(cudaSetDevice(0), cudaSuccess);
  assert_int_equal(launch(&hosts[0], 1, 1), cudaSuccess);
  assert_int_equal(mock_calls("cuLibraryGetModule"), 2);
  assert_int_equal(cudaDeviceReset(), cudaSuccess);
  assert_int_equal(launch(&hosts[0], 1, 1), cudaSuccess);
  assert_int_equal(mock_calls("cuLibraryGetModule"), 3);
}

static void launches_forward_all_arguments(void **state) {
  (void)state;
  int a = 1;
  void *args[] = {&a};
  cudaStream_t stream = (cudaStream_t)&a;
  dim3 grid = {2, 3, 4}, block = {5, 6, 7}, grid_out, block_out;
  size_t shared_out;
  cudaStream_t stream_out;
  assert_int_equal(__cudaPushCallConfiguration((dim3){9, 9, 9}, block, 1, NULL), 0);
  assert_int_equal(__cudaPushCallConfiguration(grid, block, 48, stream), 0);
  assert_int_equal(__cudaPopCallConfiguration(&grid_out, &block_out, &shared_out, &stream_out), cudaSuccess);
  assert_int_equal(cudaLaunchKernel(&hosts[3], grid_out, block_out, args, shared_out, stream_out), cudaSuccess);
  const struct mock_launch *seen = mock_last_launch();
  assert_memory_equal(seen->grid, &grid, sizeof seen->grid);
  assert_memory_equal(seen->block, &block, sizeof seen->block);
  assert_int_equal(seen->shared, 48);
  assert_ptr_equal(seen->stream, stream);
  assert_ptr_equal(seen->args, args);
  assert_int_equal(__cudaPopCallConfiguration(&grid_out, &block_out, &shared_out, &stream_out), cudaSuccess);
  assert_int_equal(grid_out.x, 9);
  assert_int_equal(__cudaPopCallConfiguration(&grid_out, &block_out, &shared_out, &stream_out),
                   cudaErrorMissingConfiguration);
}

static void invalid_launches_are_refused(void **state) {
  (void)state;
  assert_int_equal(launch(&stranger, 1, 1), cudaErrorInvalidDeviceFunction);
  assert_int_equal(launch(NULL, 1, 1), cudaErrorInvalidDeviceFunction);
  assert_int_equal(launch(&absent_kernel, 1, 1), cudaErrorInvalidDeviceFunction);
  assert_int_equal(launch(&hosts[0], 0, 1), cudaErrorInvalidConfiguration);
  assert_int_equal(launch(&hosts[0], 1, 0), cudaErrorInvalidConfiguration);
  assert_int_equal(launch(&hosts[0], 1, 1025), cudaErrorInvalidConfiguration);
  assert_int_equal(launch(&hosts[0], 65536, 1), cudaErrorInvalidConfiguration);
  assert_int_equal(mock_calls("cuLaunchKernel"), 0);
  mock_result("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  assert_int_equal(launch(&hosts[0], 1, 1), cudaErrorLaunchOutOfResources);
  mock_result("cuLibraryGetModule", CUDA_ERROR_NO_BINARY_FOR_GPU);
  assert_int_equal(launch(&hosts[1], 1, 1), cudaErrorNoKernelImageForDevice);
}

static void handles_launch_too(void **state) {
  (void)state;
  cudaKernel_t kernel;
  cudaFunction_t function;
  assert_int_equal(__cudaGetKernel(&kernel, &hosts[5]), cudaSuccess);
  assert_int_equal(__cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL), cudaSuccess);
  assert_string_equal(mock_function_name(mock_last_launch()->function), "kernel5");
  assert_int_equal(cudaGetFuncBySymbol(&function, &hosts[5]), cudaSuccess);
  assert_ptr_equal(function, mock_last_launch()->function);
}

static void handles_are_of_the_driver(void **state) {
  (void)state;
  cudaKernel_t kernel, same;
  assert_int_equal(cudaGetKernel(&kernel, &hosts[5]), cudaSuccess);
  assert_string_equal((const char *)kernel, "kernel5"); /* as the driver has named it */
  assert_int_equal(cudaGetKernel(&same, &hosts[5]), cudaSuccess);
  assert_ptr_equal(same, kernel);
  assert_int_equal(mock_calls("cuLibraryGetKernel"), 1);
  assert_int_equal(launch((const char *)kernel, 1, 1), cudaSuccess);
  assert_string_equal(mock_function_name(mock_last_launch()->function), "kernel5");
  assert_int_equal(cudaGetKernel(&kernel, &absent_kernel), cudaErrorInvalidDeviceFunction);
  assert_int_equal(cudaGetKernel(&kernel, &stranger), cudaErrorInvalidDeviceFunction);
}

static void variables_are_found_and_bounded(void **state) {
  (void)state;
  void *address;
  size_t size;
  char data[32] = {0};
  assert_int_equal(cudaGetSymbolAddress(&address, &variable), cudaSuccess);
  assert_ptr_equal(address, (void *)0x1000);
  assert_int_equal(cudaGetSymbolSize(&size, &variable), cudaSuccess);
  assert_int_equal(size, 16);
  assert_int_equal(cudaMemcpyToSymbol(&variable, data, 8, 8, cudaMemcpyHostToDevice), cudaSuccess);
  assert_int_equal(mock_calls("cuMemcpyHtoD"), 1);
  assert_int_equal(cudaMemcpyToSymbol(&variable, data, 9, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpyToSymbol(&variable, data, 1, SIZE_MAX, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpyToSymbol(&variable, data, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  assert_int_equal(cudaMemcpyFromSymbol(data, &variable, 4, 0, cudaMemcpyHostToDevice),
                   cudaErrorInvalidMemcpyDirection);
  assert_int_equal(cudaMemcpyFromSymbol(data, &variable, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  assert_int_equal(mock_calls("cuMemcpyDtoH"), 1);
  assert_int_equal(cudaGetSymbolAddress(&address, &stranger), cudaErrorInvalidSymbol);
  assert_int_equal(cudaGetSymbolAddress(&address, &absent_variable), cudaErrorInvalidSymbol);
}

static void *launch_all(void *failures) {
  for (int i = 0; i < BINARIES; i++)
    if (launch(&hosts[i], 1, 1) != cudaSuccess)
      ++*(int *)failures;
  return NULL;
}

static void threads_load_a_module_once(void **state) {
  (void)state;
  pthread_t threads[8];
  int failures[8] = {0};
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, launch_all, &failures[i]);
  for (int i = 0; i < 8; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(failures[i], 0);
  }
  assert_int_equal(mock_calls("cuLibraryGetModule"), BINARIES);
  assert_int_equal(mock_calls("cuDevicePrimaryCtxRetain"), 1);
}

static void unregistering_unloads(void **state) {
  (void)state;
  static char host, shared;
  static const struct cs_image image, other_image;
  struct cs_fatbin_wrapper wrapper = wrap(&image), other = wrap(&other_image);
  void **binary = __cudaRegisterFatBinary(&wrapper), **keeper = __cudaRegisterFatBinary(&other);
  register_kernel(binary, &host, "k");
  register_kernel(binary, &shared, "template");
  register_kernel(keeper, &shared, "template");
  cudaKernel_t of_stub;
  assert_int_equal(__cudaGetKernel(&of_stub, &hosts[9]), cudaSuccess);
  assert_int_equal(launch(&host, 1, 1), cudaSuccess);
  __cudaUnregisterFatBinary(binary);
  assert_int_equal(mock_calls("cuLibraryUnload"), 0); /* the loader's lock may be held */
  assert_int_equal(launch(&host, 1, 1), cudaErrorInvalidDeviceFunction);
  assert_int_equal(launch(&shared, 1, 1), cudaSuccess); /* the other binary has it, too, and is loaded */
  assert_int_equal(mock_calls("cuLibraryUnload"), 1);
  assert_int_equal(launch((const char *)of_stub, 1, 1), cudaSuccess);
  assert_int_equal(launch(&hosts[0], 1, 1), cudaSuccess);
}

static void an_unanswered_question_ends_no_context(void **state) {
  (void)state;
  assert_int_equal(launch(&hosts[0], 1, 1), cudaSuccess);
  unsigned loaded = mock_calls("cuLibraryGetModule");
  mock_result("cuCtxGetId", CUDA_ERROR_OUT_OF_MEMORY);
  assert_int_equal(launch(&hosts[0], 1, 1), cudaErrorMemoryAllocation);
  mock_result("cuCtxGetId", CUDA_SUCCESS);
  assert_int_equal(launch(&hosts[0], 1, 1), cudaSuccess);
  assert_int_equal(mock_calls("cuLibraryGetModule"), loaded);
}

static void unknown_wrappers_are_refused(void **state) {
  (void)state;
  static char host;
  struct cs_fatbin_wrapper wrapper = {1, 2, "image", NULL};
  register_kernel(__cudaRegisterFatBinary(&wrapper), &host, "k");
  assert_int_equal(launch(&host, 1, 1), cudaErrorInvalidKernelImage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(nothing_is_loaded_before_use, fresh),
      cmocka_unit_test_setup(every_kernel_is_found_and_cached, fresh),
      cmocka_unit_test_setup(each_device_has_its_own_module, fresh),
      cmocka_unit_test_setup(launches_forward_all_arguments, fresh),
      cmocka_unit_test_setup(invalid_launches_are_refused, fresh),
      cmocka_unit_test_setup(handles_launch_too, fresh),
      cmocka_unit_test_setup(handles_are_of_the_driver, fresh),
      cmocka_unit_test_setup(variables_are_found_and_bounded, fresh),
      cmocka_unit_test_setup(threads_load_a_module_once, fresh),
      cmocka_unit_test_setup(unregistering_unloads, fresh),
      cmocka_unit_test_setup(an_unanswered_question_ends_no_context, fresh),
      cmocka_unit_test_setup(unknown_wrappers_are_refused, fresh),
  };
  return cmocka_run_group_tests(tests, register_program, NULL);
}
