// A function with a check may report an error, so it no longer only reads its argument's memory: its attributes, and those of its calls,
// are removed.
// RUN: %device_cc -O2 %s -o - | FileCheck %s
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z4readPKfi
// CHECK-SAME: #[[ATTRIBUTES:[0-9]+]]
__device__ __noinline__ float read(const float *p, int i) {
  return p[i];
}
// CHECK-LABEL: define{{.*}} @_Z4dropPKfPfi
// CHECK: call {{.*}}float @_Z4readPKfi
__global__ void drop(const float *p, float *out, int n) {
  out[0] = read(p, n);
}
// CHECK: attributes #[[ATTRIBUTES]] = {
// CHECK-NOT: memory(
// CHECK-SAME: }
