// -cusafe-print-after and -cusafe-stop-after take the names of pass/pipeline.inc; any other name is an error that lists them.
// RUN: not %device_cc -mllvm -cusafe-print-after=no-such-step -O2 %s -o %t 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: not %device_cc -mllvm -cusafe-stop-after=checks -O2 %s -o %t 2>&1 | FileCheck --check-prefix=STOP %s
// UNKNOWN: cusafe: -cusafe-print-after: 'no-such-step' is not a step; the steps are allow-undefined, {{.*}}write-checks, {{.*}}, number-blocks{{$}}
// STOP: cusafe: -cusafe-stop-after: 'checks' is not a step; the steps are allow-undefined,
//
// A step of a function is printed for each function, a step of the module once; LLVM's own steps, too.
// RUN: %device_cc -mllvm -cusafe-print-after=write-checks -O2 %s -o %t 2>&1 | FileCheck --check-prefix=FUNCTION %s
// RUN: %device_cc -mllvm -cusafe-print-after=link-runtime -O2 %s -o %t 2>&1 | FileCheck --check-prefix=MODULE %s
// RUN: %device_cc -mllvm -cusafe-print-after=inline-checks -O2 %s -o %t 2>&1 | FileCheck --check-prefix=LLVM %s
// FUNCTION: ; cusafe: after write-checks
// FUNCTION: define{{.*}} @_Z5firstPi(
// FUNCTION: call ptr @__cs_check
// FUNCTION: ; cusafe: after write-checks
// FUNCTION: define{{.*}} @_Z6secondPi(
// MODULE: ; cusafe: after link-runtime
// MODULE: define internal {{.*}} @__cs_check(
// MODULE-NOT: ; cusafe: after
// LLVM: ; cusafe: after inline-checks
// LLVM: define{{.*}} @_Z5firstPi(
// LLVM-NOT: call ptr @__cs_check
// LLVM: ret void
//
// A stopped pipeline leaves the code as the step left it.
// RUN: %device_cc -mllvm -cusafe-stop-after=find-roots -O2 %s -o - | FileCheck --check-prefix=STOPPED %s
// STOPPED: define{{.*}} @_Z5firstPi(
// STOPPED-NOT: @__cs_check(ptr
// STOPPED: ret void
#include "../pass_test.h"
__global__ void first(int *p) {
  p[1] = 1;
}
__global__ void second(int *p) {
  p[2] = 2;
}
