// An index outside of an array that is a whole variable is reported for that variable at every level, also where LLVM removes the access
// and the variable (its start is 0 then). An index into a member, or of an address that is only taken, is not.
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O0 %s -o - | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O1 %s -o - | FileCheck --check-prefixes=CHECK,O2 %s
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O3 %s -o - | FileCheck --check-prefixes=CHECK,O2 %s
#include "pass_test.h"
struct Pair {
  int first[4];
  int second[4];
};
// CHECK-NOT: @cusafe.array
// CHECK-LABEL: define{{.*}} @_Z5wholei
// CHECK-NOT: @__cs_fail_field
// O2: call void @__cs_fail_array(i64 36, i64 0, i64 32, i32 [[#]])
// CHECK-NOT: @__cs_fail_field
// CHECK: ret void
__global__ void whole(int k) {
  __shared__ int x[8];
  if (k == 3)
    x[9] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z3rowi
// CHECK: call void @__cs_fail_array(i64 160, i64 {{.*}}, i64 128, i32 [[#]])
// CHECK: ret void
__global__ void row(int k) {
  __shared__ int x[4][8];
  x[5][k & 7] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z6insidei
// O2: call void @__cs_fail_array(i64 148, i64 0, i64 128, i32 [[#]])
// CHECK: ret void
__global__ void inside(int k) {
  __shared__ Pair x[4];
  if (k == 4)
    x[k].second[1] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z6memberi
// CHECK-NOT: @__cs_fail_array
// CHECK: call void @__cs_fail_field(i64 {{.*}}, i64 4, i32 [[#]])
// CHECK-NOT: @__cs_fail_array
// CHECK: ret void
__global__ void member(int k) {
  __shared__ Pair x;
  x.first[k] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z5takenPPii
// CHECK-NOT: @__cs_fail_array
// CHECK: ret void
__global__ void taken(int **out, int k) {
  __shared__ int x[8];
  *out = &x[k];
}
// CHECK-LABEL: define{{.*}} @_Z8namelessPii
// CHECK: call void @__cs_fail_array(i64 {{.*}}, i64 0, i64 16, i32 [[#]])
// CHECK: ret void
__global__ void nameless(int *out, int k) {
  *out = ((int[4]){k, k, k, k})[k];
}
// CHECK-NOT: __ubsan
