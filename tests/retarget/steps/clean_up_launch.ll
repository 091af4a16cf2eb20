; Fields of the launch block that are not used are not loaded.
; RUN: %retarget --stop-after=clean-up.launch | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: i32 3
; CHECK: store i32 0,
; CHECK-NEXT: ret void
define ptx_kernel void @kernel(ptr addrspace(1) %p) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %s = sub i32 %x, %y
  store i32 %s, ptr addrspace(1) %p
  ret void
}
