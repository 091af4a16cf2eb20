// cublaslt.cu: cuBLASLt on the CPU device: types, operations, orders, batches, pointer modes and epilogues, against naive
// computations on the host in double precision.
// FLAGS: -lcublasLt
#include "numbers.h"
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <functional>

#define OK(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)
static cublasLtHandle_t handle() {
  static cublasLtHandle_t made = nullptr;
  if (!made)
    OK(cublasLtCreate(&made));
  return made;
}

template <typename T> constexpr cudaDataType type_of = CUDA_R_32F;
template <> constexpr cudaDataType type_of<double> = CUDA_R_64F;
template <> constexpr cudaDataType type_of<__half> = CUDA_R_16F;
template <> constexpr cudaDataType type_of<__nv_bfloat16> = CUDA_R_16BF;
template <> constexpr cudaDataType type_of<int8_t> = CUDA_R_8I;
template <> constexpr cudaDataType type_of<int> = CUDA_R_32I;
template <> constexpr cudaDataType type_of<Single> = CUDA_C_32F;
template <> constexpr cudaDataType type_of<Double> = CUDA_C_64F;

template <typename T> static Double wide(T x) {
  if constexpr (is_complex<T>)
    return Double(x.real(), x.imag());
  else
    return Double((double)x, 0);
}
// Integers for the integer types; quarters of integers for the others, which all types have.
template <typename T> static T some() {
  int n = (int)(random_bits() % 15) - 7;
  if constexpr (is_complex<T>)
    return T((Real<T>)n / 4, (Real<T>)(n % 3));
  else if constexpr (std::is_integral<T>::value)
    return (T)n;
  else
    return (T)((float)n / 4);
}

// A batch of matrices, with gaps between columns and between matrices.
template <typename T> struct Matrix {
  int rows, columns, count, distance, stride;
  bool by_rows;
  Array<T> at;
  cublasLtMatrixLayout_t layout;
  Matrix(int rows, int columns, bool by_rows = false, int count = 1)
      : rows(rows), columns(columns), count(count), distance((by_rows ? columns : rows) + 3),
        stride(distance * (by_rows ? rows : columns) + 5), by_rows(by_rows),
        at((size_t)stride * (count - 1) + distance * ((by_rows ? rows : columns) - 1) + (by_rows ? columns : rows)) {
    for (size_t i = 0; i < at.count; i++)
      at[i] = some<T>();
    at.upload();
    int order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    int64_t offset = stride;
    OK(cublasLtMatrixLayoutCreate(&layout, type_of<T>, rows, columns, distance));
    OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
    OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &offset, sizeof offset));
  }
  ~Matrix() { OK(cublasLtMatrixLayoutDestroy(layout)); }
  T &operator()(int batch, int i, int j) {
    return at[(size_t)batch * stride + (by_rows ? i * distance + j : j * distance + i)];
  }
};

struct Operation {
  cublasLtMatmulDesc_t made;
  Operation(cublasComputeType_t compute, cudaDataType scale) { OK(cublasLtMatmulDescCreate(&made, compute, scale)); }
  ~Operation() { OK(cublasLtMatmulDescDestroy(made)); }
  template <typename T> void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    OK(cublasLtMatmulDescSetAttribute(made, attribute, &value, sizeof value));
  }
};

template <typename T> static Double operated(Matrix<T> &m, int op, int batch, int i, int j) {
  Double x = wide(op ? m(batch, j, i) : m(batch, i, j));
  return op == CUBLAS_OP_C ? std::conj(x) : x;
}
template <typename A> static Double product(Matrix<A> &a, int op_a, Matrix<A> &b, int op_b, int batch, int i, int j) {
  Double sum = 0;
  for (int k = 0; k < (op_a ? a.rows : a.columns); k++)
    sum += operated(a, op_a, batch, i, k) * operated(b, op_b, batch, k, j);
  return sum;
}

