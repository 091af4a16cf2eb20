// With -cusafe-detect=sync, each operation on an mbarrier carries the number of its site; the code is the same. Otherwise it carries none.
// RUN: %device_cc -mllvm -cusafe-detect=sync -O2 %s -o - | FileCheck %s
// RUN: %device_cc -O2 %s -o - | FileCheck --check-prefix=NONE %s
// NONE-NOT: cusafe.mbarrier
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z10operationsj(
// CHECK: mbarrier.init.shared{{.*}}!cusafe.mbarrier ![[FIRST:[0-9]+]]
// CHECK-NOT: fence.mbarrier_init{{.*}}cusafe.mbarrier
// CHECK: cp.async.mbarrier.arrive{{.*}}!cusafe.mbarrier ![[SECOND:[0-9]+]]
// CHECK: mbarrier.test_wait.parity{{.*}}!cusafe.mbarrier ![[THIRD:[0-9]+]]
// CHECK-DAG: ![[FIRST]] = !{i32 [[#SITE:]]}
// CHECK-DAG: ![[SECOND]] = !{i32 [[#SITE+1]]}
// CHECK-DAG: ![[THIRD]] = !{i32 [[#SITE+2]]}
__global__ void operations(unsigned at) {
  asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%0], 0; }" ::"r"(at) : "memory");
}
