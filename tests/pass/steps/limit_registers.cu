// limit-registers: a kernel may use the registers that it uses without checks, rounded up to eight, and at least 32; a limit of the
// program's own stays.
// RUN: echo "_Z4slimPi 20 255 _Z4widePi 41 255 _Z3ownPi 41 255 _Z6cappedPi 90 64" > %t.registers
// RUN: %device_cc -mllvm -cusafe-registers=%t.registers -mllvm -cusafe-print-after=limit-registers -O2 %s -o %t 2>&1 | FileCheck %s
// RUN: not %device_cc -mllvm -cusafe-registers=%t.none -O2 %s -o %t 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: cusafe: cannot read the file of registers '{{.*}}.none'
#include "../pass_test.h"
// CHECK: define{{.*}} @_Z4slimPi({{.*}} #[[SLIM:[0-9]+]]
__global__ void slim(int *p) {
  *p = 1;
}
// CHECK: define{{.*}} @_Z4widePi({{.*}} #[[WIDE:[0-9]+]]
__global__ void wide(int *p) {
  *p = 2;
}
// CHECK: define{{.*}} @_Z3ownPi({{.*}} #[[OWN:[0-9]+]]
__attribute__((launch_bounds(128, 4))) __global__ void own(int *p) {
  *p = 3;
}
// CHECK: define{{.*}} @_Z6cappedPi({{.*}} #[[CAPPED:[0-9]+]]
__global__ void capped(int *p) {
  *p = 4;
}
// CHECK-DAG: attributes #[[SLIM]] = {{.*}}"nvvm.maxnreg"="32"
// CHECK-DAG: attributes #[[WIDE]] = {{.*}}"nvvm.maxnreg"="48"
// CHECK-DAG: attributes #[[CAPPED]] = {{.*}}"nvvm.maxnreg"="64"
// CHECK-DAG: attributes #[[OWN]] = {{.*}}"nvvm.minctasm"="4"
