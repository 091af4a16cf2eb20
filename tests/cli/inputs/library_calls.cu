// library_calls.cu: calls of libraries, by number: an even one is correct, the odd one after it has one operand that is too small.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {
int cublasSetPointerMode_v2(void *, int);
int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                   const float *, float *, int);
int cublasZgemm_v2_64(void *, int, int, int64_t, int64_t, int64_t, const double *, const void *, int64_t, const void *,
                      int64_t, const double *, void *, int64_t);
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                 const void *, void *, int, int, int, int);
int cublasSgemmStridedBatched(void *, int, int, int, int, int, const float *, const float *, int, long long,
                              const float *, int, long long, const float *, float *, int, long long, int);
int cublasGemmStridedBatchedEx(void *, int, int, int, int, int, const void *, const void *, int, int, long long,
                               const void *, int, int, long long, const void *, void *, int, int, long long, int, int,
                               int);
int cublasDgemv_v2(void *, int, int, int, const double *, const double *, int, const double *, int, const double *,
                   double *, int);
int cublasSaxpy_v2(void *, int, const float *, const float *, int, float *, int);
int cublasSdot_v2(void *, int, const float *, int, const float *, int, float *);
int cublasDscal_v2(void *, int, const double *, double *, int);
int cublasScopy_v2(void *, int, const float *, int, float *, int);
int cublasSnrm2_v2(void *, int, const float *, int, float *);
// clang declares these two with types of their own.
int generate_uniform(void *, float *, size_t) __asm__("curandGenerateUniform");
int generate_normal(void *, double *, size_t, double, double) __asm__("curandGenerateNormalDouble");
int cufftPlan1d(int *, int, int, int);
int cufftPlan2d(int *, int, int, int);
int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int, int);
int cufftExecC2C(int, void *, void *, int);
int cufftExecR2C(int, void *, void *);
int cufftExecC2R(int, void *, void *);
int cufftXtSetCallback(int, void **, int, void **);
int cufftXtSetJITCallback(int, const char *, const void *, size_t, int, void **);
int cufftCreate(int *);
int cufftMakePlan1d(int, int, int, int, size_t *);
int cublasDgemmStridedBatched_64(void *, int, int, int64_t, int64_t, int64_t, const double *, const double *, int64_t,
                                 long long, const double *, int64_t, long long, const double *, double *, int64_t,
                                 long long, int64_t);
}

static char *buffer(size_t bytes) {
  void *p = nullptr;
  if (cudaMalloc(&p, bytes))
    exit(1);
  return (char *)p;
}

