// allow-undefined: device functions may be passed values that a lane has not set; a kernel's parameters are always set.
// RUN: %device_cc -mllvm -cusafe-print-after=allow-undefined -O1 %s -o %t 2>&1 | FileCheck %s
// CHECK-LABEL: define{{.*}} @_Z4passi(
// CHECK-NOT: noundef
// CHECK-SAME: {
// CHECK-LABEL: define{{.*}} @_Z6kernelPii(ptr noundef
#include "../pass_test.h"
__device__ __noinline__ int pass(int value) {
  return value + 1;
}
// CHECK: call noundef i32 @_Z4passi(i32 %{{[0-9]+}})
__global__ void kernel(int *out, int n) {
  int lane;
  if (n)
    lane = n;
  *out = pass(lane);
}
