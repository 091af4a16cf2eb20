; After inlining, the optimiser removes the stack variables of the support library.
; RUN: %retarget --stop-after=clean-up.inlined | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: alloca
; CHECK: [[T:%.*]] = call i32 @__cr_local_id()
; CHECK: [[LANE:%.*]] = and i32 [[T]], 31
; CHECK-NOT: alloca
; CHECK: call i32 @_Z17sub_group_shufflejj(
define ptx_kernel void @kernel(ptr addrspace(1) %p) {
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %s = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %l, i32 1, i32 0)
  store i32 %s, ptr addrspace(1) %p
  ret void
}
