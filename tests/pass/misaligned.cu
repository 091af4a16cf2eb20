// The alignment is part of the one comparison of an access; single bytes need none.
// RUN: %device_cc -mllvm -cusafe-eliminate=none -O0 %s -o - | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-eliminate=none -O2 %s -o - | FileCheck %s
#include "pass_test.h"
// CHECK-LABEL: define{{.*}} @_Z4wordPli
// CHECK: and i64 {{.*}}7
// CHECK: br i1
// CHECK: call ptr @__cs_fail(ptr {{.*}}, ptr {{.*}}, i32 noundef 318767112, i32 noundef [[#]])
// CHECK-NOT: br i1
// CHECK: ret void
__global__ void word(long *p, int n) {
  p[n] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z4bytePci
// CHECK: call ptr @__cs_fail(ptr {{.*}}, ptr {{.*}}, i32 noundef 268435457, i32 noundef [[#]])
// CHECK: ret void
__global__ void byte(char *p, int n) {
  p[n] = 1;
}
