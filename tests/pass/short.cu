// Checks outside of loops, and comparisons, take few instructions.
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O2 %s -o - | FileCheck %s
#include "pass_test.h"
extern "C" {
// An access that is aligned to its length is compared by its last byte with the size: no limit, no range of indices.
// CHECK-LABEL: define{{.*}} @once
// CHECK: load i64, ptr addrspace(1)
// CHECK-NOT: llvm.usub.sat
// CHECK: add i64 %{{[0-9]+}}, 7
// CHECK: icmp ugt i64
// CHECK-NOT: llvm.smin
// CHECK: ret void
__global__ void once(double *a, int i) {
  a[i] = 1;
}
// In a loop, the indices in bounds are computed before it.
// CHECK-LABEL: define{{.*}} @often
// CHECK: llvm.smin
// CHECK: ret void
__global__ void often(int *a, const int *b, int n) {
  for (int i = 0; i < n; i += 3)
    a[b[i]] = 1;
}
// Not aligned to its length: it may begin before the buffer and end in it.
// CHECK-LABEL: define{{.*}} @packed
// CHECK: llvm.usub.sat
// CHECK: ret void
struct __attribute__((packed, aligned(4))) Packed {
  long long v;
};
__global__ void packed(Packed *a, int i) {
  a[i].v = 1;
}
// Two pointers of one array are compared as they are.
// CHECK-LABEL: define{{.*}} @iterate
// CHECK-NOT: 140737488355327
// CHECK: ret void
__global__ void iterate(int *a, int n) {
  int *end = a + n;
  for (int *p = a; p != end; p += 2)
    *p = 1;
}
// Pointers of two arrays may differ in the bits above their address.
// CHECK-LABEL: define{{.*}} @meet
// CHECK: 140737488355327
// CHECK: ret void
__global__ void meet(int *a, int *b, int n) {
  if (a + n == b)
    *b = 1;
}
}
