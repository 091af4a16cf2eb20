/* runtime.c: how public calls end, and the calls that query the last error. */
#include "cpu/cudart/runtime.h"

cudaError_t cs_cudart_done(CUresult result) {
  if (result == CUDA_SUCCESS)
    return cudaSuccess;
  cudaError_t error = cs_cudart_error(result);
  if (cs_cudart_error_is_sticky(error))
    cs_cudart_context_lost(error);
  return cs_cudart_fail(error);
}

cudaError_t cudaPeekAtLastError(void) {
  cudaError_t error = cs_cudart_driver_ready();
  if (error == cudaSuccess)
    error = cs_cudart_last_error();
  return error == cudaSuccess ? cs_cudart_context_sticky() : error;
}

/* A missing driver and a lost context are reported for as long as they last, as NVIDIA's runtime does. */
cudaError_t cudaGetLastError(void) {
  cudaError_t error = cudaPeekAtLastError();
  cs_cudart_clear_last_error();
  return error;
}
