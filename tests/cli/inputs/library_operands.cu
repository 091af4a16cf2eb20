// library_operands.cu: calls of the CPU device's libraries whose buffers just fit; with an argument, each call is made once
// for each of its buffers, which then lacks its last byte.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>

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

enum { END = -1 };
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
    return END;
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
