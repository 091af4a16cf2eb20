// A derived pointer that is stored or passed is marked if it is outside of its window; a root itself is stored unchanged.
// RUN: %device_cc -O0 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck %s
#include "pass_test.h"
__device__ __noinline__ float take(float *p) {
  return p[-1];
}
// CHECK-LABEL: define{{.*}} @_Z4keepPPfS_i
// CHECK: call ptr @__cs_escape_far
// CHECK: ret void
__global__ void keep(float **where, float *p, int n) {
  where[0] = p + n;
  where[1] = p;
}
// CHECK-LABEL: define{{.*}} @_Z4passPfi
// CHECK: call ptr @__cs_escape_far
// CHECK: call {{.*}}float @_Z4takePf
__global__ void pass(float *p, int n) {
  p[0] = take(p + n);
}
