// limit-registers: ptxas refuses mma of f64 with fewer than 64 registers, also in a function that the kernel calls.
// RUN: echo "_Z6kernelPd 20 255" > %t.registers
// RUN: %device_cc -mllvm -cusafe-registers=%t.registers -O2 %s -o - | FileCheck %s
#include "../pass_test.h"
__device__ __noinline__ void product(double *p) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(p[0]), "+d"(p[1])
               : "d"(p[2]), "d"(p[3]));
}
// CHECK: define{{.*}} @_Z6kernelPd({{.*}} #[[KERNEL:[0-9]+]]
// CHECK: attributes #[[KERNEL]] = {{.*}}"nvvm.maxnreg"="64"
__global__ void kernel(double *p) {
  p[9] = 1;
  product(p);
}
