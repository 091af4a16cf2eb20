/* batch.c: many copies, prefetches or discards in one call. */
#include "cpu/cudart/runtime.h"

_Static_assert(sizeof(struct cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes), "attributes are passed through");
_Static_assert(sizeof(struct cudaMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP), "operations, too");
_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "locations, too");
_Static_assert((int)cudaMemcpyOperandTypeArray == (int)CU_MEMCPY_OPERAND_TYPE_ARRAY, "and what an operand is");

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                 cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(MemcpyBatchAsync, (CUdeviceptr *)(uintptr_t)to, (CUdeviceptr *)(uintptr_t)from,
                           (size_t *)(uintptr_t)sizes, count, (CUmemcpyAttributes *)attributes, indices,
                           attribute_count, stream));
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                                   cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(Memcpy3DBatchAsync, count, (CUDA_MEMCPY3D_BATCH_OP *)operations, flags, stream));
}

cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations,
                                      size_t *indices, size_t location_count, unsigned long long flags,
                                      cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(MemPrefetchBatchAsync, (CUdeviceptr *)pointers, sizes, count, (CUmemLocation *)locations,
                           indices, location_count, flags, stream));
}

cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(MemDiscardBatchAsync, (CUdeviceptr *)pointers, sizes, count, flags, stream));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                struct cudaMemLocation *locations, size_t *indices,
                                                size_t location_count, unsigned long long flags, cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(MemDiscardAndPrefetchBatchAsync, (CUdeviceptr *)pointers, sizes, count,
                           (CUmemLocation *)locations, indices, location_count, flags, stream));
}
