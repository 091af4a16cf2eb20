; count-accesses: a module that defines __cs_count calls it at each access, with the kind in the upper eight bits: 1 global, 2 shared. Its own accesses
; are not counted.
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=count-accesses 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"
@sum = addrspace(1) global i32 0
@tile = internal addrspace(3) global i32 undef

; CHECK-LABEL: define void @__cs_count(
; CHECK-NOT: call
; CHECK: ret void
define void @__cs_count(i32 %what, i64 %address) {
  store i32 %what, ptr addrspace(1) @sum
  ret void
}

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call void @__cs_count(i32 0, i64 0)
; CHECK: call void @__cs_count(i32 [[#0x1000001]], i64 %
; CHECK-NEXT: store i32 1, ptr %p
; CHECK: call void @__cs_count(i32 [[#0x2000002]], i64 0)
; CHECK-NEXT: store i32 1, ptr addrspace(3) @tile
define ptx_kernel void @kernel(ptr %p) {
  store i32 1, ptr %p
  store i32 1, ptr addrspace(3) @tile
  ret void
}
