/* gemm.h: products of matrices of any types, which are converted to the type that OpenBLAS computes with. */
#ifndef CUSAFE_CPU_LIBRARIES_GEMM_H
#define CUSAFE_CPU_LIBRARIES_GEMM_H

#include "cpu/libraries/blas.h"
#include "cpu/libraries/numbers.h"

/* A matrix, or a batch of them: `at` is an array of addresses, or the matrices are `stride` elements apart. */
struct cs_gemm_matrix {
  void *at;
  int type; /* enum cs_number */
  int op;   /* cublasOperation_t: element (i, j) is (j, i) of the matrix in memory, for 2 conjugated */
  int is_array;
  int64_t distance, stride;
};

/* c = alpha a b + beta c, m x n, with k products for each element; c is not read if beta is 0. */
struct cs_gemm {
  void *function; /* the gemm of OpenBLAS for `work` */
  int work;       /* the type that it computes with: CS_R_32F, CS_R_64F, CS_C_32F or CS_C_64F */
  int scale;      /* the type of alpha */
  int scale_c;    /* the type of beta */
  enum { CS_GEMM_ALL, CS_GEMM_LOWER, CS_GEMM_UPPER } part; /* of the result that is stored, with its diagonal */
  int is_hermitian;                                        /* the diagonal of the result is real */
  int m, n, k;
  int64_t batch;
  struct cs_blas_factor alpha, beta;
  struct cs_gemm_matrix a, b, c;
};
void cs_gemm_run(void *gemm);

/* Sets function, work and the types of the factors for a cublasComputeType_t. Returns a cublasStatus_t:
 * CUBLAS_STATUS_NOT_SUPPORTED for types that cuBLAS does not combine, or where OpenBLAS is missing, which is stated. */
int cs_gemm_choose(struct cs_gemm *gemm, const char *call, int compute);

#endif