// The device's number, in the precision of its type.
template <typename T> static bool is(T got, Double expected) {
  double bound = sizeof(Real<T>) == 8             ? 1e-12
                 : std::is_same<T, __half>::value ? 2e-3
                 : sizeof(Real<T>) == 2           ? 1e-2
                                                  : 1e-5;
  if (std::is_integral<T>::value)
    bound = 0;
  bool near = std::abs(wide(got) - expected) <= bound * (1 + std::abs(expected));
  if (!near)
    printf("%g is not %g\n", std::abs(wide(got)), std::abs(expected));
  return near;
}
// Whether d has these elements, and what is between its columns is as it was.
template <typename T, typename F> static bool has(Matrix<T> &d, F expected) {
  std::vector<T> before(d.at.host, d.at.host + d.at.count);
  std::vector<bool> is_element(d.at.count);
  CU(cudaDeviceSynchronize());
  d.at.download();
  for (int batch = 0; batch < d.count; batch++)
    for (int i = 0; i < d.rows; i++)
      for (int j = 0; j < d.columns; j++) {
        is_element[&d(batch, i, j) - d.at.host] = true;
        if (!is(d(batch, i, j), expected(batch, i, j)))
          return false;
      }
  for (size_t i = 0; i < d.at.count; i++)
    if (!is_element[i] && memcmp(&before[i], &d.at[i], sizeof(T)) != 0)
      return false;
  return true;
}

enum { M = 5, N = 4, K = 6 };
// One combination of types, with all operations and orders, and batches: A and B of type T, C and D of type R, factors of type S.
template <typename T, typename R, typename S> static void combined(cublasComputeType_t compute) {
  for (int ops = 0; ops < 9; ops++)
    for (int orders = 0; orders < 4; orders++) {
      int op_a = ops % 3, op_b = ops / 3, count = 1 + orders % 2;
      Matrix<T> a(op_a ? K : M, op_a ? M : K, orders & 1, count), b(op_b ? N : K, op_b ? K : N, orders & 2, count);
      Matrix<R> c(M, N, orders == 3, count), d(M, N, orders == 3, count);
      Operation o(compute, type_of<S>);
      o.set(CUBLASLT_MATMUL_DESC_TRANSA, op_a);
      o.set(CUBLASLT_MATMUL_DESC_TRANSB, op_b);
      S alpha = (S)2, beta = (S)-1;
      OK(cublasLtMatmul(handle(), o.made, &alpha, a.at.device, a.layout, b.at.device, b.layout, &beta, c.at.device,
                        c.layout, d.at.device, d.layout, nullptr, nullptr, 0, 0));
      EXPECT(has(d, [&](int batch, int i, int j) {
        Double sum = 2.0 * product(a, op_a, b, op_b, batch, i, j) - wide(c(batch, i, j));
        return std::is_same<R, int8_t>::value ? Double(fmin(fmax(sum.real(), -128), 127)) : sum;
      }));
    }
}
CASE(types) {
  combined<float, float, float>(CUBLAS_COMPUTE_32F);
  combined<float, float, float>(CUBLAS_COMPUTE_32F_FAST_TF32);
  combined<double, double, double>(CUBLAS_COMPUTE_64F);
  combined<Single, Single, Single>(CUBLAS_COMPUTE_32F);
  combined<Double, Double, Double>(CUBLAS_COMPUTE_64F_PEDANTIC);
  combined<__half, __half, float>(CUBLAS_COMPUTE_32F);
  combined<__half, float, float>(CUBLAS_COMPUTE_32F);
  combined<__half, __half, __half>(CUBLAS_COMPUTE_16F);
  combined<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F);
  combined<__nv_bfloat16, float, float>(CUBLAS_COMPUTE_32F);
  combined<int8_t, int, int>(CUBLAS_COMPUTE_32I);
  combined<int8_t, int8_t, float>(CUBLAS_COMPUTE_32I);
  combined<int8_t, float, float>(CUBLAS_COMPUTE_32F);
}