static int call(int n) {
  float one = 1, zero = 0, result;
  double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
  int bad = n & 1, plan, in[] = {8, 10}, out[] = {8, 10}, dimensions[] = {8, 8};
  auto f = [](size_t count) { return (float *)buffer(count * 4); };
  auto d = [](size_t count) { return (double *)buffer(count * 8); };
  switch (n / 2) {
  case 0: // a leading dimension in place of another
    return cublasSgemm_v2(0, 0, 0, 10, 20, 30, &one, f(10 * 30), 10, f(30 * 20), 30, &zero, f(10 * 20 - bad), 10);
  case 1: // the transposed factor has 30 rows: its leading dimension is 30
    return cublasSgemm_v2(0, 1, 0, 10, 20, 30, &one, f(30 * 10 - bad), 30, f(30 * 20), 30, &zero, f(10 * 20), 10);
  case 2: // the last column ends after its rows, not after its leading dimension
    return cublasSgemm_v2(0, 0, 1, 10, 20, 30, &one, f(16 * 29 + 10), 16, f(20 * 30 - bad), 20, &one, f(12 * 19 + 10),
                          12);
  case 3: // without a product (alpha or k is 0), factors are not read; C is written
    return cublasSgemm_v2(0, 0, 0, 10, 20, 30, &zero, f(1), 10, f(1), 30, &zero, f(200), 10) ||
           cublasSgemm_v2(0, 0, 0, 10, 20, 0, &one, f(1), 10, f(1), 30, &zero, f(200 - bad), 10);
  case 4: // nothing is touched if m or n is 0
    return cublasSgemm_v2(0, 0, 0, bad ? 1 : 0, 20, 30, &one, f(1), 1, f(600), 30, &one, f(20), 1);
  case 5:
    return cublasZgemm_v2_64(0, 2, 2, 4, 5, 6, one_d, d(2 * 6 * 4), 6, d(2 * (5 * 5 + 5) - bad), 5, zero_d, d(2 * 20),
                             4);
  case 6: // half-precision factors, a result in single precision
    return cublasGemmEx(0, 0, 0, 8, 8, 8, &one, buffer(128), 2, 8, buffer(128 - bad), 2, 8, &zero, f(64), 0, 8, 68, -1);
  case 7:
    return cublasSgemmStridedBatched(0, 0, 0, 4, 4, 4, &one, f(16 * 3), 4, 16, f(16), 4, 0, &zero, f(20 * 2 + 16 - bad),
                                     4, 20, 3);
  case 8:
    return cublasGemmStridedBatchedEx(0, 0, 0, 4, 4, 4, &one, buffer(96 - bad), 14, 4, 16, buffer(96), 14, 4, 16, &zero,
                                      buffer(96), 14, 4, 16, 3, 68, -1);
  case 9: // y = A^T x: x has m elements, two apart
    return cublasDgemv_v2(0, 1, 5, 7, one_d, d(5 * 7), 5, d(2 * 4 + 1 - bad), 2, zero_d, d(7), 1);
  case 10: // a negative increment counts from the end
    return cublasSaxpy_v2(0, 10, &one, f(10), 1, f(9 * 3 + 1 - bad), -3);
  case 11:
    return cublasSdot_v2(0, 10, f(10), 1, f(10 - bad), 1, &result);
  case 12:
    return cublasDscal_v2(0, 10, one_d, d(10 - bad), 1);
  case 13:
    return cublasScopy_v2(0, 10, f(10 - bad), 1, f(10), 1);
  case 14:
    return cublasSnrm2_v2(0, 5, f(5), 1, &result) || cublasSnrm2_v2(0, 6, f(6 - bad), 1, &result);
  case 15:
    return generate_uniform(0, f(1000 - bad), 1000);
  case 16:
    return generate_normal(0, d(1000 - bad), 1000, 0, 1);
  case 17: // complex numbers, in place
    cufftPlan1d(&plan, 256, 0x29, 2);
    return cufftExecC2C(plan, f(4 * 256), f(4 * 256 - bad), -1);
  case 18: // real to complex: 129 complex numbers of 256 real ones
    cufftPlan1d(&plan, 256, 0x2a, 1);
    return cufftExecR2C(plan, f(256), f(2 * 129 - bad));
  case 19: // in place: the real numbers have the room of the complex ones
    cufftPlan2d(&plan, 8, 8, 0x2a);
    {
      float *p = f(2 * 8 * 5 - bad);
      return cufftExecR2C(plan, p, p);
    }
  case 20: // rows of 10 in a field of 8 x 10, two fields apart by 100
    cufftPlanMany(&plan, 2, dimensions, in, 1, 100, out, 1, 100, 0x29, 2);
    return cufftExecC2C(plan, f(2 * (100 + 7 * 10 + 8) - bad), f(2 * (100 + 7 * 10 + 8)), 1);
  case 21:
    cufftPlan1d(&plan, 100, 0x2c, 3);
    return cufftExecC2R(plan, f(2 * 51 * 3), f(300 - bad));
  case 22: // callbacks may read elsewhere
    cufftPlan1d(&plan, 256, 0x29, 1);
    if (!bad)
      cufftXtSetCallback(plan, nullptr, 0, nullptr);
    return cufftExecC2C(plan, f(1), f(512), 1);
  case 23: // alpha in device memory is not known: factors are not compared; C is
    cublasSetPointerMode_v2(0, 1);
    return cublasSgemm_v2(0, 0, 0, 10, 20, 30, f(1), f(1), 10, f(1), 30, f(1), f(200 - bad), 10);
  case 24: // memory of the host
    return generate_uniform(0, (float *)malloc(40), 10) || generate_uniform(0, f(10 - bad), 10);
  case 25: { // freed memory
    float *p = f(10);
    if (bad)
      cudaFree(p);
    return generate_uniform(0, p, 10);
  }
  case 26: // in place, complex numbers to real ones: the room is that of the complex ones
    cufftPlan1d(&plan, 100, 0x2c, 3);
    {
      float *p = f(2 * 51 * 3 - bad);
      return cufftExecC2R(plan, p, p);
    }
  case 27: // callbacks that are compiled with the plan are set before it has a layout
    size_t work;
    cufftCreate(&plan);
    if (!bad)
      cufftXtSetJITCallback(plan, "load", nullptr, 0, 0, nullptr);
    cufftMakePlan1d(plan, 256, 0x29, 1, &work);
    return cufftExecC2C(plan, f(1), f(512), 1);
  case 28:
    return cublasDgemmStridedBatched_64(0, 0, 0, 4, 4, 4, one_d, d(48), 4, 16, d(48), 4, 16, zero_d, d(48 - bad), 4, 16,
                                        3);
  case 29: // without columns, x is not read
    return cublasDgemv_v2(0, 1, 5, bad, one_d, d(5), 5, d(1), 1, zero_d, d(1), 1);
  case 30: // an increment that is not positive: nothing to do
    return cublasSnrm2_v2(0, 5, f(1), bad ? 1 : -1, &result) || cublasDscal_v2(0, 5, one_d, d(1), 0);
  default: // there is no such call
    return 100;
  }
}

// One call, or all of them from this one on, every second.
int main(int argc, char **argv) {
  int failed = 0;
  for (int n = atoi(argv[1]), result = 0; result != 100; n += 2) {
    cublasSetPointerMode_v2(0, 0);
    result = call(n);
    failed += result && result != 100;
    if (argc > 2)
      break;
  }
  printf("%d calls failed\n", failed);
  return 0;
}
