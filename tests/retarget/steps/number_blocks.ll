; A thread of the pre-launch check represents a block.
; RUN: %retarget --stop-after=number-blocks | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call i64 @_Z12get_group_idj(i32 0)
; CHECK-LABEL: define ptx_kernel void @kernel__cusafe_test(
; CHECK-NOT: get_group_id
; CHECK: [[BLOCK:%.*]] = call i64 @_Z13get_global_idj(i32 0)
; CHECK-NEXT: trunc i64 [[BLOCK]] to i32
; CHECK-NOT: get_group_id
; CHECK: store i8
; CHECK-LABEL: define ptx_kernel void @kernel__cusafe_fast(
define ptx_kernel void @kernel(i32 %n, ptr addrspace(1) %out) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %passes = icmp ult i32 %block, %n
  br i1 %passes, label %fast, label %checked, !cusafe.choice !0
fast:
  store i32 1, ptr addrspace(1) %out
  ret void
checked:
  %old = atomicrmw add ptr addrspace(1) %out, i32 2 seq_cst
  ret void
}
!0 = !{}
