// library_operands.cu: calls of the CPU device's libraries whose buffers just fit; with an argument, each call is made once
// for each of its buffers, which then lacks its last byte.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>
#include <cusolverDn.h>
#include <cusparse.h>

static int buffers, short_one = -1; // of the current call; the one that lacks its last byte

static void *buffer(size_t bytes) {
  void *p = nullptr;
  if (cudaMalloc(&p, bytes))
    exit(1);
  cudaMemset(p, 0, bytes);
  if (buffers++ != short_one)
    return p;
  cudaFree(p);
  cudaMalloc(&p, bytes - 1);
  cudaMemset(p, 0, bytes - 1);
  return p;
}
static float *floats(size_t count) {
  return (float *)buffer(count * sizeof(float));
}

static cublasLtMatrixLayout_t layout(int rows, int columns, int distance, cudaDataType type = CUDA_R_32F) {
  cublasLtMatrixLayout_t made;
  cublasLtMatrixLayoutCreate(&made, type, rows, columns, distance);
  return made;
}

// A product of 5 x 6 and 6 x 4 with this epilogue: the bias, or its gradient, and the auxiliary matrix of 5 x 4 are operands, too.
static int product(int epilogue, size_t bias, size_t aux, int64_t lead) {
  static cublasLtHandle_t handle;
  if (!handle)
    cublasLtCreate(&handle);
  cublasLtMatmulDesc_t o;
  cublasLtMatmulDescCreate(&o, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  void *at_bias = bias ? buffer(bias) : nullptr, *at_aux = aux ? buffer(aux) : nullptr;
  cublasLtMatmulDescSetAttribute(o, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  cublasLtMatmulDescSetAttribute(o, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at_bias, sizeof at_bias);
  cublasLtMatmulDescSetAttribute(o, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &at_aux, sizeof at_aux);
  cublasLtMatmulDescSetAttribute(o, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &lead, sizeof lead);
  float one = 1;
  return cublasLtMatmul(handle, o, &one, floats(8 * 5 + 5), layout(5, 6, 8), floats(6 * 4), layout(6, 4, 6), &one,
                        floats(5 * 4), layout(5, 4, 5), floats(7 * 3 + 5), layout(5, 4, 7), nullptr, nullptr, 0, 0);
}

static int transform() {
  cublasLtHandle_t handle;
  cublasLtCreate(&handle);
  cublasLtMatrixTransformDesc_t t;
  cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F);
  float one = 1;
  return cublasLtMatrixTransform(handle, t, &one, floats(20), layout(5, 4, 5), &one, floats(20), layout(5, 4, 5),
                                 buffer(40), layout(5, 4, 5, CUDA_R_16F), 0);
}

// Each of cuSOLVER's operands: 5 x 3, or 4 x 4 and 4 x 2; the workspace is not compared.
static int solve(int which) {
  static cusolverDnHandle_t handle;
  static float *work;
  if (!handle) {
    cusolverDnCreate(&handle);
    cudaMalloc(&work, 100 * sizeof *work);
  }
  auto info = [] { return (int *)buffer(4); };
  auto pivots = [](int n) { return (int *)buffer(4 * n); };
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const auto vectors = CUSOLVER_EIG_MODE_VECTOR;
  static gesvdjInfo_t jacobi;
  if (!jacobi)
    cusolverDnCreateGesvdjInfo(&jacobi);
  switch (which) {
  case 0:
    return cusolverDnSpotrf(handle, lower, 4, floats(6 * 3 + 4), 6, work, 100, info());
  case 1:
    return cusolverDnSpotrs(handle, lower, 4, 2, floats(4 * 4), 4, floats(4 * 2), 4, info());
  case 2:
    return cusolverDnSgetrf(handle, 5, 3, floats(5 * 3), 5, work, pivots(3), info());
  case 3: {
    int one[] = {1, 2, 3, 4}, *p = pivots(4);
    cudaMemcpy(p, one, sizeof one - (buffers - 1 == short_one), cudaMemcpyHostToDevice);
    return cusolverDnSgetrs(handle, CUBLAS_OP_N, 4, 2, floats(4 * 4), 4, p, floats(4 * 2), 4, info());
  }
  case 4:
    return cusolverDnSgeqrf(handle, 5, 3, floats(5 * 3), 5, floats(3), work, 100, info());
  case 5:
    return cusolverDnSorgqr(handle, 5, 3, 2, floats(5 * 3), 5, floats(2), work, 100, info());
  case 6:
    return cusolverDnSormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, 5, 2, 3, floats(5 * 3), 5, floats(3), floats(5 * 2),
                            5, work, 100, info());
  case 7:
    return cusolverDnSgesvd(handle, 'S', 'A', 5, 3, floats(5 * 3), 5, floats(3), floats(5 * 3), 5, floats(3 * 3), 3,
                            work, 100, nullptr, info());
  case 8:
    return cusolverDnSgesvdj(handle, vectors, 1, 5, 3, floats(5 * 3), 5, floats(3), floats(5 * 3), 5, floats(3 * 3), 3,
                             work, 100, info(), jacobi);
  case 9:
    return cusolverDnSsyevd(handle, vectors, lower, 4, floats(4 * 4), 4, floats(4), work, 100, info());
  case 10:
    return cusolverDnXgesvd(handle, nullptr, 'N', 'N', 5, 3, CUDA_R_32F, floats(5 * 3), 5, CUDA_R_32F, floats(3),
                            CUDA_R_32F, nullptr, 1, CUDA_R_32F, nullptr, 1, CUDA_R_32F, work, 400, nullptr, 0, info());
  case 11:
    return cusolverDnXgetrf(handle, nullptr, 4, 4, CUDA_R_32F, floats(4 * 4), 4, (int64_t *)buffer(4 * 8), CUDA_R_32F,
                            work, 400, nullptr, 0, info());
  default:
    return cusolverDnSgesvdjBatched(handle, vectors, 4, 3, floats(2 * 4 * 3), 4, floats(2 * 3), floats(2 * 4 * 4), 4,
                                    floats(2 * 3 * 3), 3, work, 100, (int *)buffer(2 * 4), jacobi, 2);
  }
}

