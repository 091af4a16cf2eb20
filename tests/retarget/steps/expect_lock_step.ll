; A kernel with warp operations tests at its start that the engine runs its lanes in lock step.
; RUN: %retarget --stop-after=expect-lock-step | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @shuffles(
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @__cr_expect_lock_step()
define ptx_kernel void @shuffles(ptr addrspace(1) %out) {
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 1, i32 1, i32 31)
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; CHECK: define ptx_kernel void @plain(
; CHECK-NOT: __cr_expect_lock_step
; CHECK: ret void
define ptx_kernel void @plain(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) %out
  ret void
}
