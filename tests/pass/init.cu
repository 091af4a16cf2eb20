// With -cusafe-detect=init, stores write the shadow first, and branches on what was loaded are checked; what does not depend on memory has no
// shadow. Otherwise nothing of it is there.
// RUN: %device_cc -mllvm -cusafe-detect=init -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: __cs_init
// NONE-NOT: sanitize_memory
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z6branchPKiPi
// CHECK: call {{.*}}@__cs_init_settle(
// CHECK: call void @__cs_fail_init(
// CHECK: ret void
__global__ void branch(const int *in, int *out) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (in[t] > 3)
    out[t] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z4fillPii
// CHECK-NOT: __cs_fail_init
// CHECK: or i64 {{.*}}, 1099511627776
// CHECK: store i32 0
// CHECK: ret void
__global__ void fill(int *out, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t < n)
    out[t] = t;
}
// CHECK-NOT: sanitize_memory
