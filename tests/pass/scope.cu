// The metadata word of a variable whose address outlives it is cleared when the scope ends, and the use after that stays in the code at
// every level. A variable whose address does not outlive it has no word.
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O0 %s -o - | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O2 %s -o - | FileCheck %s
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z8outlivesPPiS_i
// CHECK: %[[WINDOW:[0-9]+]] = alloca [64 x i8], align 64
// CHECK: store volatile i64 {{.*}}, ptr %[[WINDOW]], align 8
// CHECK: call ptr @__cs_close_local
// CHECK: %[[WORD:[0-9]+]] = load volatile i64, ptr %[[WINDOW]], align 8
// CHECK: %[[ENDED:[0-9]+]] = and i64 %[[WORD]], -2147483649
// CHECK: store volatile i64 %[[ENDED]], ptr %[[WINDOW]], align 8
// The load of the pointer, the load through it, and the store of the result:
// CHECK-COUNT-3: call ptr @__cs_fail(
// CHECK: ret void
__global__ void outlives(int **slot, int *out, int n) {
  {
    int a[4] = {n, n, n, n};
    *slot = a;
  }
  *out = **slot;
}
// CHECK-LABEL: define{{.*}} @_Z5staysPii
// CHECK-NOT: volatile i64, ptr %
// CHECK-NOT: __cs_scope
// CHECK: ret void
__global__ void stays(int *out, int n) {
  int total = 0;
  for (int i = 0; i < n; i++) {
    int a[2] = {i, n};
    total += a[0] * a[1];
  }
  *out = total;
}
