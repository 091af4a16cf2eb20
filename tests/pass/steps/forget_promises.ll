; forget-promises: loads have no ranges, zeros of 0 are defined, and nothing is assumed; bare copies keep all of it.
; RUN: %opt -passes=cusafe-prepare -cusafe-print-after=forget-promises 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @checked(
; CHECK: load i8, ptr %p, align 1{{$}}
; CHECK-NOT: llvm.assume
; CHECK: call i32 @llvm.cttz.i32(i32 %n, i1 false)
; CHECK: call i32 @llvm.ctlz.i32(i32 %n, i1 false)
define void @checked(ptr %p, i32 %n) {
  %flag = load i8, ptr %p, !range !0
  %some = icmp ne i32 %n, 0
  call void @llvm.assume(i1 %some)
  %t = call i32 @llvm.cttz.i32(i32 %n, i1 true)
  %l = call i32 @llvm.ctlz.i32(i32 %n, i1 true)
  ret void
}

; CHECK-LABEL: define void @__cs_bare.checked(
; CHECK: load i8, ptr %p, align 1, !range
; CHECK: call void @llvm.assume(
; CHECK: call i32 @llvm.cttz.i32(i32 %n, i1 true)
define void @__cs_bare.checked(ptr %p, i32 %n) "cusafe-bare" {
  %flag = load i8, ptr %p, !range !0
  %some = icmp ne i32 %n, 0
  call void @llvm.assume(i1 %some)
  %t = call i32 @llvm.cttz.i32(i32 %n, i1 true)
  ret void
}

declare void @llvm.assume(i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctlz.i32(i32, i1)
!0 = !{i8 0, i8 2}
