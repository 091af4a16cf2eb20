; In memory, pointers are integers.
; RUN: %retarget --stop-after=pointers-as-integers | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[NUMBER:%.*]] = load i64, ptr addrspace(1)
; CHECK-NEXT: [[P:%.*]] = inttoptr i64 [[NUMBER]] to ptr addrspace(1)
; CHECK: getelementptr { i64, i32 }, ptr addrspace(1) [[P]],
; CHECK: [[NUMBER:%.*]] = load i64, ptr addrspace(1) [[P]]
; CHECK-NEXT: [[Q:%.*]] = inttoptr i64 [[NUMBER]] to ptr
; CHECK-NEXT: [[STORED:%.*]] = ptrtoint ptr [[Q]] to i64
; CHECK-NEXT: store i64 [[STORED]],
define ptx_kernel void @kernel(ptr addrspace(1) %p, i64 %i) {
  %at = getelementptr { ptr, i32 }, ptr addrspace(1) %p, i64 %i, i32 1
  %q = load ptr, ptr addrspace(1) %p
  store ptr %q, ptr addrspace(1) %at
  ret void
}