// Each of cuSPARSE's operands: a matrix of 4 x 3 with 5 elements, all of them in the first column, whose indices and values are 0.
static int sparse(int which) {
  static cusparseHandle_t handle;
  if (!handle)
    cusparseCreate(&handle);
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t x, y;
  cusparseDnMatDescr_t b, c;
  float one = 1;
  if (which == 0)
    cusparseCreateCsr(&a, 4, 3, 5, buffer(5 * 4), buffer(5 * 4), floats(5), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  else
    cusparseCreateCoo(&a, 4, 3, 5, buffer(5 * 8), buffer(5 * 8), floats(5), CUSPARSE_INDEX_64I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  if (which == 0) {
    cusparseCreateDnVec(&x, 3, floats(3), CUDA_R_32F);
    cusparseCreateDnVec(&y, 4, floats(4), CUDA_R_32F);
    return cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &one, y, CUDA_R_32F,
                        CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  }
  if (which == 1) {
    cusparseCreateDnMat(&b, 3, 2, 3, floats(3 * 2), CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&c, 4, 2, 3, floats(3 * 3 + 2), CUDA_R_32F, CUSPARSE_ORDER_ROW);
    return cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, b, &one, c,
                        CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  }
  cusparseCreateDnMat(&b, 4, 3, 4, floats(4 * 3), CUDA_R_32F, CUSPARSE_ORDER_COL);
  return cusparseSparseToDense(handle, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr);
}

static cusparseSpMatDescr_t csr(int rows, int columns, int count) {
  cusparseSpMatDescr_t made;
  cusparseCreateCsr(&made, rows, columns, count, buffer((rows + 1) * 4), buffer(count * 4), floats(count),
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  return made;
}
static cusparseDnVecDescr_t vector(int size) {
  cusparseDnVecDescr_t made;
  cusparseCreateDnVec(&made, size, floats(size), CUDA_R_32F);
  return made;
}
static cusparseDnMatDescr_t matrix(int rows, int columns) {
  cusparseDnMatDescr_t made;
  cusparseCreateDnMat(&made, rows, columns, rows, floats(rows * columns), CUDA_R_32F, CUSPARSE_ORDER_COL);
  return made;
}

// Solves, sampled products, products of sparse matrices, conversions, and sparse vectors.
static int sparse_rest(int which) {
  static cusparseHandle_t handle;
  if (!handle)
    cusparseCreate(&handle);
  const auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  float one = 1;
  if (which == 0)
    return cusparseSDDMM(handle, op, op, &one, matrix(4, 2), matrix(2, 3), &one, csr(4, 3, 5), CUDA_R_32F,
                         CUSPARSE_SDDMM_ALG_DEFAULT, nullptr);
  if (which == 1) {
    cusparseSpSVDescr_t solver;
    cusparseSpSV_createDescr(&solver);
    cusparseSpMatDescr_t a = csr(3, 3, 4);
    cusparseDnVecDescr_t x = vector(3), y = vector(3);
    cusparseSpSV_analysis(handle, op, &one, a, x, y, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, solver, nullptr);
    return cusparseSpSV_solve(handle, op, &one, a, x, y, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, solver);
  }
  if (which == 2)
    return cusparseDenseToSparse_convert(handle, matrix(4, 3), csr(4, 3, 5), CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                         nullptr);
  if (which == 3)
    return cusparseCsr2cscEx2(handle, 4, 3, 5, floats(5), (int *)buffer(5 * 4), (int *)buffer(5 * 4), floats(5),
                              (int *)buffer(4 * 4), (int *)buffer(5 * 4), CUDA_R_32F, CUSPARSE_ACTION_NUMERIC,
                              CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, nullptr);
  if (which == 4) {
    cusparseSpGEMMDescr_t made;
    cusparseSpGEMM_createDescr(&made);
    return cusparseSpGEMM_copy(handle, op, op, &one, csr(4, 3, 5), csr(3, 3, 4), &one, csr(4, 3, 6), CUDA_R_32F,
                               CUSPARSE_SPGEMM_DEFAULT, made);
  }
  if (which == 5)
    return cusparseXcsr2coo(handle, (int *)buffer(5 * 4), 5, 4, (int *)buffer(5 * 4), CUSPARSE_INDEX_BASE_ZERO);
  cusparseSpVecDescr_t x;
  cusparseCreateSpVec(&x, 9, 4, buffer(4 * 4), floats(4), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  return cusparseGather(handle, vector(9), x);
}

enum { END = -1, SOLVES = 7, LAST_SOLVE = SOLVES + 12, LAST_SPARSE = LAST_SOLVE + 3, LAST = LAST_SPARSE + 7 };
static int call(int n) {
  buffers = 0;
  switch (n) {
  case 0:
    return product(CUBLASLT_EPILOGUE_BIAS, 5 * 4, 0, 0);
  case 1:
    return product(CUBLASLT_EPILOGUE_GELU_AUX_BIAS, 5 * 4, (8 * 3 + 5) * 4, 8);
  case 2:
    return product(CUBLASLT_EPILOGUE_RELU_AUX, 0, 16 * 3 + 1, 128);
  case 3:
    return product(CUBLASLT_EPILOGUE_DGELU_BGRAD, 5 * 4, (8 * 3 + 5) * 4, 8);
  case 4:
    return product(CUBLASLT_EPILOGUE_DRELU, 0, 16 * 3 + 1, 128);
  case 5:
    return product(CUBLASLT_EPILOGUE_BGRADB, 4 * 4, 0, 0);
  case 6:
    return transform();
  default:
    return n <= LAST_SOLVE    ? solve(n - SOLVES)
           : n <= LAST_SPARSE ? sparse(n - LAST_SOLVE - 1)
           : n <= LAST        ? sparse_rest(n - LAST_SPARSE - 1)
                              : END;
  }
}

static int make_all() {
  int failed = 0;
  for (int n = 0, status; (status = call(n)) != END; n++) {
    if (status)
      printf("call %d fails with %d\n", n, status);
    failed += status != 0;
  }
  return failed;
}

// Prints the buffers that a call accepts although they lack their last byte; expects on_error=contain.
static int shorten_each() {
  int refused = 0;
  for (int n = 0; call(n) != END; n++) {
    int count = buffers;
    for (short_one = 0; short_one < count; short_one++)
      if (call(n))
        refused++;
      else
        printf("case %d accepts %d\n", n, short_one);
    short_one = -1;
  }
  return refused;
}

int main(int argc, char **) {
  if (argc > 1)
    printf("%d buffers refused\n", shorten_each());
  else
    printf("%d calls failed\n", make_all());
  return cudaDeviceSynchronize() != cudaSuccess;
}
