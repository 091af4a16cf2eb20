/* harness.h: what the runtime's unit tests share: cmocka, the mock, and a program's registration calls. */
#ifndef CUSAFE_CUDART_TESTS_HARNESS_H
#define CUSAFE_CUDART_TESTS_HARNESS_H

#include "cpu/cudart/registration.h"
#include "cpu/cudart/tests/mock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline struct cs_fatbin_wrapper wrap(const void *image) {
  return (struct cs_fatbin_wrapper){CS_FATBIN_WRAPPER_MAGIC, 1, image, NULL};
}

static inline void register_kernel(void **binary, const void *host, const char *name) {
  __cudaRegisterFunction(binary, host, (char *)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static inline cudaError_t launch(const void *host, unsigned grid, unsigned block) {
  return cudaLaunchKernel(host, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, NULL, 0, NULL);
}

/* Errors must not leak into the next test. */
static inline int fresh(void **state) {
  (void)state;
  mock_reset();
  cudaDeviceReset();
  cudaGetLastError();
  mock_reset();
  return 0;
}

#endif
