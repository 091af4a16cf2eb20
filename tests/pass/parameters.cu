// A structure passed by value to a device function is a variable with bounds. A kernel's parameter is not, and the access is printed.
// RUN: %device_cc -O1 -mllvm -cusafe-statistics %s -o /dev/null 2>&1 | FileCheck --check-prefix=PRINTED %s
// RUN: %device_cc -O1 %s -o - | FileCheck %s
// PRINTED-DAG: parameters.cu:[[@LINE+13]]:{{[0-9]+}}: unknown: read of 4 bytes: a kernel's parameters have no bounds of their own
// PRINTED-DAG: _Z4take4Pairi: 1 accesses, 1 checks
#include "pass_test.h"
struct Pair {
  int a[4], b[4];
};
// CHECK-LABEL: define{{.*}} @_Z4take4Pairi
// CHECK: call ptr @__cs_fail_named(ptr {{.*}}, i64 {{.*}}, i64 {{.*}}32
__device__ __noinline__ int take(Pair x, int at) {
  return *(x.a + at);
}
__global__ void kernel(Pair x, int at, int *out) {
  out[0] = take(x, at);
  out[1] = *(x.b + at);
}
