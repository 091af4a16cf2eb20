// cusafe cc passes --print-after and --stop-after on to the pass.
// RUN: %cusafe cc --print-after=write-checks %s -c -o %t.o 2>&1 | FileCheck --check-prefix=PRINT %s
// RUN: not %cusafe cc --print-after=checks %s -c -o %t.o 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: %cusafe cc --device=gpu -ptx --eliminate=none --stop-after=find-roots %s -o %t.ptx && FileCheck --check-prefix=STOP %s < %t.ptx
// PRINT: ; cusafe: after write-checks
// PRINT: define{{.*}} @_Z6kernelPi(
// UNKNOWN: cusafe: -cusafe-print-after: 'checks' is not a step; the steps are allow-undefined,
// STOP: .entry _Z6kernelPi(
// STOP-NOT: {{bra|call}}
// STOP: st.{{.*}}
// STOP: ret;
__global__ void kernel(int *p) {
  p[1] = 1;
}
