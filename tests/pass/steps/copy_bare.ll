; copy-bare: a kernel, and a function that it calls with clang's check of an index, have copies without that check.
; RUN: %opt -passes=cusafe-start -cusafe-print-after=copy-bare 2>&1 | FileCheck %s
; Where the host decides no checks, nothing uses the copies.
; RUN: %opt -passes=cusafe-start -cusafe-eliminate=loops -cusafe-print-after=copy-bare 2>&1 | FileCheck --check-prefix=NONE %s
; NONE-NOT: @__cs_bare.
target triple = "nvptx64-nvidia-cuda"

declare void @__ubsan_handle_out_of_bounds(ptr, i64)

; CHECK-LABEL: define void @indexes(
; CHECK: call void @__ubsan_handle_out_of_bounds(
define void @indexes(ptr %p, i64 %i) {
  call void @__ubsan_handle_out_of_bounds(ptr null, i64 %i)
  ret void
}

; CHECK-LABEL: define void @other(
define void @other(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call void @indexes(
define ptx_kernel void @kernel(ptr %p, i64 %i) {
  call void @indexes(ptr %p, i64 %i)
  call void @other(ptr %p)
  ret void
}

; CHECK-LABEL: define void @__cs_bare.indexes(
; CHECK-NOT: call
; CHECK: ret void
; CHECK-LABEL: define ptx_kernel void @__cs_bare.kernel(
; CHECK: call void @__cs_bare.indexes(
; CHECK: call void @other(
; CHECK-NOT: @__cs_bare.other
