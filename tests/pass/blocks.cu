// A module that defines __cs_block_table has its blocks numbered: each calls __cs_count_block with its number if the module defines it,
// and is otherwise named by it. The table holds each function's name, first block, number of blocks and fingerprint, which is the same
// in both. Checked and bare code are treated alike, and other modules stay as they are.
// RUN: %clang_cuda --cuda-device-only --offload-arch=sm_80 -O2 -S -emit-llvm %pass_flags -DTABLE -DCOUNT %s -o %t.counted
// RUN: %clang_cuda --cuda-device-only --offload-arch=sm_80 -O2 -S -emit-llvm %pass_flags -DTABLE -fno-discard-value-names %s -o %t.named
// RUN: cat %t.counted %t.named | FileCheck %s
// RUN: %clang_cuda --cuda-device-only --offload-arch=sm_80 -O2 -S -emit-llvm %pass_flags %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: __cs_count_block
// NONE-NOT: cs.0.
// RUN: %clang_cuda --cuda-device-only --offload-arch=sm_80 -O2 -S -emit-llvm %pass_flags -mllvm -cusafe-bare -DTABLE -DCOUNT %s -o - | FileCheck --check-prefix=BARE %s
// BARE: @__cs_block_table = {{.*}} c"twice 0 3 {{[0-9a-f]+}}\0A\00

extern "C" {
#ifdef TABLE
__device__ __attribute__((used)) char __cs_block_table[1 << 16];
#endif
#ifdef COUNT
__device__ unsigned counters[1 << 16];
__device__ __attribute__((used)) void __cs_count_block(unsigned number) {
  counters[number]++;
}
#endif

// CHECK: @__cs_block_table = {{.*}} c"twice 0 [[BLOCKS:[0-9]+]] [[HASH:[0-9a-f]+]]\0A
// CHECK-LABEL: define {{.*}}@__cs_count_block(
// CHECK-NOT: call void @__cs_count_block
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@twice(
// CHECK: call void @__cs_count_block(i32 0)
// CHECK: br i1
// CHECK: call void @__cs_count_block(i32 1)

// CHECK: @__cs_block_table = {{.*}} c"twice 0 [[BLOCKS]] [[HASH]]\0A
// CHECK-LABEL: define {{.*}}@twice(
// CHECK: cs.0.[[HASH]]:
// CHECK: cs.1.[[HASH]]:
__global__ void twice(float *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= 2;
}
}
