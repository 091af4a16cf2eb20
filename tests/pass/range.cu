// A copy whose length is known only at run time is one range check on each side; nothing is copied when one fails,
// and what could not be read is 0.
// RUN: %device_cc -O2 %s -o - | FileCheck %s
// CHECK-LABEL: define{{.*}} @_Z4copyPcPKcm
// CHECK-COUNT-2: call {{.*}}ptr @__cs_fail_range
// CHECK: [[CLEARED:%.*]] = select i1 {{.*}}, i64 0, !dbg
// CHECK: call void @llvm.memset{{.*}} [[CLEARED]]
// CHECK: [[LENGTH:%.*]] = select i1 {{.*}}i64 0
// CHECK: call void @llvm.memcpy{{.*}} [[LENGTH]]
#include "pass_test.h"
__global__ void copy(char *to, const char *from, unsigned long n) {
  __builtin_memcpy(to, from, n);
}
