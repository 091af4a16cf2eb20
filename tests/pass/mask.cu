// With -cusafe-detect=sync, each warp operation with a mask carries the number of its site; the code is the same. Otherwise it carries none.
// RUN: %device_cc -mllvm -cusafe-detect=sync -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: cusafe.mask
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z10operationsPij(
// CHECK: call void @llvm.nvvm.bar.warp.sync(i32 {{.*}}), {{.*}}!cusafe.mask ![[FIRST:[0-9]+]]
// CHECK: call i32 @llvm.nvvm.shfl.sync.bfly.i32({{.*}}!cusafe.mask ![[SECOND:[0-9]+]]
// CHECK: call i32 @llvm.nvvm.vote.ballot.sync({{.*}}!cusafe.mask ![[THIRD:[0-9]+]]
// CHECK: asm sideeffect {{.*}}redux.sync.add{{.*}}!cusafe.mask ![[FOURTH:[0-9]+]]
// CHECK-NOT: activemask{{.*}}cusafe.mask
// CHECK-DAG: ![[FIRST]] = !{i32 [[#SITE:]]}
// CHECK-DAG: ![[SECOND]] = !{i32 [[#SITE+1]]}
// CHECK-DAG: ![[THIRD]] = !{i32 [[#SITE+2]]}
// CHECK-DAG: ![[FOURTH]] = !{i32 [[#SITE+3]]}
__global__ void operations(int *out, unsigned mask) {
  int t = __nvvm_read_ptx_sreg_tid_x(), sum;
  __nvvm_bar_warp_sync(mask);
  int v = __nvvm_shfl_sync_bfly_i32(mask, t, 1, 31);
  v += __nvvm_vote_ballot_sync(mask, v > 2);
  asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(sum) : "r"(v), "r"(mask));
  out[t] = sum + __nvvm_activemask();
}
