/* array.h: CUDA arrays. A cudaArray_t is the driver's CUarray, a cudaMipmappedArray_t its CUmipmappedArray. */
#ifndef CUSAFE_CUDART_ARRAY_H
#define CUSAFE_CUDART_ARRAY_H

#include "cpu/cudart/runtime.h"

static inline CUarray cs_cudart_driver_array(cudaArray_const_t array) {
  return (CUarray)(uintptr_t)array;
}
/* cudaErrorInvalidChannelDescriptor when there is no such format. */
cudaError_t cs_cudart_format(const struct cudaChannelFormatDesc *channel, CUarray_format *format, unsigned *channels);
struct cudaChannelFormatDesc cs_cudart_channel(CUarray_format format, unsigned channels);
/* The array's description and the bytes of an element. */
cudaError_t cs_cudart_array_describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR *descriptor, size_t *element);

/* A 3D copy as the driver describes it: elements become bytes where an array takes part. */
cudaError_t cs_cudart_copy_describe(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy);
struct cudaMemcpy3DParms cs_cudart_copy_parameters(const CUDA_MEMCPY3D *copy);

#endif
