// insert-ptx-stand-ins: an address that inline PTX accesses becomes the result of a stand-in with the access's kind and size;
// remove-ptx-stand-ins: the statement gets the checked address.
// RUN: %device_cc -mllvm -cusafe-print-after=insert-ptx-stand-ins -O2 %s -o %t 2>&1 | FileCheck --check-prefix=INSERT %s
// RUN: %device_cc -mllvm -cusafe-print-after=remove-ptx-stand-ins -mllvm -cusafe-eliminate=none -O2 %s -o %t 2>&1 | FileCheck --check-prefix=REMOVE %s
#include "../pass_test.h"
// INSERT-LABEL: define{{.*}} @_Z5storePii(
// INSERT: %[[A:.*]] = call ptr @__cs_ptx_access(ptr align 4 %{{.*}}, i32 1, i64 4)
// INSERT: call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(ptr %[[A]],
// REMOVE-LABEL: define{{.*}} @_Z5storePii(
// REMOVE-NOT: @__cs_ptx_access
// REMOVE: %[[A:.*]] = call ptr @__cs_check
// REMOVE: call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(ptr %[[A]],
__global__ void store(int *p, int value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(value));
}
