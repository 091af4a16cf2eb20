// A loop under #pragma unroll with many matrix instructions stays a loop for the CPU device, whose engine would compile its
// copies for minutes, and is unrolled for a GPU. One with few is unrolled for both.
// RUN: %device_cc -O2 %s -o - | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-bare -O2 %s -o - | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-gpu -O2 %s -o - | FileCheck --check-prefix=GPU %s
#include "../pass_test.h"

template <int STEPS> __device__ void steps(float *out, unsigned a, unsigned b) {
  float s[4] = {};
#pragma unroll
  for (int i = 0; i < STEPS; i++)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(a + i), "r"(b));
  *out = s[0] + s[1] + s[2] + s[3];
}
// CHECK-LABEL: define{{.*}} @_Z4manyPfjj(
// CHECK-COUNT-1: asm {{.*}}mma.sync
// CHECK-NOT: mma.sync
// CHECK-LABEL: define{{.*}} @_Z3fewPfjj(
// CHECK-COUNT-32: asm {{.*}}mma.sync
// CHECK-NOT: mma.sync
// CHECK: ret void
// GPU-LABEL: define{{.*}} @_Z4manyPfjj(
// GPU-COUNT-64: asm {{.*}}mma.sync
// GPU-NOT: mma.sync
// GPU-LABEL: define{{.*}} @_Z3fewPfjj(
__global__ void many(float *out, unsigned a, unsigned b) {
  steps<64>(out, a, b);
}
__global__ void few(float *out, unsigned a, unsigned b) {
  steps<32>(out, a, b);
}
