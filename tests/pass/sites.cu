// Accesses with the same source location are one site: here two calls that a macro makes on one line and column.
// RUN: %device_cc -mllvm -cusafe-eliminate=none -O2 %s -o - | FileCheck %s
#include "pass_test.h"
#define BOTH(a, b) at(a) + at(b)
__device__ inline int at(const int *p) {
  return *p;
}
// CHECK-LABEL: define{{.*}} @_Z4bothPiPKiii
// CHECK: call ptr @__cs_fail(ptr {{.*}}, ptr noundef %1, i32 noundef [[#]], i32 noundef [[SITE:[0-9]+]])
// CHECK: call ptr @__cs_fail(ptr {{.*}}, ptr noundef %1, i32 noundef [[#]], i32 noundef [[SITE]])
// CHECK: ret void
__global__ void both(int *out, const int *p, int i, int j) {
  *out = BOTH(p + i, p + j);
}
// CHECK-LABEL: define{{.*}} @_Z5apartPiPKiii
// CHECK: call ptr @__cs_fail(ptr {{.*}}, ptr noundef %1, i32 noundef [[#]], i32 noundef [[FIRST:[0-9]+]])
// CHECK-NOT: call ptr @__cs_fail({{.*}}, i32 noundef [[FIRST]])
// CHECK: ret void
__global__ void apart(int *out, const int *p, int i, int j) {
  *out = at(p + i) + at(p + j);
}
