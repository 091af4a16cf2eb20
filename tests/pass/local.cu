// A local variable whose address escapes, to a function that is also called with memory of the heap, is in a window of 2^n bytes,
// after its metadata word, and the escaping pointer carries its bounds. A variable whose address does not escape keeps its alloca.
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O0 %s -o - | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O2 %s -o - | FileCheck %s
#include "pass_test.h"
__device__ __noinline__ void fill(int *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = n;
}
// CHECK-LABEL: define{{.*}} @_Z7escapedPii
// CHECK: %[[WINDOW:[0-9]+]] = alloca [64 x i8], align 64
// CHECK: store volatile i64 {{.*}}, ptr %[[WINDOW]], align 8
// CHECK: %[[CLOSED:[0-9]+]] = call ptr @__cs_close_local(ptr {{.*}}, ptr {{.*}}%[[WINDOW]], i32 2)
// CHECK: call void @_Z4fillPii(ptr {{.*}}%[[CLOSED]],
// CHECK: call ptr @__cs_fail_named({{.*}}, i64 noundef 40, i64 noundef 4, i32 noundef 0, i32 noundef [[#]])
// CHECK: ret void
__global__ void escaped(int *out, int n) {
  int a[10];
  fill(a, n);
  out[0] = a[n];
  fill(out, n);
}
// CHECK-LABEL: define{{.*}} @_Z4homePii
// CHECK: alloca [10 x i32], align 4
// CHECK-NOT: @__cs_close_local
// CHECK: ret void
__global__ void home(int *out, int n) {
  int a[10];
  for (int i = 0; i < 10; i++)
    a[i] = i;
  a[n] = 1;
  out[0] = a[n ^ 1];
}
