// remember-lines: every access carries its source location as metadata, which no optimisation merges.
// RUN: %device_cc -mllvm -cusafe-print-after=remember-lines -O2 %s -o %t 2>&1 | FileCheck %s
#include "../pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z4copyPiPKi(
// CHECK: load i32, ptr %{{.*}}, !cusafe.line ![[LOAD:[0-9]+]]
// CHECK: store i32 %{{.*}}, ptr %{{.*}}, !cusafe.line ![[STORE:[0-9]+]]
// CHECK: ![[LOAD]] = !{![[SCOPE:[0-9]+]], i32 [[#@LINE+3]], i32 9}
// CHECK: ![[STORE]] = !{![[SCOPE]], i32 [[#@LINE+2]], i32 7}
__global__ void copy(int *to, const int *from) {
  *to = *from;
}
