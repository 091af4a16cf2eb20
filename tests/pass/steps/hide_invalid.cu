// keep-constants, hide-invalid and release-invalid: LLVM's optimisations leave what they know to be out of bounds.
// RUN: %device_cc -mllvm -cusafe-print-after=keep-constants -O2 %s -o %t 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %device_cc -mllvm -cusafe-print-after=release-invalid -O2 %s -o %t 2>&1 | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-bare -O2 %s -o - | FileCheck --check-prefix=BARE %s
#include "../pass_test.h"
// KEEP-DAG: @_ZL6passed = internal addrspace(4) externally_initialized constant [4 x i32]
// KEEP-DAG: @_ZL7indexed = internal addrspace(4) constant [4 x i32]
// CHECK-DAG: @_ZL6passed = internal {{.*}}addrspace(4) constant [4 x i32]
static __device__ const int passed[4] = {1, 2, 3, 4};
static __device__ const int indexed[4] = {1, 2, 3, 4};
// CHECK-NOT: cusafe.hide
// BARE-NOT: cusafe.hide
__device__ int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}

// CHECK-LABEL: define{{.*}} @_Z6unrollPi(
// CHECK: %[[A:.*]] = alloca [4 x i32]
// CHECK: getelementptr{{.*}} %[[A]], i64 16
// BARE-LABEL: define{{.*}} @_Z6unrollPi(
// BARE-NOT: alloca
// BARE: }
__global__ void unroll(int *out) {
  int a[4] = {out[0], out[1], 2, 3};
  out[0] = sum(a, 5);
}

// CHECK-LABEL: define{{.*}} @_Z5validPi(
// CHECK-NOT: alloca
// CHECK: ret void
__global__ void valid(int *out) {
  int a[4] = {out[0], out[1], 2, 3};
  int *p = a;
  out[0] = sum(p, 4) + indexed[out[1] & 3];
}

// CHECK-LABEL: define{{.*}} @_Z8constantPi(
// CHECK: load i32, ptr getelementptr{{.*}} @_ZL6passed {{.*}}, i64 16)
__global__ void constant(int *out) {
  out[0] = sum(passed + 4, 1);
}
