/* set.c: filling device memory with a byte, in one, two and three dimensions. */
#include "cpu/cudart/runtime.h"

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
  CS_CUDART_ENTER();
  if (!size)
    return cudaSuccess;
  CS_CUDART_CHECK(pointer);
  return cs_cudart_done(CU(MemsetD8, cs_cudart_address(pointer), (unsigned char)value, size));
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream) {
  CS_CUDART_ENTER();
  if (!size)
    return cudaSuccess;
  CS_CUDART_CHECK(pointer);
  return cs_cudart_done(CU(MemsetD8Async, cs_cudart_address(pointer), (unsigned char)value, size, stream));
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  CS_CUDART_ENTER();
  if (!width || !height)
    return cudaSuccess;
  CS_CUDART_CHECK(pointer && (height == 1 || width <= pitch));
  return cs_cudart_done(CU(MemsetD2D8, cs_cudart_address(pointer), pitch, (unsigned char)value, width, height));
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  CS_CUDART_ENTER();
  if (!width || !height)
    return cudaSuccess;
  CS_CUDART_CHECK(pointer && (height == 1 || width <= pitch));
  return cs_cudart_done(
      CU(MemsetD2D8Async, cs_cudart_address(pointer), pitch, (unsigned char)value, width, height, stream));
}

/* One fill of rows for each slice: slices need not be adjacent. */
cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
  cudaError_t error = cudaSuccess;
  for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
    error = cudaMemset2D((char *)to.ptr + z * to.pitch * to.ysize, to.pitch, value, extent.width, extent.height);
  return error;
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
    error = cudaMemset2DAsync((char *)to.ptr + z * to.pitch * to.ysize, to.pitch, value, extent.width, extent.height,
                              stream);
  return error;
}
