// One root is decoded once, outside the loop, however many accesses are derived from it.
// RUN: %device_cc -mllvm -cusafe-eliminate=none -O2 %s -o - | FileCheck %s
// CHECK-LABEL: define{{.*}} @_Z3sumPfPKfi
// CHECK-COUNT-2: load i64, {{.*}}!invariant.load
// CHECK-NOT: load i64
// CHECK: call ptr @__cs_fail
// CHECK-NOT: load i64
// CHECK: ret void
#include "pass_test.h"
__global__ void sum(float *out, const float *in, int n) {
  float total = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++)
    total += in[i] * in[2 * i];
  out[0] = total;
}
