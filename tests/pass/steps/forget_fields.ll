; forget-fields: unchecked code does not call clang's handler of an index. Checked code does until write-checks.
; RUN: %opt -passes=cusafe-start -cusafe-bare -cusafe-print-after=forget-fields 2>&1 | FileCheck --check-prefix=BARE %s
; RUN: %opt -passes=cusafe-start -cusafe-print-after=build-shared-tables 2>&1 | FileCheck --check-prefix=CHECKED %s
target triple = "nvptx64-nvidia-cuda"

declare void @__ubsan_handle_out_of_bounds(ptr, i64)

; BARE-LABEL: define ptx_kernel void @kernel(
; BARE: outside:
; BARE-NEXT: br label %inside
; CHECKED-LABEL: define ptx_kernel void @kernel(
; CHECKED: outside:
; CHECKED-NEXT: call void @__ubsan_handle_out_of_bounds(
define ptx_kernel void @kernel(ptr %p, i64 %i) {
  %ok = icmp ult i64 %i, 4
  br i1 %ok, label %inside, label %outside
outside:
  call void @__ubsan_handle_out_of_bounds(ptr null, i64 %i)
  br label %inside
inside:
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  ret void
}
