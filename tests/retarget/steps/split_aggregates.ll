; Loads and stores of structures are those of their scalars.
; RUN: %retarget --stop-after=split-aggregates | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @kernel(
; CHECK-NOT: { i32, i64 }
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) [[FROM:%.*]], i64 0
; CHECK-NEXT: [[A:%.*]] = load volatile i32, ptr addrspace(1) [[AT]]
; CHECK-NEXT: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) [[FROM]], i64 8
; CHECK-NEXT: [[B:%.*]] = load volatile i64, ptr addrspace(1) [[AT]]
; CHECK: store volatile i32 [[A]],
; CHECK: store volatile i64 [[B]],
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %p = load volatile { i32, i64 }, ptr addrspace(1) %in
  store volatile { i32, i64 } %p, ptr addrspace(1) %out
  ret void
}
