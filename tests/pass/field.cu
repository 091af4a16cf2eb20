// clang's check of an index into an array inside an object becomes a record of CuSafe, before the access itself is checked. An address
// one past the end is no access (at -O0 its check stays, and never fails), and an array at the end of a structure may be longer than
// declared.
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -fstrict-flex-arrays=1 -O0 %s -o - | FileCheck %s
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -fstrict-flex-arrays=1 -O2 %s -o - | FileCheck --check-prefixes=CHECK,O2 %s
#include "pass_test.h"
struct Pair {
  int first[4];
  int second[4];
};
struct Open {
  int length;
  int data[1];
};
// CHECK-NOT: __ubsan
// CHECK-LABEL: define{{.*}} @_Z6insideP4Pairi
// CHECK: call void @__cs_fail_field(i64 {{.*}}, i64 4, i32 [[#]])
// CHECK: call ptr @__cs_fail(
// CHECK: ret void
__global__ void inside(Pair *p, int i) {
  p->first[i] = 1;
}
// CHECK-LABEL: define{{.*}} @_Z6beyondP4Openi
// CHECK-NOT: @__cs_fail_field
// CHECK: ret void
__global__ void beyond(Open *p, int i) {
  p->data[i] = 1;
}
// O2-LABEL: define{{.*}} @_Z3endP4PairPi
// O2-NOT: @__cs_fail_field
// O2: ret void
__global__ void end(Pair *p, int *out) {
  int sum = 0;
  for (int *i = p->first; i != &p->first[4]; i++)
    sum += *i;
  *out = sum;
}
// CHECK-NOT: __ubsan
