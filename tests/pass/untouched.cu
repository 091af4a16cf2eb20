// Where a function names a variable itself its bounds are constants: the check reads no metadata, and an access at a constant
// offset inside it has no check at all.
// RUN: %device_cc -mllvm -cusafe-eliminate=none -O2 %s -o - | FileCheck %s
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z8constantPi
// CHECK-NOT: call ptr @__cs_fail_named
// CHECK: call ptr @__cs_fail(
// CHECK-NOT: call ptr @__cs_fail
// CHECK: ret void
__global__ void constant(int *out) {
  __shared__ int s[64];
  s[63] = 1;
  __nvvm_bar_sync(0);
  *out = s[63];
}
// CHECK-LABEL: define{{.*}} @_Z5indexPii
// CHECK-NOT: load i64
// CHECK: call ptr @__cs_fail_named({{.*}}, i64 noundef 256, i64 noundef 4, i32 noundef 1, i32 noundef [[#]])
// CHECK: store i32 {{.*}}addrspace(3)
// CHECK-NOT: load i64
// CHECK: call ptr @__cs_fail_named({{.*}}, i64 noundef 256, i64 noundef 4, i32 noundef 0, i32 noundef [[#]])
// CHECK: load i32, {{.*}}addrspace(3)
// CHECK-COUNT-1: load i64, {{.*}}!invariant.load
// CHECK-COUNT-1: call ptr @__cs_fail(
// CHECK-NOT: call ptr @__cs_fail
// CHECK: ret void
__global__ void index(int *out, int n) {
  __shared__ int s[64];
  s[n] = n;
  __nvvm_bar_sync(0);
  out[n] = s[n ^ 1];
}
