/* lt.h: what the files of cuBLASLt share: its descriptors, which are in memory of the caller or of the library. */
#ifndef CUSAFE_CPU_LIBRARIES_LT_H
#define CUSAFE_CPU_LIBRARIES_LT_H

#include <stddef.h>
#include <stdint.h>

/* cublasStatus_t, with the values of cublas_api.h. */
enum {
  CS_LT_SUCCESS = 0,
  CS_LT_NOT_INITIALIZED = 1,
  CS_LT_ALLOC_FAILED = 3,
  CS_LT_INVALID_VALUE = 7,
  CS_LT_EXECUTION_FAILED = 13,
  CS_LT_NOT_SUPPORTED = 15
};

#define CS_LT_FIELD(number, type, name, otherwise) type name;
/* A matrix, or a batch of them: cublasLtMatrixLayout_t. */
struct cs_lt_layout {
#define CS_LT_LAYOUT CS_LT_FIELD
#include "cpu/libraries/lt_attributes.inc"
};
/* cublasLtMatmulDesc_t. */
struct cs_lt_operation {
#define CS_LT_OPERATION CS_LT_FIELD
#include "cpu/libraries/lt_attributes.inc"
};
/* cublasLtMatrixTransformDesc_t. */
struct cs_lt_transform {
#define CS_LT_TRANSFORM CS_LT_FIELD
#include "cpu/libraries/lt_attributes.inc"
};
/* cublasLtMatmulPreference_t: makes no difference, but can be read again. */
struct cs_lt_preference {
#define CS_LT_PREFERENCE CS_LT_FIELD
#include "cpu/libraries/lt_attributes.inc"
};
/* cublasLtMatmulAlgo_t, likewise. */
struct cs_lt_algorithm {
#define CS_LT_ALGORITHM CS_LT_FIELD
#include "cpu/libraries/lt_attributes.inc"
};

/* cublasLtEpilogue_t is a set of these, or CS_LT_PLAIN. */
enum {
  CS_LT_PLAIN = 1,
  CS_LT_RELU = 2,
  CS_LT_BIAS = 4,
  CS_LT_RELU_GRADIENT = 8,
  CS_LT_BIAS_GRADIENT = 16,
  CS_LT_GELU = 32,
  CS_LT_GELU_GRADIENT = 64,
  CS_LT_AUX = 128,
  CS_LT_BIAS_GRADIENT_A = 256,
  CS_LT_BIAS_GRADIENT_B = 512
};

/* Element (i, j) of a matrix. */
static inline size_t cs_lt_index(const struct cs_lt_layout *layout, int64_t i, int64_t j) {
  return (size_t)(layout->order ? i * layout->distance + j : j * layout->distance + i);
}

/* Declares and starts the definition of a public function. */
#define CS_LT_PUBLIC(name, parameters)                                                                                 \
  int name parameters;                                                                                                 \
  int name parameters

#endif
