/* errors.c: the mapping from the driver's errors, every error's name and text, and the thread's last error. */
#include "cpu/cudart/errors.h"

static _Thread_local cudaError_t last;

/* Since CUDA 10.1 an error of the runtime and its counterpart in the driver have the same number. */
#define CS_CUDART_ERROR(runtime, driver, text) _Static_assert((int)runtime == (int)driver, #runtime);
#define CS_CUDART_STICKY CS_CUDART_ERROR
#define CS_CUDART_OWN(runtime, text)
#include "cpu/cudart/errors.inc"
#undef CS_CUDART_ERROR
#undef CS_CUDART_STICKY
#undef CS_CUDART_OWN

cudaError_t cs_cudart_error(CUresult result) {
  switch ((int)result) {
#define CS_CUDART_ERROR(runtime, driver, text)                                                                         \
  case driver:                                                                                                         \
    return runtime;
#define CS_CUDART_STICKY CS_CUDART_ERROR
#define CS_CUDART_OWN(runtime, text)
#include "cpu/cudart/errors.inc"
#undef CS_CUDART_ERROR
#undef CS_CUDART_STICKY
#undef CS_CUDART_OWN
  default:
    return cudaErrorUnknown;
  }
}

int cs_cudart_error_is_sticky(cudaError_t error) {
  switch ((int)error) {
#define CS_CUDART_ERROR(runtime, driver, text)
#define CS_CUDART_STICKY(runtime, driver, text) case runtime:
#define CS_CUDART_OWN(runtime, text)
#include "cpu/cudart/errors.inc"
#undef CS_CUDART_ERROR
#undef CS_CUDART_STICKY
#undef CS_CUDART_OWN
    return 1;
  default:
    return 0;
  }
}

cudaError_t cs_cudart_fail(cudaError_t error) {
  if (error != cudaSuccess)
    last = error;
  return error;
}

cudaError_t cs_cudart_last_error(void) {
  return last;
}

void cs_cudart_clear_last_error(void) {
  last = cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t error) {
  switch ((int)error) {
#define CS_CUDART_OWN(runtime, text)                                                                                   \
  case runtime:                                                                                                        \
    return #runtime;
#define CS_CUDART_ERROR(runtime, driver, text) CS_CUDART_OWN(runtime, text)
#define CS_CUDART_STICKY CS_CUDART_ERROR
#include "cpu/cudart/errors.inc"
#undef CS_CUDART_ERROR
#undef CS_CUDART_STICKY
#undef CS_CUDART_OWN
  default:
    return "unrecognized error code";
  }
}

const char *cudaGetErrorString(cudaError_t error) {
  switch ((int)error) {
#define CS_CUDART_OWN(runtime, text)                                                                                   \
  case runtime:                                                                                                        \
    return text;
#define CS_CUDART_ERROR(runtime, driver, text) CS_CUDART_OWN(runtime, text)
#define CS_CUDART_STICKY CS_CUDART_ERROR
#include "cpu/cudart/errors.inc"
#undef CS_CUDART_ERROR
#undef CS_CUDART_STICKY
#undef CS_CUDART_OWN
  default:
    return "unrecognized error code";
  }
}
