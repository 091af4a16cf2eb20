; A sum in half precision is rounded once, without a branch: the engine takes long to compile a kernel with hundreds of
; them if each has some.
; RUN: %retarget --stop-after=clean-up.inlined | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: br
; CHECK: fmul double
; CHECK-NOT: br
; CHECK: fptrunc double {{.*}} to float
; CHECK-NOT: br
; CHECK: ret void
define ptx_kernel void @kernel(ptr addrspace(1) %p, <2 x half> %a, <2 x half> %b, <2 x half> %c) {
  %x = bitcast <2 x half> %a to i32
  %y = bitcast <2 x half> %b to i32
  %z = bitcast <2 x half> %c to i32
  %s = call i32 asm "{fma.rn.f16x2 $0, $1, $2, $3;}", "=r,r,r,r"(i32 %x, i32 %y, i32 %z)
  %t = call i32 asm "{add.f16x2 $0, $1, $2;}", "=r,r,r"(i32 %s, i32 %y)
  %u = call i32 asm "{sub.f16x2 $0, $1, $2;}", "=r,r,r"(i32 %t, i32 %z)
  store i32 %u, ptr addrspace(1) %p
  ret void
}
