; The address of a function is its number, and a call through a pointer a switch over the functions of its type.
; RUN: %retarget --stop-after=resolve-function-pointers | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

define i32 @one(i32 %x) {
  ret i32 1
}
define i32 @two(i32 %x) {
  ret i32 2
}
define void @other() {
  ret void
}

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[F:%.*]] = select i1 %which, ptr inttoptr (i64 16 to ptr), ptr inttoptr (i64 32 to ptr)
; CHECK: store ptr inttoptr (i64 48 to ptr), ptr %out
; CHECK: [[NUMBER:%.*]] = ptrtoint ptr [[F]] to i64
; CHECK: switch i64 [[NUMBER]], label %[[NONE:.*]] [
; CHECK-NEXT: i64 16, label %[[ONE:.*]]
; CHECK-NEXT: i64 32, label %[[TWO:.*]]
; CHECK-NEXT: ]
; CHECK: [[ONE]]:
; CHECK-NEXT: [[A:%.*]] = call i32 @one(i32 5)
; CHECK: [[TWO]]:
; CHECK-NEXT: [[B:%.*]] = call i32 @two(i32 5)
; CHECK: phi i32 [ [[A]], %[[ONE]] ], [ [[B]], %[[TWO]] ]
; CHECK: [[NONE]]:
; CHECK-NEXT: call void @__cr_trap()
; CHECK-NEXT: unreachable
define ptx_kernel void @kernel(i1 %which, ptr %out) {
  %f = select i1 %which, ptr @one, ptr @two
  store ptr @other, ptr %out
  %r = call i32 %f(i32 5)
  store i32 %r, ptr %out
  ret void
}
