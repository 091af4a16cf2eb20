// Shared and local memory that the function names itself has no metadata and no check.
// RUN: %device_cc -O2 %s -o - | FileCheck %s
// CHECK-LABEL: define{{.*}} @_Z3ownPii
// CHECK: store i32 {{.*}}addrspace(3)
// CHECK-COUNT-1: call ptr @__cs_fail
// CHECK-NOT: call ptr @__cs_fail
// CHECK: ret void
#include "pass_test.h"
__global__ void own(int *out, int n) {
  __shared__ int s[64];
  int l[8];
  for (int i = 0; i < 8; i++)
    l[i] = i * n;
  s[n] = l[n & 7];
  __nvvm_bar_sync(0);
  out[n] = s[n ^ 1];
}
