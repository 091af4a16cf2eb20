; expand-integers: an integer that is a constant address becomes an instruction, which later steps can rewrite; a constant pointer
; stays.
; RUN: %opt -passes=cusafe -cusafe-print-after=expand-integers 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"
@v = addrspace(1) global [4 x i32] zeroinitializer

; CHECK-LABEL: define void @f(
; CHECK: %[[NUMBER:.*]] = ptrtoint ptr addrspace(1) @v to i64
; CHECK: store i64 %[[NUMBER]], ptr %p
; CHECK: store ptr addrspacecast (ptr addrspace(1) @v to ptr), ptr %p
define void @f(ptr %p) {
  store i64 ptrtoint (ptr addrspace(1) @v to i64), ptr %p
  store ptr addrspacecast (ptr addrspace(1) @v to ptr), ptr %p
  ret void
}
