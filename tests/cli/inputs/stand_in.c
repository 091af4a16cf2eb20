/* stand_in.c: functions with names of cuBLAS, cuFFT and cuRAND that succeed and do nothing, for the tests of calls that CuSafe compares with
 * buffers before it makes them. The libraries themselves run on NVIDIA's driver only. */
#include <stddef.h>

static int mode;
int cublasGetPointerMode_v2(void *handle, int *to) {
  (void)handle;
  *to = mode;
  return 0;
}
int cublasSetPointerMode_v2(void *handle, int to) {
  (void)handle;
  mode = to;
  return 0;
}
#define NAMES(X)                                                                                                       \
  X(cublasSgemm_v2)                                                                                                    \
  X(cublasZgemm_v2_64)                                                                                                 \
  X(cublasGemmEx)                                                                                                      \
  X(cublasSgemmStridedBatched) X(cublasGemmStridedBatchedEx) X(cublasDgemv_v2) X(cublasSaxpy_v2) X(cublasSdot_v2)      \
      X(cublasDscal_v2) X(cublasScopy_v2) X(cublasSnrm2_v2) X(curandGenerateUniform) X(curandGenerateNormalDouble)     \
          X(cufftExecC2C) X(cufftExecR2C) X(cufftExecC2R) X(cufftXtSetCallback)
#define X(name)                                                                                                        \
  int name(void) {                                                                                                     \
    return 0;                                                                                                          \
  }
NAMES(X)

static int plans;
int cufftPlan1d(int *plan) {
  *plan = ++plans;
  return 0;
}
int cufftPlan2d(int *plan) {
  *plan = ++plans;
  return 0;
}
int cufftPlanMany(int *plan) {
  *plan = ++plans;
  return 0;
}
