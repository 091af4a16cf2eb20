/* support.h: what the driver's tests share: cmocka, a hand-built device image, and short checks. */
#ifndef CUSAFE_CPU_TESTS_SUPPORT_H
#define CUSAFE_CPU_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda.h>

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)
#define FAILS(call, error) assert_int_equal(call, error)

/* The kernels of kernels.cl as an image; to be freed. */
void *test_image(void);

/* Group setup and teardown: the primary context of device 0 is current. */
int test_start(void **state);
int test_end(void **state);
/* The kernel, from a module that is loaded once in a process. */
CUfunction test_kernel(const char *name);

#endif
