// cusparse.cu: cuSPARSE's products of sparse matrices on the CPU device: formats, types, operations, orders, bases, both widths
// of indices and both modes of pointers, against dense products on the host.
// FLAGS: -lcusparse
#include "sparse.h"

template <typename T, typename I> static void vectors() {
  for (int format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
    for (auto op : operations)
      for (int variant = 0; variant < 4; variant++) {
        bool is_device = variant & 1;
        Sparse<T, I> a(format, variant >> 1);
        int m = op ? K : M, k = op ? M : K;
        Numbers<T> x(k), y(m);
        cusparseDnVecDescr_t of_x, of_y;
        OK(cusparseCreateDnVec(&of_x, k, x.device, type_of<T>));
        OK(cusparseCreateDnVec(&of_y, m, y.device, type_of<T>));
        OK(cusparseSetPointerMode(handle, is_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
        Factor<T> alpha(number<T>()), beta(number<T>());
        size_t room = 1;
        OK(cusparseSpMV_bufferSize(handle, op, alpha.get(is_device), a.made, of_x, beta.get(is_device), of_y,
                                   type_of<T>, CUSPARSE_SPMV_ALG_DEFAULT, &room));
        std::vector<T> expected = copy_of(y);
        for (int i = 0; i < m; i++) {
          T sum = 0;
          for (int j = 0; j < k; j++)
            sum += a.operated(op, i, j) * x[j];
          expected[i] = alpha.at[0] * sum + beta.at[0] * expected[i];
        }
        OK(cusparseSpMV(handle, op, alpha.get(is_device), a.made, of_x, beta.get(is_device), of_y, type_of<T>,
                        CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
        EXPECT(equals(y, expected));
        OK(cusparseDestroyDnVec(of_x));
        OK(cusparseDestroyDnVec(of_y));
      }
}

template <typename T> static void matrices() {
  OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
  for (int format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
    for (auto op_a : operations)
      for (auto op_b : operations)
        for (int orders = 0; orders < 4; orders++) {
          Sparse<T, int> a(format, 0);
          int m = op_a ? K : M, k = op_a ? M : K, batches = 1 + orders % 2;
          Dense<T> b(op_b ? N : k, op_b ? k : N, orders & 1, batches), c(m, N, orders & 2, batches);
          T alpha = number<T>(), beta = number<T>();
          std::vector<T> expected = copy_of(c.at);
          for (int batch = 0; batch < batches; batch++)
            for (int i = 0; i < m; i++)
              for (int j = 0; j < N; j++) {
                T sum = 0, &to = expected[c.index(batch, i, j)];
                for (int l = 0; l < k; l++) {
                  T x = b.at[op_b ? b.index(batch, j, l) : b.index(batch, l, j)];
                  sum += a.operated(op_a, i, l) * (op_b == operations[2] ? conjugate(x) : x);
                }
                to = alpha * sum + beta * to;
              }
          OK(cusparseSpMM(handle, op_a, op_b, &alpha, a.made, b.made, &beta, c.made, type_of<T>,
                          CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
          EXPECT(equals(c.at, expected));
        }
}

template <typename T> static void dense() {
  for (int format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
    for (int by_rows = 0; by_rows < 2; by_rows++) {
      Sparse<T, int> a(format, 1);
      Dense<T> b(M, K, by_rows, 1);
      std::vector<T> expected = copy_of(b.at);
      for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++)
          expected[b.index(0, i, j)] = a.dense[i * K + j];
      OK(cusparseSparseToDense(handle, a.made, b.made, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
      EXPECT(equals(b.at, expected));
    }
}

TYPES_CASE(spmv, vectors<float, int>(), vectors<double, int64_t>(), vectors<Single, int64_t>(), vectors<Double, int>())
TYPES_CASE(spmm, matrices<float>(), matrices<double>(), matrices<Single>(), matrices<Double>())
TYPES_CASE(sparse_to_dense, dense<float>(), dense<double>(), dense<Single>(), dense<Double>())

// Descriptors, sizes that do not fit, and a product in a stream that records a graph.
CASE(descriptors) {
  OK(cusparseCreate(&handle));
  Sparse<float, int> a(CUSPARSE_FORMAT_CSR, 0);
  Numbers<float> x(K), y(M), other(M);
  cusparseDnVecDescr_t of_x, of_y;
  OK(cusparseCreateDnVec(&of_x, K, x.device, CUDA_R_32F));
  OK(cusparseCreateDnVec(&of_y, M, other.device, CUDA_R_32F));
  OK(cusparseDnVecSetValues(of_y, y.device));
  int64_t rows, columns, nonzeros;
  OK(cusparseSpMatGetSize(a.made, &rows, &columns, &nonzeros));
  EXPECT(rows == M && columns == K && nonzeros == (int64_t)a.at.count);
  cusparseFormat_t format;
  OK(cusparseSpMatGetFormat(a.made, &format));
  EXPECT(format == CUSPARSE_FORMAT_CSR);
  float one = 1, zero = 0;
  EXPECT(cusparseSpMV(handle, operations[0], &one, a.made, of_y, &zero, of_x, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                      nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t launched;
  CU(cudaStreamCreate(&stream));
  OK(cusparseSetStream(handle, stream));
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cusparseSpMV(handle, operations[0], &one, a.made, of_x, &zero, of_y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                  nullptr));
  CU(cudaStreamEndCapture(stream, &graph));
  CU(cudaGraphInstantiate(&launched, graph, 0));
  y[0] = NAN; // a result that is not read
  y.upload();
  CU(cudaGraphLaunch(launched, stream));
  CU(cudaStreamSynchronize(stream));
  std::vector<float> expected(M);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < K; j++)
      expected[i] += a.dense[i * K + j] * x[j];
  EXPECT(equals(y, expected));
  CU(cudaGraphExecDestroy(launched));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(stream));
  OK(cusparseDestroyDnVec(of_x));
  OK(cusparseDestroyDnVec(of_y));
  OK(cusparseDestroy(handle));
}
