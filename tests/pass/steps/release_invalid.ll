; release-invalid: hidden addresses are shown again, and constants count as constants; externally initialised variables of the
; program stay.
; RUN: %opt -passes=cusafe-prepare -cusafe-print-after=release-invalid 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-DAG: @kept = internal addrspace(4) constant [4 x i32] zeroinitializer{{$}}
; CHECK-DAG: @own = addrspace(4) externally_initialized constant [4 x i32] zeroinitializer{{$}}
@kept = internal addrspace(4) externally_initialized constant [4 x i32] zeroinitializer, !cusafe.kept !0
@own = addrspace(4) externally_initialized constant [4 x i32] zeroinitializer

declare ptr @cusafe.hide.0(ptr)

; CHECK-LABEL: define void @outside(
; CHECK: %q = getelementptr i8, ptr %a, i64 16
; CHECK-NEXT: store i32 1, ptr %q
; CHECK-NOT: cusafe.hide
; CHECK-NOT: cusafe.kept
define void @outside() {
  %a = alloca [4 x i32]
  %q = getelementptr i8, ptr %a, i64 16
  %hidden = call ptr @cusafe.hide.0(ptr %q)
  store i32 1, ptr %hidden
  ret void
}

!cusafe.kept = !{}
!0 = !{}
