// Addresses in initialisers: the module lists those of its variables for the host; those of shared variables are stored by the
// function.
// RUN: %device_cc -O1 %s -o - | FileCheck %s
// CHECK-DAG: @rows = {{.*}}[2 x ptr] [ptr addrspacecast (ptr addrspace(1) @d0 to ptr), ptr getelementptr
// CHECK-DAG: @__cs_objects = {{.*}}[2 x { i64, i64 }]{{.*}}@d0{{.*}}i64 32{{.*}}@d1{{.*}}i64 64
// CHECK-DAG: @__cs_pointers = {{.*}}[2 x { ptr, i64, i32, i32 }] [{ ptr, i64, i32, i32 } { ptr addrspacecast (ptr addrspace(1) @d0 to ptr), i64 0, i32 0, i32 [[NAME:[0-9]+]] }, { ptr, i64, i32, i32 } { {{.*}}@d1{{.*}}, i64 8, i32 1, i32 [[NAME]] }]
#include "pass_test.h"
__device__ int d0[8], d1[16];
__device__ int *rows[2] = {d0, d1 + 4};

__global__ void through_table(int row, int at) {
  rows[row][at] = 1;
}

// CHECK-LABEL: define{{.*}} @_Z12shared_tableiiPi
// CHECK: [[T:%[0-9a-z.]+]] = alloca
// CHECK-DAG: call ptr @__cs_close_shared({{.*}}2s0
// CHECK-DAG: call ptr @__cs_close_shared({{.*}}2s1
// CHECK: call ptr @__cs_fail(
__global__ void shared_table(int row, int at, int *out) {
  __shared__ int s0[8], s1[8];
  int *t[2] = {s0, s1};
  t[row][at] = 1;
  out[0] = s0[1] + s1[2];
}
