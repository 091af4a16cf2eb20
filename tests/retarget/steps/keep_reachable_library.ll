; Functions of the support library have internal linkage, and unused ones are gone.
; RUN: %retarget --stop-after=keep-reachable.library | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal {{.*}}i32 @__cr_shfl_idx(
define ptx_kernel void @kernel(ptr %out) {
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 4, i32 0, i32 31)
  store i32 %s, ptr %out
  ret void
}
