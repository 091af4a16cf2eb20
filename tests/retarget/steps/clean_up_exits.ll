; Code after the end of a thread is gone.
; RUN: %retarget --stop-after=clean-up.exits | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.exit()
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: br
; CHECK: store i32 1,
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) %out
  call void @end(ptr addrspace(1) %out)
  store i32 2, ptr addrspace(1) %out
  ret void
}
define void @end(ptr addrspace(1) %out) {
  %v = load i32, ptr addrspace(1) %out
  %c = icmp eq i32 %v, 1
  br i1 %c, label %yes, label %no
yes:
  call void @llvm.nvvm.exit()
  unreachable
no:
  call void @llvm.nvvm.exit()
  unreachable
}
