// malloc and free in kernels become calls of the runtime. With them, metadata words may change while a kernel runs, so every access reads
// its word again. A module without them is unaffected.
// RUN: %device_cc -O0 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 -DNO_HEAP %s -o - | FileCheck --check-prefix=NONE %s
// NONE-LABEL: define{{.*}} @_Z5twicePi
// NONE-NOT: load volatile i64
// NONE: load i64, {{.*}}!invariant.load
// NONE-NOT: load i64
// NONE: ret void
#include "pass_test.h"
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
// CHECK-LABEL: define{{.*}} @_Z5twicePi
// CHECK-COUNT-2: load volatile i64, ptr addrspace(1)
// CHECK: ret void
__global__ void twice(int *p) {
  p[0] = 1;
  __nvvm_bar_sync(0);
  p[1] = 2;
}
#ifndef NO_HEAP
// CHECK-LABEL: define{{.*}} @_Z4usesPPil
// CHECK-NOT: @malloc(
// CHECK: call ptr @__cs_malloc(i64
// CHECK-NOT: @free(
// CHECK: call void @__cs_free(ptr {{.*}}, i32 [[#]])
// CHECK-NOT: @free(
// CHECK: ret void
__global__ void uses(int **out, long n) {
  int *p = (int *)malloc(n);
  out[0] = p;
  free(p);
}
#endif
