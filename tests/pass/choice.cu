// A pointer that is chosen among variables has the bounds of the chosen one, and no variable escapes for that.
// RUN: %device_cc -mllvm -cusafe-eliminate=none -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 -mllvm -cusafe-statistics %s -o /dev/null 2>&1 | FileCheck --check-prefix=COUNT %s
// CHECK-DAG: @_ZZ7swappediiPiE2s0 = {{.*}}addrspace(3) global [8 x i32] undef
// CHECK-DAG: @_ZZ7swappediiPiE2s1 = {{.*}}addrspace(3) global [8 x i32] undef
// COUNT-NOT: unknown
#include "pass_test.h"

// CHECK-LABEL: define{{.*}} @_Z7swappediiPi
// The pointer is the start of the chosen variable, which the report names.
// CHECK: [[P:%[0-9]+]] = phi ptr addrspace(3) {{.*}}[ @_ZZ7swappediiPiE2s1, {{.*}} ]
// CHECK: [[G:%[0-9]+]] = addrspacecast ptr addrspace(3) [[P]] to ptr
// CHECK: [[S:%[0-9]+]] = ptrtoint ptr [[G]] to i64
// CHECK: sub i64 {{.*}}, [[S]]
// CHECK: icmp eq ptr [[G]], addrspacecast (ptr addrspace(3) @_ZZ7swappediiPiE2s{{[01]}} to ptr)
// CHECK: call ptr @__cs_fail_named(ptr {{.*}}, i64 {{.*}}[[S]], i64 {{.*}}32
__global__ void swapped(int n, int at, int *out) {
  __shared__ int s0[8], s1[8];
  int *a = s0, *b = s1;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    b[at + i] = i;
    int *t = a;
    a = b;
    b = t;
  }
  out[0] = a[0];
}

// CHECK-LABEL: define{{.*}} @_Z9two_sizesiiPi
// CHECK: select i1 {{.*}}, i64 {{32|64}}, i64 {{32|64}}
// CHECK: call ptr @__cs_fail_named
__global__ void two_sizes(int which, int at, int *out) {
  __shared__ int s0[8], s1[16];
  int *t = which ? s0 : s1;
  t[at] = 1;
  out[0] = s0[0] + s1[1];
}

// CHECK-LABEL: define{{.*}} @_Z8constantiPi
// CHECK-NOT: __cs_fail_named
// CHECK: ret void
__global__ void constant(int which, int *out) {
  __shared__ int s0[8], s1[16];
  int *t = which ? s0 : s1;
  t[7] = 1;
  out[0] = s0[0] + s1[1];
}
