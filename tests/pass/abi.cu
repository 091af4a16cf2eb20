// A device runtime of another ABI version is refused at compile time, in one sentence.
// RUN: %llvm/llvm-dis %runtime_table -o - | sed 's/__cs_abi_[0-9]*/__cs_abi_0/' | %llvm/llvm-as -o %t.bc
// RUN: not %device_cc_with %t.bc -O2 %s -o - 2>&1 | FileCheck %s
// CHECK: cusafe: the device runtime {{.*}} does not define __cs_abi_{{[1-9][0-9]*}}: pass and runtime come from different versions of CuSafe
#include "pass_test.h"
__global__ void k(int *p) {
  *p = 1;
}
