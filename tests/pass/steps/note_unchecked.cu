// note-unchecked: a function with CUSAFE_NO_CHECK stays unchecked after it was inlined into one that is checked.
// RUN: %device_cc -mllvm -cusafe-print-after=note-unchecked -O2 %s -o - 2>&1 | FileCheck --check-prefix=NOTED %s
// RUN: %device_cc -mllvm -cusafe-eliminate=none -O2 %s -o - | FileCheck %s
// NOTED: !cusafe.no_check = !{![[NOTE:[0-9]+]]}
// NOTED: ![[NOTE]] = !{!"quiet"}
#include "../pass_test.h"
__attribute__((annotate("cusafe:no_check"))) __device__ inline void quiet(int *p) {
  p[1] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z6kernelPiS_(
// CHECK-COUNT-1: call ptr @__cs_fail(
// CHECK-NOT: call ptr @__cs_fail(
// CHECK: ret void
__global__ void kernel(int *a, int *b) {
  quiet(a);
  b[2] = 2;
}
