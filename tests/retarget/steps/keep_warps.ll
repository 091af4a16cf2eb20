; In a module whose kernels may wait for other threads, warp operations stay calls until it is known which kernels do.
; RUN: %retarget --stop-after=keep-warps | FileCheck %s
; RUN: %retarget --stop-after=simplify | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: call i32 @__cr_shfl_down(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.envreg1()
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %block, i32 1, i32 31)
  store i32 %v, ptr addrspace(1) %out
  ret void
}
