; A shared variable that a select chooses has one use in a function, from which the others derive.
; RUN: %retarget --stop-after=anchor-shared | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@one = internal addrspace(3) global [8 x i32] undef
@two = internal addrspace(3) global [8 x i32] undef
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[TWO:%.*]] = getelementptr inbounds i8, ptr addrspace(3) @two, i64 {{%.*}}
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %0, i64 72
; CHECK-NEXT: [[ZERO:%.*]] = load i64, ptr addrspace(1) [[AT]]
; CHECK-NEXT: [[ONE:%.*]] = getelementptr inbounds i8, ptr addrspace(3) @one, i64 [[ZERO]]
; CHECK: select i1 {{%.*}}, ptr addrspace(3) [[ONE]], ptr addrspace(3) [[TWO]]
; CHECK: store volatile i32 1, ptr addrspace(3) [[ONE]]
define ptx_kernel void @kernel(i1 %c, ptr addrspace(1) %out) {
  %s = select i1 %c, ptr addrspace(3) @one, ptr addrspace(3) @two
  store volatile i32 1, ptr addrspace(3) @one
  %v = load volatile i32, ptr addrspace(3) %s
  store i32 %v, ptr addrspace(1) %out
  ret void
}
