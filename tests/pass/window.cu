// A word in the window is read only where the pointer is about to be used, never before the branch that guards it.
// RUN: %device_cc_window -O2 %s -o - | FileCheck %s
// CHECK-LABEL: define{{.*}} @_Z7guardedPfi
// CHECK-NOT: !invariant.load
// CHECK: br i1
// CHECK: !invariant.load
#include "pass_test.h"
__global__ void guarded(float *p, int n) {
  if (n > 0)
    p[n] = 1;
}
