// exact_allocator.h: allocators for Thrust and CUB that serve every temporary from its own buffer.
#ifndef EXACT_ALLOCATOR_H
#define EXACT_ALLOCATOR_H

#include <cstddef>
#include <cuda_runtime_api.h>
#include <new>

// For thrust::cuda::par(allocator).on(stream), thrust::cuda::par_nosync(allocator), and vectors' temporaries.
struct ExactAllocator {
  using value_type = char;
  cudaStream_t stream = nullptr;

  char *allocate(std::ptrdiff_t bytes) {
    void *pointer = nullptr;
    if (cudaMallocAsync(&pointer, (size_t)bytes, stream) != cudaSuccess)
      throw std::bad_alloc();
    return (char *)pointer;
  }
  void deallocate(char *pointer, size_t) { cudaFreeAsync(pointer, stream); }
};

// In place of cub::CachingDeviceAllocator, with the calls that programs make.
struct ExactDeviceAllocator {
  cudaError_t DeviceAllocate(void **pointer, size_t bytes, cudaStream_t stream = nullptr) {
    return cudaMallocAsync(pointer, bytes, stream);
  }
  cudaError_t DeviceAllocate(int device, void **pointer, size_t bytes, cudaStream_t stream = nullptr) {
    cudaError_t error = cudaSetDevice(device);
    return error ? error : DeviceAllocate(pointer, bytes, stream);
  }
  cudaError_t DeviceFree(void *pointer) { return cudaFree(pointer); }
  cudaError_t DeviceFree(int device, void *pointer) {
    cudaError_t error = cudaSetDevice(device);
    return error ? error : DeviceFree(pointer);
  }
};

#endif
