; Functions that lower-all-calls has linked have internal linkage.
; RUN: %retarget --stop-after=keep-reachable.linked | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal {{.*}}i32 @__cr_ntid_x()
define ptx_kernel void @kernel(ptr addrspace(1) %p) {
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %w, ptr addrspace(1) %p
  ret void
}
