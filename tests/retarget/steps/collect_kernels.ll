; Kernels, and their parameters at CUDA's offsets.
; RUN: %retarget --stop-after=collect-kernels | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel scale: params 40, shared 0, local 0, threads 256;
; CHECK-NEXT: ;   param 0: offset 0, size 8, align 8, pointer
; CHECK-NEXT: ;   param 1: offset 8, size 1, align 1
; CHECK-NEXT: ;   param 2: offset 16, size 8, align 8
; CHECK-NEXT: ;   param 3: offset 24, size 16, align 8
; CHECK-NOT: ; kernel
%pair = type { i32, double }
define ptx_kernel void @scale(ptr %to, i8 %flag, double %by, ptr byval(%pair) align 8 %p) "nvvm.maxntid"="128,2" {
  ret void
}
define void @helper() {
  ret void
}
