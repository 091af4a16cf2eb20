// A shared variable whose address escapes has its metadata word in the 8 bytes before it; other shared variables have none.
// RUN: %device_cc %clang_checks -O0 %s -o - | FileCheck %s
// RUN: %device_cc %clang_checks -O2 %s -o - | FileCheck %s
#include "pass_test.h"
// CHECK-DAG: @_ZZ7escapedPiiE1s = internal {{.*}}addrspace(3) global <{ [8 x i8], [24 x i32] }> undef, align 8
// CHECK-DAG: @_ZZ4homePiiE1s = internal {{.*}}addrspace(3) global [24 x i32] undef, align 4
__device__ __noinline__ void fill(int *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = n;
}
// CHECK-LABEL: define{{.*}} @_Z7escapedPii
// CHECK: %[[CLOSED:[0-9]+]] = call ptr @__cs_close_shared({{.*}}@_ZZ7escapedPiiE1s{{.*}}, i64 96)
// CHECK: call void @_Z4fillPii(ptr {{.*}}%[[CLOSED]],
// CHECK: ret void
__global__ void escaped(int *out, int n) {
  __shared__ int s[24];
  fill(s, n);
  out[0] = s[n];
  fill(out, n);
}
// CHECK-LABEL: define{{.*}} @_Z4homePii
// CHECK-NOT: @__cs_close_shared
// CHECK: call ptr @__cs_fail_named({{.*}}, i64 noundef 96, i64 noundef 4, i32 noundef 1, i32 noundef [[#]])
// CHECK: ret void
__global__ void home(int *out, int n) {
  __shared__ int s[24];
  s[n] = n;
  out[0] = s[n ^ 1];
}
