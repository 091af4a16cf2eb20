; bound-pieces: a piece of dynamic shared memory that the program declares gets its bounds from the device runtime.
; RUN: %opt -passes=cusafe-start -cusafe-print-after=bound-pieces 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare ptr @__cusafe_shared_piece(ptr, i64)
declare ptr @piece(ptr, i64)

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call ptr @__cs_shared_piece(ptr %p, i64 64)
; CHECK: call ptr @piece(ptr %p, i64 64)
define ptx_kernel void @kernel(ptr %p) {
  %a = call ptr @__cusafe_shared_piece(ptr %p, i64 64)
  %b = call ptr @piece(ptr %p, i64 64)
  ret void
}
