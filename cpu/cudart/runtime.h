/* runtime.h: the shape of every public call: CS_CUDART_ENTER() (driver loaded, a context current), its own argument
 * checks, one driver call, and cs_cudart_done(). All calls may be made from any thread. */
#ifndef CUSAFE_CUDART_RUNTIME_H
#define CUSAFE_CUDART_RUNTIME_H

#include "cpu/cudart/context.h"
#include "cpu/cudart/driver.h"
#include "cpu/cudart/errors.h"

/* Each returns from the caller with the error that it finds. */
#define CS_CUDART_ENTER_IN(context)                                                                                    \
  do {                                                                                                                 \
    cudaError_t error_ = cs_cudart_enter(&(context));                                                                  \
    if (error_ != cudaSuccess)                                                                                         \
      return cs_cudart_fail(error_);                                                                                   \
  } while (0)
#define CS_CUDART_ENTER()                                                                                              \
  do {                                                                                                                 \
    struct cs_cudart_context *context_;                                                                                \
    CS_CUDART_ENTER_IN(context_);                                                                                      \
  } while (0)
#define CS_CUDART_READY()                                                                                              \
  do {                                                                                                                 \
    cudaError_t error_ = cs_cudart_driver_ready();                                                                     \
    if (error_ != cudaSuccess)                                                                                         \
      return cs_cudart_fail(error_);                                                                                   \
  } while (0)
/* Finds the driver's device. */
#define CS_CUDART_DEVICE(ordinal, device)                                                                              \
  do {                                                                                                                 \
    CS_CUDART_READY();                                                                                                 \
    cudaError_t found_ = cs_cudart_driver_device(ordinal, &(device));                                                  \
    if (found_ != cudaSuccess)                                                                                         \
      return cs_cudart_fail(found_);                                                                                   \
  } while (0)
#define CS_CUDART_CHECK(condition)                                                                                     \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return cs_cudart_fail(cudaErrorInvalidValue);                                                                    \
  } while (0)

/* Turns the driver's result into the runtime's error, remembers it for cudaGetLastError, and returns it. */
cudaError_t cs_cudart_done(CUresult result);

static inline CUdeviceptr cs_cudart_address(const void *pointer) {
  return (CUdeviceptr)pointer;
}

#endif
