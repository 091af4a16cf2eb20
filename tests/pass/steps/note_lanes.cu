// note-lanes: a pointer and an integer that LLVM stores as one vector: the pointer gets its mark, as in a store of its own. An integer that the
// program has stored gets none.
// RUN: %device_cc -mllvm -cusafe-print-after=note-lanes -O2 %s -o %t 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: %device_cc -O2 %s -o - | FileCheck %s
// STEP-NOT: cusafe.conversion
#include "../pass_test.h"
struct alignas(16) View {
  float *data;
  long first;
};
struct alignas(16) Numbers {
  unsigned long address;
  long first;
};
// STEP-LABEL: define{{.*}} @_Z4keepP4ViewPfl
// STEP: ptrtoint {{.*}}!cusafe.lane
// STEP: store <2 x i64>
// CHECK-LABEL: define{{.*}} @_Z4keepP4ViewPfl
// CHECK: call ptr @__cs_escape_far
// CHECK: ret void
__global__ void keep(View *v, float *p, long by) {
  v->data = p - by;
  v->first = by;
}
// STEP-LABEL: define{{.*}} @_Z6numberP7NumbersPfl
// STEP-NOT: cusafe.lane
// STEP: store <2 x i64>
// CHECK-LABEL: define{{.*}} @_Z6numberP7NumbersPfl
// CHECK-NOT: call ptr @__cs_escape_far
// CHECK: ret void
__global__ void number(Numbers *v, float *p, long by) {
  v->address = (unsigned long)(p - by);
  v->first = by;
}
