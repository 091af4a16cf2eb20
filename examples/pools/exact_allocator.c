/* exact_allocator.c: the two functions that PyTorch's pluggable allocator loads. Every tensor is one buffer, with its
 * exact bounds and lifetime.
 *
 *     cc -shared -fPIC -I/usr/local/cuda/include exact_allocator.c -o libexact_allocator.so \
 *       -L/usr/local/cuda/lib64 -lcudart */
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <sys/types.h>

void *exact_malloc(ssize_t bytes, int device, cudaStream_t stream);
void exact_free(void *pointer, ssize_t bytes, int device, cudaStream_t stream);

void *exact_malloc(ssize_t bytes, int device, cudaStream_t stream) {
  int before;
  void *pointer = NULL;
  if (bytes <= 0 || cudaGetDevice(&before) || cudaSetDevice(device))
    return NULL;
  if (cudaMallocAsync(&pointer, (size_t)bytes, stream))
    pointer = NULL;
  cudaSetDevice(before);
  return pointer;
}

void exact_free(void *pointer, ssize_t bytes, int device, cudaStream_t stream) {
  (void)bytes, (void)device;
  cudaFreeAsync(pointer, stream);
}