CASE(factors) {
  Matrix<float> a(M, K), b(K, N), c(M, N), d(M, N);
  Array<float> alphas(M), betas(M);
  for (int i = 0; i < M; i++)
    alphas[i] = (float)i + 1, betas[i] = (float)i - 2;
  alphas.upload();
  betas.upload();
  float two = 2;
  struct {
    int mode;
    const float *alpha, *beta;
    std::function<double(int)> of_alpha, of_beta;
  } modes[] = {
      {CUBLASLT_POINTER_MODE_DEVICE, alphas.device + 1, betas.device, [](int) { return 2; }, [](int) { return -2; }},
      {CUBLASLT_POINTER_MODE_DEVICE_VECTOR, alphas.device, betas.device, [](int i) { return i + 1; },
       [](int i) { return i - 2; }},
      {CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO, alphas.device, nullptr, [](int i) { return i + 1; },
       [](int) { return 0; }},
      {CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST, alphas.device, &two, [](int i) { return i + 1; },
       [](int) { return 2; }}};
  for (auto &m : modes) {
    Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    o.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, m.mode);
    OK(cublasLtMatmul(handle(), o.made, m.alpha, a.at.device, a.layout, b.at.device, b.layout, m.beta, c.at.device,
                      c.layout, d.at.device, d.layout, nullptr, nullptr, 0, 0));
    EXPECT(has(d, [&](int batch, int i, int j) {
      return m.of_alpha(i) * product(a, 0, b, 0, batch, i, j) + m.of_beta(i) * wide(c(batch, i, j));
    }));
  }
  // What a factor of 0 multiplies is not read.
  Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  float zero = 0;
  a.at[0] = NAN;
  a.at.upload();
  OK(cublasLtMatmul(handle(), o.made, &zero, a.at.device, a.layout, b.at.device, b.layout, &two, c.at.device, c.layout,
                    d.at.device, d.layout, nullptr, nullptr, 0, 0));
  EXPECT(has(d, [&](int batch, int i, int j) { return 2.0 * wide(c(batch, i, j)); }));
  OK(cublasLtMatmul(handle(), o.made, &zero, a.at.device, a.layout, b.at.device, b.layout, &zero, nullptr, c.layout,
                    d.at.device, d.layout, nullptr, nullptr, 0, 0));
  EXPECT(has(d, [&](int, int, int) { return 0; }));
}

static double gelu(double x) {
  return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

// The mask of ReLU, or the input of GELU, that an epilogue writes and its gradient reads.
struct Epilogue {
  enum { LEAD = 128 };
  Matrix<float> a, b, d;
  Numbers<float> bias;
  Array<unsigned char> mask;
  Array<float> input;
  Operation o;
  explicit Epilogue(int what)
      : a(M, K), b(K, N), d(M, N), bias(what & CUBLASLT_EPILOGUE_BGRADB ? N : M), mask(LEAD / 8 * N), input(8 * N),
        o(CUBLAS_COMPUTE_32F, CUDA_R_32F) {
    bool is_mask = what & (CUBLASLT_EPILOGUE_RELU | 8);
    o.set(CUBLASLT_MATMUL_DESC_EPILOGUE, what);
    o.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.device);
    if (!(what & 128))
      return;
    o.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, is_mask ? (void *)mask.device : (void *)input.device);
    o.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)(is_mask ? LEAD : 8));
  }
  void run() {
    float one = 1, zero = 0;
    OK(cublasLtMatmul(handle(), o.made, &one, a.at.device, a.layout, b.at.device, b.layout, &zero, nullptr, d.layout,
                      d.at.device, d.layout, nullptr, nullptr, 0, 0));
    CU(cudaDeviceSynchronize());
    mask.download();
    input.download();
  }
  double sum(int i, int j) { return product(a, 0, b, 0, 0, i, j).real(); }
  bool bit(int i, int j) { return mask[LEAD / 8 * j + i / 8] >> i % 8 & 1; }
};

