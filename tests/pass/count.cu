// A module that defines __cs_count calls it at each remaining access and check, with kind and number; no other module does.
// RUN: %clang_cuda --cuda-device-only --offload-arch=sm_80 -O2 -S -emit-llvm %pass_flags -DCOUNT %s -o - | FileCheck %s
// RUN: %clang_cuda --cuda-device-only --offload-arch=sm_80 -O2 -S -emit-llvm %pass_flags %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: @__cs_count(

#ifdef COUNT
__device__ unsigned long long sum;
extern "C" __device__ __attribute__((used)) void __cs_count(unsigned what, unsigned long long address) {
  sum += what + address;
}
#endif

// Its own accesses are not checked and not counted.
// CHECK-LABEL: define {{.*}}@__cs_count(
// CHECK-NOT: call
// CHECK: ret void

// Kinds (pass/counted.h) are in the upper eight bits: 0 begin, 1 global, 2 shared, 4 check. The first load is of a metadata word: it
// counts as an access, and the bench recognises its address.
// CHECK-LABEL: define {{.*}}@gather(
// CHECK: call void @__cs_count(i32 {{[0-9]+}}, i64 0)
// CHECK: call void @__cs_count(i32 167772{{[0-9]+}}, i64 %
// CHECK: call void @__cs_count(i32 335544{{[0-9]+}}, i64 0)
// CHECK: call void @__cs_count(i32 671088{{[0-9]+}}, i64 0)
// CHECK-NEXT: br i1
extern "C" __global__ void gather(float *to, const float *from, const int *at) {
  __shared__ int turned[64];
  turned[threadIdx.x ^ 1] = at[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = from[turned[threadIdx.x]];
}
