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
#define SUCCEEDS(name)                                                                                                 \
  int name(void) {                                                                                                     \
    return 0;                                                                                                          \
  }
SUCCEEDS(cublasSgemm_v2)
SUCCEEDS(cublasZgemm_v2_64)
SUCCEEDS(cublasGemmEx)
SUCCEEDS(cublasSgemmStridedBatched)
SUCCEEDS(cublasGemmStridedBatchedEx)
SUCCEEDS(cublasDgemv_v2)
SUCCEEDS(cublasSaxpy_v2)
SUCCEEDS(cublasSdot_v2)
SUCCEEDS(cublasDscal_v2)
SUCCEEDS(cublasScopy_v2)
SUCCEEDS(cublasSnrm2_v2)
SUCCEEDS(curandGenerateUniform)
SUCCEEDS(curandGenerateNormalDouble)
SUCCEEDS(cufftExecC2C)
SUCCEEDS(cufftExecR2C)
SUCCEEDS(cufftExecC2R)
SUCCEEDS(cufftXtSetCallback)
SUCCEEDS(cufftXtSetJITCallback)
SUCCEEDS(cufftMakePlan1d)
SUCCEEDS(cublasDgemmStridedBatched_64)

static int plans;
int cufftCreate(int *plan) {
  *plan = ++plans;
  return 0;
}
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
