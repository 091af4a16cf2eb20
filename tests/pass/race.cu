// With -cusafe-detect=race, a call comes before each access that may go to shared or global memory, unless no write
// between the same barriers races with it, or none of the kernel, and after each barrier. LLVM does not read ahead of conditions, and the attribute that
// keeps it from that is gone at the end. The fast form does not check buffers that are only read, or in which each thread has its own bytes. Otherwise
// nothing of it is there.
// RUN: %device_cc -mllvm -cusafe-detect=race -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: __cs_race
// NONE-NOT: sanitize_thread
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z6sharedPKiPi
// CHECK: call void @__cs_race_open(
// CHECK: call void @__cs_race_access(
// CHECK: store i32 {{.*}}addrspace(3)
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all
// CHECK: store i32 {{.*}}addrspace(3)
// CHECK: br i1
// CHECK: call void @__cs_race_access(
// CHECK: load i32, {{.*}}addrspace(3)
// CHECK: ret void
__global__ void shared(const int *in, int *out) {
  __shared__ int s[1024];
  int t = __nvvm_read_ptx_sreg_tid_x();
  s[t] = in[t];
  __nvvm_bar_sync(0);
  int v = 7;
  if (t & 1)
    v = s[t ^ 1];
  s[0] = v;
  out[t] = v;
}
// Between two barriers, no read races with a read. A plain read and an atomic operation do, for race=warn; without one
// of them, it is the launch that shows it.
// CHECK-LABEL: define{{.*}} @_Z9separatedPKiPi
// CHECK: call void @__cs_race_access(
// CHECK: store i32 {{.*}}addrspace(3)
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all
// CHECK: call void @__cs_race_access(
// CHECK: atomicrmw add ptr addrspace(3)
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all
// CHECK-NOT: call void @__cs_race_access(
// CHECK: load i32, ptr addrspace(3) {{.*}}!cusafe.line
// CHECK: call void @__cs_race_access(
// CHECK: atomicrmw add ptr addrspace(1)
// CHECK: ret void
__global__ void separated(const int *in, int *out) {
  __shared__ int s[1024];
  int t = __nvvm_read_ptx_sreg_tid_x();
  s[t] = in[t];
  __nvvm_bar_sync(0);
  __nvvm_atom_add_gen_i(&s[in[t] & 1023], 1);
  __nvvm_bar_sync(0);
  __nvvm_atom_add_gen_i(&out[t], s[t ^ 1]);
}
// CHECK-LABEL: define{{.*}} @_Z6globalPKiPi
// CHECK: call void @__cs_race_access(
// CHECK: load i32
// CHECK: call void @__cs_race_access(
// CHECK: store i32
// CHECK: call void @__cs_race_fence_of(
// CHECK: call void @llvm.nvvm.membar.gl()
// CHECK: ret void
__global__ void global(const int *in, int *out) {
  out[0] = in[1];
  __nvvm_membar_gl();
}
// CHECK-LABEL: define{{.*}} @_Z5readsPKiPi(
// CHECK: call void @__cs_race_access(
// CHECK: ret void
__global__ void reads(const int *in, int *out) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  __nvvm_atom_add_gen_i(&out[t], in[1] + in[t]);
}
// CHECK-LABEL: define{{.*}} @_Z5apartPKiPii(
// CHECK: call void @__cs_race_access(
// CHECK: ret void
__global__ void apart(const int *in, int *out, int n) {
  __shared__ int s[16][16];
  int x = __nvvm_read_ptx_sreg_tid_x(), y = __nvvm_read_ptx_sreg_tid_y();
  int i = __nvvm_read_ptx_sreg_ctaid_x() * 16 + x, j = __nvvm_read_ptx_sreg_ctaid_y() * 16 + y;
  s[y][x] = in[j * n + i];
  __nvvm_bar_sync(0);
  if (i < n)
    out[j * n + i] += s[x][y];
}
// CHECK-LABEL: define{{.*}} @_Z9not_apartPKiPii(
__global__ void not_apart(const int *in, int *out, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n)
    out[i / 2] = in[i];
}
// CHECK-LABEL: define{{.*}} @_Z5readsPKiPi__cusafe_fast(
// CHECK-NOT: call {{.*}}@__cs_race_
// CHECK: ret void
// CHECK-LABEL: define{{.*}} @_Z5apartPKiPii__cusafe_fast(
// CHECK-NOT: call {{.*}}@__cs_race_
// CHECK: ret void
// The reads of `in` have no check.
// CHECK-LABEL: define{{.*}} @_Z9not_apartPKiPii__cusafe_fast(
// CHECK: load i32
// CHECK: call void @__cs_race_access(
// CHECK-NOT: call void @__cs_race_access(
// CHECK: ret void
// CHECK-NOT: sanitize_thread
