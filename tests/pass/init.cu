// With -cusafe-detect=init, stores write the shadow first, and branches on what was loaded are checked; what does not depend on memory has no
// shadow. Otherwise nothing of it is there.
// RUN: %device_cc -mllvm -cusafe-detect=init -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: __cs_init
// NONE-NOT: sanitize_memory
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z6branchPKiPi
// CHECK: call {{.*}}@__cs_init_settle(
// CHECK: call void @__cs_init_report(
// CHECK: ret void
__global__ void branch(const int *in, int *out) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (in[t] > 3)
    out[t] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z4fillPii
// CHECK-NOT: __cs_init_report
// CHECK: xor i64
// CHECK: inttoptr
// CHECK: store i32 0
// CHECK: ret void
__global__ void fill(int *out, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t < n)
    out[t] = t;
}
// A function with a shared variable marks it first; a local array that may be read before it is written starts with a shadow of ones.
// CHECK-LABEL: define{{.*}} @_Z6sharediPi
// CHECK: call void @__cs_init_mark(
// CHECK-SAME: i64 {{.*}}256, i32 {{.*}}1, i32
// CHECK: call void @__cs_init_report(
// CHECK: ret void
__global__ void shared(int n, int *out) {
  __shared__ int tile[64];
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t < n)
    tile[t] = t;
  __nvvm_bar_sync(0);
  if (tile[t ^ 1] > 3)
    out[t] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z5localiPi
// CHECK: call void @llvm.memset{{.*}}i8 -1, i64 32
// CHECK: call void @__cs_init_report(
// CHECK: ret void
__global__ void local(int n, int *out) {
  int ring[8], t = __nvvm_read_ptx_sreg_tid_x();
  for (int i = 0; i < n; i++)
    ring[i * 3 & 7] = i;
  if (ring[t & 7] > 3)
    out[t] = 1;
}
// CHECK-NOT: sanitize_memory
