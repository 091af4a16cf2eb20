; A kernel has a version for one-dimensional blocks, in which threadIdx.x is the engine's local id.
; RUN: %retarget --stop-after=add-linear-versions | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[Y:%.*]] = call i32 @__cr_ntid_y()
; CHECK: [[Z:%.*]] = call i32 @__cr_ntid_z()
; CHECK: [[AREA:%.*]] = mul i32 [[Y]], [[Z]]
; CHECK: [[C:%.*]] = icmp eq i32 [[AREA]], 1
; CHECK: br i1 [[C]], label %linear, label %general
; CHECK: linear:
; CHECK-NEXT: call void @[[LINEAR:.*]](ptr addrspace(1) %0, ptr addrspace(3) %1)
; CHECK: general:
; CHECK-NEXT: call void @kernel.general(ptr addrspace(1) %0, ptr addrspace(3) %1)
; CHECK: define internal void @kernel.general(
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: define internal void @[[LINEAR]](
; CHECK: [[X:%.*]] = call i32 @__cr_tid_linear()
; CHECK-NEXT: add nuw nsw i32 [[X]], 0
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %s = add i32 %x, %y
  store i32 %s, ptr addrspace(1) %out
  ret void
}
