// At -O0, functions of the toolkit's headers are inlined into the user's code if they can contain an error, within a budget.
// RUN: %device_cc -mllvm -cusafe-toolkit=%S/inputs/toolkit -I%S/inputs/toolkit/include -I%S/inputs/cuda-project/include -O0 %s -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=KERNEL

// The toolkit's folder may be a symbolic link, and its headers may be found through another one:
// RUN: rm -rf %t.links && mkdir %t.links && ln -s %S/inputs/toolkit %t.links/a && ln -s %S/inputs/toolkit/include %t.links/b
// RUN: %device_cc -mllvm -cusafe-toolkit=%t.links/a -I%t.links/b -I%S/inputs/cuda-project/include -O0 %s -o - | FileCheck %s

// Without a toolkit they are the user's functions, and stay:
// RUN: %device_cc -I%S/inputs/toolkit/include -I%S/inputs/cuda-project/include -O0 %s -o - | FileCheck --check-prefix=NONE %s
#include "pass_test.h"

#include "bulk.h"
#include "own.h"

// CHECK-LABEL: define{{.*}} @_Z6directPii
// CHECK-NOT: call {{.*}}@_Z4bulkPii
// CHECK: ret void
// NONE-LABEL: define{{.*}} @_Z6directPii
// NONE: call {{.*}}@_Z4bulkPii
// NONE: ret void
__global__ void direct(int *p, int i) {
  bulk(p, i);
}

// CHECK-LABEL: define{{.*}} @_Z6nestedPii
// CHECK-NOT: call {{.*}}@_Z{{4bulk|7through}}
// CHECK: ret void
__global__ void nested(int *p, int i) {
  through(p, i);
}

// CHECK-LABEL: define{{.*}} @_Z8harmlessPi
// CHECK: call {{.*}}@_Z5counti
// CHECK: ret void
__global__ void harmless(int *p) {
  p[0] = count(3);
}

// CHECK-LABEL: define{{.*}} @_Z5cyclePii
// CHECK: call {{.*}}@_Z{{3odd|4even}}Pii
// CHECK: ret void
__global__ void cycle(int *p, int i) {
  odd(p, i);
}

// CHECK-LABEL: define{{.*}} @_Z3ownPii
// CHECK: call {{.*}}@_Z11of_the_userPii
// CHECK: ret void
__global__ void own(int *p, int i) {
  of_the_user(p, i);
}

// CHECK-LABEL: define{{.*}} @_Z6budgetPii
// CHECK: call {{.*}}@_Z7doubledILi{{[0-9]+}}EEvPii
// CHECK: ret void
__global__ void budget(int *p, int i) {
  doubled<12>(p, i);
}

// A kernel of the toolkit is simplified with everything that it calls: none of its variables stays in memory.
// KERNEL-LABEL: define{{.*}} @_Z14of_the_toolkitPii
// KERNEL-NOT: alloca
// KERNEL-NOT: call {{.*}}@_Z9only_herePii
// KERNEL: ret void
