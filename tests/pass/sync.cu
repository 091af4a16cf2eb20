// With -cusafe-detect=sync, each barrier of the block that is aligned carries the number of its site, in the order of the lines; the code is
// the same. Otherwise it carries none.
// RUN: %device_cc -mllvm -cusafe-detect=sync -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: cusafe.barrier
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z4sidePi(
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0){{.*}}, !cusafe.barrier ![[FIRST:[0-9]+]]
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0){{.*}}, !cusafe.barrier ![[SECOND:[0-9]+]]
// CHECK-LABEL: define{{.*}} @_Z4sidePi__cusafe_fast(
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0){{.*}}, !cusafe.barrier !{{[0-9]+}}
// CHECK-DAG: ![[FIRST]] = !{i32 [[#SITE:]]}
// CHECK-DAG: ![[SECOND]] = !{i32 [[#SITE+1]]}
__global__ void side(int *out) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t < 16) {
    out[t] = 1;
    __nvvm_bar_sync(0);
    out[t] = 2;
  }
  __nvvm_bar_sync(0);
  out[t] = 3;
}
