// allow-dangling: a reference may refer to memory that must not be read, so no step before the checks reads ahead.
// RUN: %device_cc -mllvm -cusafe-print-after=allow-dangling -O1 %s -o %t 2>&1 | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-bare -O1 %s -o - | FileCheck --check-prefix=BARE %s
#include "../pass_test.h"
// CHECK-NOT: dereferenceable
// BARE: dereferenceable(4)
__device__ __noinline__ const int &same(const int &value) {
  return value;
}
__global__ void kernel(int *out, int n) {
  *out = n ? same(out[n]) : 0;
}
