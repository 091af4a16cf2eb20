; lend-variables: a callee that only accesses a variable that its callers name has the variable's bounds; one that stores the address has not.
; RUN: %opt -passes=cusafe -cusafe-print-after=lend-variables 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal void @indexes(ptr "cusafe.lent"="16" "cusafe.memory"="1" %p, i64 %i)
define internal void @indexes(ptr %p, i64 %i) {
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  ret void
}

; CHECK: define internal void @keeps(ptr %p, ptr %to)
define internal void @keeps(ptr %p, ptr %to) {
  store ptr %p, ptr %to
  ret void
}

; CHECK: call void @indexes(ptr "cusafe.lent"="0" %a, i64 %i)
; CHECK: call void @keeps(ptr %a, ptr %to)
define ptx_kernel void @kernel(ptr %to, i64 %i) {
  %a = alloca [4 x i32]
  call void @indexes(ptr %a, i64 %i)
  call void @keeps(ptr %a, ptr %to)
  ret void
}
