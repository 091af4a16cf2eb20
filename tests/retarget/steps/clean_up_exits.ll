; The returns that lower-exits has added are merged with the kernel's own.
; RUN: %retarget --stop-after=clean-up.exits | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.exit()
define void @descend(i32 %n) {
  %last = icmp eq i32 %n, 0
  br i1 %last, label %end, label %more
more:
  %m = sub i32 %n, 1
  call void @descend(i32 %m)
  ret void
end:
  call void @llvm.nvvm.exit()
  unreachable
}
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call void @descend(
; CHECK: br i1 {{%.*}}, label %[[RETURN:.*]], label %[[GO:.*]]
; CHECK: [[RETURN]]:
; CHECK-NEXT: ret void
; CHECK: [[GO]]:
; CHECK-NEXT: store i32 1,
; CHECK-NEXT: br label %[[RETURN]]
; CHECK-NEXT: }
define ptx_kernel void @kernel(i32 %n, ptr addrspace(1) %out) {
  call void @descend(i32 %n)
  store i32 1, ptr addrspace(1) %out
  ret void
}
