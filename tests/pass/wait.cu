// Where threads wait for an mbarrier or at a barrier with a count, each place at which they wait carries the number of its site, in every build.
// Modules without such waits have no sites of waits.
// RUN: %device_cc -O2 -DWAITS %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: cusafe.wait
// NONE-NOT: cusafe.barrier
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z5waitsPij(
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0){{.*}}, !cusafe.wait ![[FIRST:[0-9]+]]
// CHECK: asm sideeffect {{.*}}mbarrier.test_wait{{.*}}, !cusafe.wait ![[SECOND:[0-9]+]]
// CHECK: asm sideeffect {{.*}}bar.sync 1{{.*}}, !cusafe.wait ![[THIRD:[0-9]+]]
// CHECK-DAG: ![[FIRST]] = !{i32 [[#SITE:]]}
// CHECK-DAG: ![[SECOND]] = !{i32 [[#SITE+1]]}
// CHECK-DAG: ![[THIRD]] = !{i32 [[#SITE+2]]}
__global__ void waits(int *out, unsigned object) {
  int t = __nvvm_read_ptx_sreg_tid_x(), passed = 0;
  out[t] = 1;
  __nvvm_bar_sync(0);
#ifdef WAITS
  while (!passed)
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                 : "=r"(passed)
                 : "r"(object)
                 : "memory");
  asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
  out[t] = passed;
}