CASE(epilogues) {
  for (int what : {2, 4, 6, 32, 36, 130, 134, 160, 164}) {
    Epilogue e(what);
    e.run();
    auto input = [&](int i, int j) { return e.sum(i, j) + (what & CUBLASLT_EPILOGUE_BIAS ? e.bias[i] : 0); };
    EXPECT(has(e.d, [&](int, int i, int j) {
      double x = input(i, j);
      return what & CUBLASLT_EPILOGUE_RELU ? fmax(x, 0) : what & CUBLASLT_EPILOGUE_GELU ? gelu(x) : x;
    }));
    for (int i = 0; i < M && (what & 128); i++)
      for (int j = 0; j < N; j++)
        EXPECT(what & CUBLASLT_EPILOGUE_RELU ? e.bit(i, j) == (input(i, j) > 0) : is(e.input[8 * j + i], input(i, j)));
  }
}

CASE(gradients) {
  for (int what : {136, 152, 192, 208, 256, 512}) {
    Epilogue e(what);
    for (size_t i = 0; i < e.mask.count; i++)
      e.mask[i] = (unsigned char)random_bits();
    for (size_t i = 0; i < e.input.count; i++)
      e.input[i] = number<float>() * 3;
    e.mask.upload();
    e.input.upload();
    e.run();
    auto expected = [&](int i, int j) {
      double x = what & 64 ? e.input[8 * j + i] : 0, h = 1e-4;
      double slope = what & 64 ? (gelu(x + h) - gelu(x - h)) / (2 * h) : what & 8 ? e.bit(i, j) : 1;
      return e.sum(i, j) * slope;
    };
    EXPECT(has(e.d, [&](int, int i, int j) { return expected(i, j); }));
    e.bias.download();
    for (size_t i = 0; i < e.bias.count && (what & (16 | 256 | 512)); i++) {
      double sum = 0;
      for (int k = 0; k < (what & 16 ? N : K); k++)
        sum += what & 16 ? expected((int)i, k) : what & 256 ? e.a(0, (int)i, k) : e.b(0, k, (int)i);
      EXPECT(is(e.bias[i], sum));
    }
  }
}

// A network's layer, as it is trained in 16 bits: batches, a bias in single precision, each batch with its own.
CASE(bias_batches) {
  Matrix<__nv_bfloat16> a(M, K, false, 2), b(K, N, false, 2), d(M, N, false, 2);
  Numbers<float> bias(2 * M + 1);
  Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  float one = 1, zero = 0;
  o.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
  o.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.device);
  o.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUDA_R_32F);
  o.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, (int64_t)M + 1);
  OK(cublasLtMatmul(handle(), o.made, &one, a.at.device, a.layout, b.at.device, b.layout, &zero, d.at.device, d.layout,
                    d.at.device, d.layout, nullptr, nullptr, 0, 0));
  EXPECT(has(d, [&](int batch, int i, int j) {
    return product(a, 0, b, 0, batch, i, j) + Double(bias[batch * (M + 1) + i]);
  }));
}

CASE(transforms) {
  for (int ops = 0; ops < 4; ops++)
    for (int orders = 0; orders < 8; orders++) {
      int op_a = ops % 2, op_b = ops / 2;
      Matrix<float> a(op_a ? N : M, op_a ? M : N, orders & 1, 2);
      Matrix<__half> b(op_b ? N : M, op_b ? M : N, orders & 2, 2);
      Matrix<float> c(M, N, orders & 4, 2);
      cublasLtMatrixTransformDesc_t t;
      OK(cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F));
      OK(cublasLtMatrixTransformDescSetAttribute(t, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op_a, sizeof op_a));
      OK(cublasLtMatrixTransformDescSetAttribute(t, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &op_b, sizeof op_b));
      float alpha = 3, beta = -2;
      bool has_b = orders != 5;
      OK(cublasLtMatrixTransform(handle(), t, &alpha, a.at.device, a.layout, &beta, has_b ? b.at.device : nullptr,
                                 has_b ? b.layout : nullptr, c.at.device, c.layout, 0));
      EXPECT(has(c, [&](int batch, int i, int j) {
        return 3.0 * operated(a, op_a, batch, i, j) - (has_b ? 2.0 : 0.0) * operated(b, op_b, batch, i, j);
      }));
      OK(cublasLtMatrixTransformDescDestroy(t));
    }
}

