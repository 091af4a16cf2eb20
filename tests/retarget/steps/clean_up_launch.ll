; Calls of the engine that lower-launch has added twice are one.
; RUN: %retarget --stop-after=clean-up.launch | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[X:%.*]] = call i64 @_Z12get_local_idj(i32 0)
; CHECK-NOT: get_local_idj(i32 0)
; CHECK: linear:
; CHECK: trunc i64 [[X]] to i32
; CHECK-NOT: get_local_idj(i32 0)
; CHECK: general:
; CHECK: trunc i64 [[X]] to i32
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %s = add i32 %x, %y
  store i32 %s, ptr addrspace(1) %out
  ret void
}
