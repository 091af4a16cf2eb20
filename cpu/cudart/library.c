/* library.c: libraries of device code that a program loads, and their kernels. Kernels are the driver's own handles;
 * those that were returned are remembered, because launches accept them in place of host functions. */
#include "cpu/cudart/library.h"
#include "cpu/cudart/map.h"
#include "cpu/cudart/runtime.h"
#include <pthread.h>
#include <stdlib.h>

_Static_assert(sizeof(enum cudaJitOption) == sizeof(CUjit_option) &&
                   (int)cudaJitMaxThreadsPerBlock == (int)CU_JIT_MAX_THREADS_PER_BLOCK,
               "compiler options are passed through");
_Static_assert(sizeof(enum cudaLibraryOption) == sizeof(CUlibraryOption), "library options, too");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_cudart_map kernels; /* CUkernel to itself */

static cudaError_t remember(CUkernel *found, size_t count) {
  int failed = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < count; i++)
    failed |= cs_cudart_map_put(&kernels, found[i], found[i]);
  pthread_mutex_unlock(&lock);
  return failed ? cs_cudart_fail(cudaErrorMemoryAllocation) : cudaSuccess;
}

int cs_cudart_is_library_kernel(const void *handle) {
  pthread_mutex_lock(&lock);
  int found = cs_cudart_map_get(&kernels, handle) != NULL;
  pthread_mutex_unlock(&lock);
  return found;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit, void **jit_values,
                                unsigned jit_count, enum cudaLibraryOption *options, void **values, unsigned count) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(library && code);
  return cs_cudart_done(CU(LibraryLoadData, library, code, (CUjit_option *)jit, jit_values, jit_count,
                           (CUlibraryOption *)options, values, count));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *jit,
                                    void **jit_values, unsigned jit_count, enum cudaLibraryOption *options,
                                    void **values, unsigned count) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(library && path);
  return cs_cudart_done(CU(LibraryLoadFromFile, library, path, (CUjit_option *)jit, jit_values, jit_count,
                           (CUlibraryOption *)options, values, count));
}

/* Its kernels stay remembered; the driver refuses stale handles. */
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(LibraryUnload, library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(kernel && name);
  CUresult result = CU(LibraryGetKernel, kernel, library, name);
  return result == CUDA_SUCCESS ? remember(kernel, 1) : cs_cudart_done(result);
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(count);
  return cs_cudart_done(CU(LibraryGetKernelCount, count, library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *out, unsigned count, cudaLibrary_t library) {
  unsigned there = 0;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && count);
  CUresult result = CU(LibraryGetKernelCount, &there, library);
  if (result == CUDA_SUCCESS)
    result = CU(LibraryEnumerateKernels, out, count, library);
  return result == CUDA_SUCCESS ? remember(out, count < there ? count : there) : cs_cudart_done(result);
}

cudaError_t cudaLibraryGetGlobal(void **out, size_t *size, cudaLibrary_t library, const char *name) {
  CUdeviceptr address;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(name && (out || size));
  CUresult result = CU(LibraryGetGlobal, &address, size, library, name);
  if (result == CUDA_SUCCESS && out)
    *out = (void *)address;
  return cs_cudart_done(result);
}

cudaError_t cudaLibraryGetManaged(void **out, size_t *size, cudaLibrary_t library, const char *name) {
  CUdeviceptr address;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(name && (out || size));
  CUresult result = CU(LibraryGetManaged, &address, size, library, name);
  if (result == CUDA_SUCCESS && out)
    *out = (void *)address;
  return cs_cudart_done(result);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute which, int value, int ordinal) {
  CUdevice device;
  CS_CUDART_ENTER();
  cudaError_t error = cs_cudart_driver_device(ordinal, &device);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  if (!cs_cudart_is_library_kernel(kernel))
    return cs_cudart_fail(cudaErrorInvalidResourceHandle);
  return cs_cudart_done(CU(KernelSetAttribute, (CUfunction_attribute)which, value, kernel, device));
}
