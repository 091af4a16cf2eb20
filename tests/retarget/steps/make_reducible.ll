; A loop with two entries has one.
; RUN: %retarget --stop-after=make-reducible | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: br label %irr.guard
; CHECK: irr.guard:
; CHECK: [[C:%.*]] = phi i1
; CHECK-NEXT: br i1 [[C]], label %two.i, label %one.i
define ptx_kernel void @kernel(i32 %n, ptr addrspace(1) %p) {
entry:
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %one, label %two
one:
  %i = phi i32 [ 0, %entry ], [ %j, %two ]
  store volatile i32 %i, ptr addrspace(1) %p
  %done = icmp sgt i32 %i, %n
  br i1 %done, label %end, label %two
two:
  %k = phi i32 [ 5, %entry ], [ %i, %one ]
  %j = add i32 %k, 1
  store volatile i32 %j, ptr addrspace(1) %p
  br label %one
end:
  ret void
}
