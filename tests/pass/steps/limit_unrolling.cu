// A loop with many matrix instructions or barriers stays a loop for the CPU device, whose engine would compile its copies
// for minutes, and is unrolled for a GPU. One with few is unrolled for both.
// RUN: %device_cc -Werror -O2 %s -o - | FileCheck %s
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

// CHECK-LABEL: define{{.*}} @_Z5scansPf(
// CHECK-COUNT-16: call void @llvm.nvvm.barrier.cta.sync
// CHECK-NOT: barrier.cta.sync
// CHECK-LABEL: define{{.*}} @_Z5tilesPf(
// CHECK-COUNT-2: call void @llvm.nvvm.barrier.cta.sync
// CHECK-NOT: barrier.cta.sync
// CHECK-LABEL: define{{.*}} @_Z7bitonicPf(
// CHECK-COUNT-1: call void @llvm.nvvm.barrier.cta.sync
// CHECK-NOT: barrier.cta.sync
// CHECK: {{^}$}}
// GPU-LABEL: define{{.*}} @_Z5scansPf(
// GPU-COUNT-16: call void @llvm.nvvm.barrier.cta.sync
// GPU-NOT: barrier.cta.sync
// GPU-LABEL: define{{.*}} @_Z5tilesPf(
// GPU-COUNT-18: call void @llvm.nvvm.barrier.cta.sync
// GPU-NOT: barrier.cta.sync
// GPU-LABEL: define{{.*}} @_Z7bitonicPf(
// GPU-COUNT-28: call void @llvm.nvvm.barrier.cta.sync
// GPU-NOT: barrier.cta.sync
// GPU: {{^}$}}
template <int STEPS> __device__ void exchange(float *p) {
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    float v = p[(__nvvm_read_ptx_sreg_tid_x() + (1 << i)) % 1024];
    __syncthreads();
    p[__nvvm_read_ptx_sreg_tid_x()] += v;
    __syncthreads();
  }
}
__global__ void scans(float *p) {
  exchange<8>(p);
}
__global__ void tiles(float *p) {
  exchange<9>(p);
}
// Once its outer loop is unrolled, the inner loops have constant lengths.
__global__ void bitonic(float *p) {
#pragma unroll
  for (int k = 2; k <= 128; k *= 2)
#pragma unroll
    for (int j = k / 2; j > 0; j /= 2) {
      int t = __nvvm_read_ptx_sreg_tid_x(), other = t ^ j;
      if (other > t && (p[t] > p[other]) == ((t & k) == 0)) {
        float swapped = p[t];
        p[t] = p[other];
        p[other] = swapped;
      }
      __syncthreads();
    }
}
