; A kernel loads the address of a variable from the table of the launch block.
; RUN: %retarget --stop-after=load-variable-addresses | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@first = addrspace(1) externally_initialized global i32 0
@second = addrspace(1) externally_initialized global i32 0
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %0, i64 64
; CHECK-NEXT: [[NUMBER:%.*]] = load i64, ptr addrspace(1) [[AT]]
; CHECK-NEXT: [[TABLE:%.*]] = inttoptr i64 [[NUMBER]] to ptr addrspace(1)
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) [[TABLE]], i64 8
; CHECK-NEXT: [[NUMBER:%.*]] = load i64, ptr addrspace(1) [[SLOT]]
; CHECK-NEXT: [[SECOND:%.*]] = inttoptr i64 [[NUMBER]] to ptr addrspace(1)
; CHECK-NEXT: store i32 5, ptr addrspace(1) [[SECOND]]
define ptx_kernel void @kernel() {
  store i32 5, ptr addrspace(1) @second
  ret void
}
