/* described.h: operands that a descriptor of cuBLASLt or cuSPARSE describes, as the library's own calls read it. Empty
 * if the library does not answer, or for layouts that are not known. */
#ifndef CUSAFE_HOST_LIBRARIES_DESCRIBED_H
#define CUSAFE_HOST_LIBRARIES_DESCRIBED_H

#include "host/findings/span.h"

/* The matrices of a cublasLtMatrixLayout_t at `base`. */
struct cs_host_span cs_host_lt_matrices(enum cs_access access, const void *layout, cs_u64 base);
/* Whether the factor of a cublasLtMatmulDesc_t is known not to be 0. */
int cs_host_lt_is_scaled(const void *operation, const void *factor);
/* The vector of biases, or of their gradients, and the auxiliary matrix that the product's epilogue reads or writes;
 * layout: of the result. */
struct cs_host_span cs_host_lt_bias(const void *operation, const void *layout);
struct cs_host_span cs_host_lt_aux(const void *operation, const void *layout);
/* Whether the factor of a cublasLtMatrixTransformDesc_t is known not to be 0. */
int cs_host_lt_is_transformed(const void *transform, const void *factor);

/* The first array of a sparse matrix that does not fit its buffer, or else the last: offsets or row indices, column
 * indices (of the compressed form: the other indices), values; the last may be accessed in another way. */
struct cs_host_span cs_host_sparse_matrix(enum cs_access indices, enum cs_access values, const void *descriptor);
/* The same for a sparse vector, which has two arrays. */
struct cs_host_span cs_host_sparse_entries(enum cs_access values, const void *descriptor);
struct cs_host_span cs_host_sparse_vector(enum cs_access access, const void *descriptor);
struct cs_host_span cs_host_sparse_dense(enum cs_access access, const void *descriptor);
/* Whether alpha is known not to be 0; its type is a cudaDataType. */
int cs_host_sparse_is_scaled(void *handle, const void *alpha, int type);

#endif
