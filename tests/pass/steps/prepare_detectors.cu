// prepare-detectors: LLVM sees neither free by its name, nor the scope of a local whose address outlives it.
// RUN: %device_cc -Xclang -fsanitize-address-use-after-scope -mllvm -cusafe-print-after=prepare-detectors -O2 %s -o %t 2>&1 | FileCheck %s
// RUN: %device_cc -Xclang -fsanitize-address-use-after-scope -mllvm -cusafe-skip=scopes -mllvm -cusafe-print-after=prepare-detectors -O2 %s -o %t 2>&1 | FileCheck --check-prefix=SKIP %s
//
// release-scopes: once LLVM's passes have run, the variable has one address again.
// RUN: %device_cc -Xclang -fsanitize-address-use-after-scope -mllvm -cusafe-print-after=release-scopes -O2 %s -o %t 2>&1 | FileCheck --check-prefix=RELEASE %s
#include "../pass_test.h"
extern "C" __device__ void free(void *);
// CHECK-LABEL: define{{.*}} @_Z7releasePi(
// CHECK: call void @cusafe.free(
__global__ void release(int *p) {
  free(p);
}
// CHECK-LABEL: define{{.*}} @_Z4keepPPi(
// CHECK: %[[VALUE:.*]] = call noalias ptr @__cs_scope_begin(
// CHECK: store i32 1, ptr %[[VALUE]]
// CHECK: call void @__cs_scope_end(ptr %[[VALUE]])
// RELEASE-LABEL: define{{.*}} @_Z4keepPPi(
// RELEASE: call noalias ptr @__cs_scope_begin(ptr {{.*}}%[[OWN:[^ ]+]])
// RELEASE: store i32 2, ptr %[[OWN]]
// RELEASE: call void @__cs_scope_end(ptr {{.*}}%[[OWN]])
// SKIP-LABEL: define{{.*}} @_Z4keepPPi(
// SKIP-NOT: call void @{{__cs_scope|llvm.lifetime}}
// SKIP: ret void
__global__ void keep(int **out) {
  int *last = 0;
  {
    int value = 1;
    last = &value;
    *last = 2;
  }
  *out = last;
}
