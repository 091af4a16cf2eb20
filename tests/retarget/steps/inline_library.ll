; The support library is inlined; its primitives remain.
; RUN: %retarget --stop-after=inline.library | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[W:%.*]] = call i32 @__cr_launch_u32(i32 12)
; CHECK-NEXT: store i32 [[W]],
; CHECK-NOT: define
define ptx_kernel void @kernel(ptr addrspace(1) %p) {
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %w, ptr addrspace(1) %p
  ret void
}
