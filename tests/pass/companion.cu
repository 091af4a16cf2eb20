// Where pointers to two buffers meet in a phi, a companion phi holds the root.
// RUN: %device_cc -O2 %s -o - | FileCheck %s
// CHECK-LABEL: define{{.*}} @_Z6choosePfS_i
// CHECK: [[ROOT:%[0-9]+]] = phi ptr [ %1, {{.*}} ], [ %0, {{.*}} ]
// CHECK: call ptr @__cs_fail(ptr {{.*}}, ptr {{.*}}[[ROOT]]
#include "pass_test.h"
__global__ void choose(float *a, float *b, int n) {
  float *p = b + 2 * n;
  if (n & 1) {
    b[n] = 1;
    p = a + n;
  }
  p[n] = 1;
}
