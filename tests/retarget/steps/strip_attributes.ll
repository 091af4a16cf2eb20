; Attributes that only hold for NVPTX, or prevent inlining, are gone; a byval argument is a copy that the caller makes.
; RUN: %retarget --stop-after=strip-attributes | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal void @helper(ptr %p) #[[KEPT:[0-9]+]] {
%pair = type { i32, i32 }
define void @helper(ptr noalias byval(%pair) %p) noinline optnone nounwind "target-cpu"="sm_80" {
  ret void
}
; CHECK-LABEL: define internal void @kernel.body(ptr %p)
; CHECK: [[COPY:%.*]] = alloca %pair
; CHECK: call void @llvm.memcpy{{.*}}(ptr align 4 [[COPY]], ptr align 4 %p, i64 8, i1 false)
; CHECK: call void @helper(ptr [[COPY]])
; CHECK: attributes #[[KEPT]] = { nounwind }
define ptx_kernel void @kernel(ptr %p) {
  call void @helper(ptr byval(%pair) %p)
  ret void
}
