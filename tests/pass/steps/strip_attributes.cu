// strip-attributes: a function that reads one argument has no memory effects in LLVM's eyes; with a check in it, it has.
// RUN: %device_cc -mllvm -cusafe-print-after=plan-checks -O2 %s -o %t 2>&1 | FileCheck --check-prefix=BEFORE %s
// RUN: %device_cc -mllvm -cusafe-print-after=strip-attributes -O2 %s -o %t 2>&1 | FileCheck --check-prefix=AFTER %s
#include "../pass_test.h"
// BEFORE-LABEL: define{{.*}} @_Z5thirdPKi(ptr{{.*}}readonly
// AFTER-LABEL: define{{.*}} @_Z5thirdPKi(
// AFTER-NOT: readonly
// AFTER-SAME: {
__device__ __noinline__ int third(const int *p) {
  return p[3];
}
__global__ void kernel(int *out, const int *in) {
  *out = third(in);
}