CASE(algorithms) {
  Matrix<float> a(M, K), b(K, N), d(M, N), other(M + 1, N);
  Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatmulPreference_t preference;
  size_t room = 1 << 20, written = 0;
  OK(cublasLtMatmulPreferenceCreate(&preference));
  OK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room));
  cublasLtMatmulHeuristicResult_t found[3], checked;
  int count = 0, parts = 0, number;
  OK(cublasLtMatmulAlgoGetHeuristic(handle(), o.made, a.layout, b.layout, d.layout, d.layout, preference, 3, found,
                                    &count));
  EXPECT(count >= 1 && count <= 3 && found[0].state == CUBLAS_STATUS_SUCCESS && found[0].workspaceSize <= room);
  float one = 1, zero = 0;
  OK(cublasLtMatmul(handle(), o.made, &one, a.at.device, a.layout, b.at.device, b.layout, &zero, d.at.device, d.layout,
                    d.at.device, d.layout, &found[0].algo, nullptr, 0, 0));
  EXPECT(has(d, [&](int batch, int i, int j) { return product(a, 0, b, 0, batch, i, j); }));
  OK(cublasLtMatmulAlgoGetIds(handle(), CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                              1, &number, &count));
  EXPECT(count == 1);
  OK(cublasLtMatmulAlgoInit(handle(), CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                            number, &checked.algo));
  OK(cublasLtMatmulAlgoConfigGetAttribute(&checked.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, sizeof parts,
                                          &written));
  EXPECT(parts == 1 && written == sizeof parts);
  OK(cublasLtMatmulAlgoCheck(handle(), o.made, a.layout, b.layout, d.layout, d.layout, &checked.algo, &checked));
  EXPECT(checked.state == CUBLAS_STATUS_SUCCESS);
  // Shapes that do not fit, types that are not combined, and attributes of another size.
  EXPECT(cublasLtMatmulAlgoGetHeuristic(handle(), o.made, a.layout, b.layout, d.layout, other.layout, preference, 1,
                                        found, &count) == CUBLAS_STATUS_INVALID_VALUE);
  Operation wide(CUBLAS_COMPUTE_64F, CUDA_R_64F);
  EXPECT(cublasLtMatmulAlgoGetHeuristic(handle(), wide.made, a.layout, b.layout, d.layout, d.layout, preference, 1,
                                        found, &count) == CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT(cublasLtMatmulDescSetAttribute(o.made, CUBLASLT_MATMUL_DESC_TRANSA, &room, sizeof room) ==
         CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasLtMatmul(nullptr, o.made, &one, a.at.device, a.layout, b.at.device, b.layout, &zero, d.at.device,
                        d.layout, d.at.device, d.layout, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_NOT_INITIALIZED);
  cublasLtMatrixLayoutOpaque_t inside;
  uint64_t rows = 0;
  OK(cublasLtMatrixLayoutInit(&inside, CUDA_R_32F, 7, 8, 9));
  OK(cublasLtMatrixLayoutGetAttribute(&inside, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows, &written));
  EXPECT(rows == 7 && written == sizeof rows);
  OK(cublasLtMatmulPreferenceDestroy(preference));
}

// Work in a stream that records a graph.
CASE(recorded) {
  Matrix<double> a(M, K), b(K, N), d(M, N);
  Operation o(CUBLAS_COMPUTE_64F, CUDA_R_64F);
  double one = 1, zero = 0;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t launched;
  CU(cudaStreamCreate(&stream));
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cublasLtMatmul(handle(), o.made, &one, a.at.device, a.layout, b.at.device, b.layout, &zero, d.at.device, d.layout,
                    d.at.device, d.layout, nullptr, nullptr, 0, stream));
  CU(cudaStreamEndCapture(stream, &graph));
  CU(cudaGraphInstantiate(&launched, graph, 0));
  a.at[0] = 5;
  a.at.upload();
  CU(cudaGraphLaunch(launched, stream));
  CU(cudaStreamSynchronize(stream));
  EXPECT(has(d, [&](int batch, int i, int j) { return product(a, 0, b, 0, batch, i, j); }));
  CU(cudaGraphExecDestroy(launched));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(stream));
}
