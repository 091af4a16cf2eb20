; hide-invalid: before SROA, which would fold it, the address of an access outside its local variable is hidden.
; RUN: %opt -passes=sroa -cusafe-print-after=hide-invalid 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; cusafe: after hide-invalid
; CHECK-NEXT: define void @outside(
; CHECK: %q = getelementptr i8, ptr %a, i64 16
; CHECK: %[[HIDDEN:.*]] = call ptr @cusafe.hide.0(ptr %q)
; CHECK: store i32 1, ptr %[[HIDDEN]]
define void @outside() {
  %a = alloca [4 x i32]
  %q = getelementptr i8, ptr %a, i64 16
  store i32 1, ptr %q
  ret void
}

; CHECK: ; cusafe: after hide-invalid
; CHECK-NEXT: define void @inside(
; CHECK: %q = getelementptr i8, ptr %a, i64 12
; CHECK-NEXT: store i32 1, ptr %q
define void @inside() {
  %a = alloca [4 x i32]
  %q = getelementptr i8, ptr %a, i64 12
  store i32 1, ptr %q
  ret void
}

; keep-constants adds it, release-invalid removes it.
!cusafe.kept = !{}
