; String literals move to global memory, and stack variables to the local address space.
; RUN: %retarget --stop-after=assign-address-spaces | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@text = internal constant [3 x i8] c"hi\00"
; CHECK: @text = internal addrspace(1) constant [3 x i8] c"hi\00"
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[STACK:%.*]] = alloca [4 x i32], align 4, addrspace(5)
; CHECK-NEXT: [[SLOT:%.*]] = addrspacecast ptr addrspace(5) [[STACK]] to ptr
; CHECK: getelementptr i32, ptr [[SLOT]],
define ptx_kernel void @kernel(i32 %i, ptr addrspace(1) %p) {
  %c = getelementptr i8, ptr @text, i32 %i
  %v = load i8, ptr %c
  store i8 %v, ptr addrspace(1) %p
  %slot = alloca [4 x i32]
  %at = getelementptr i32, ptr %slot, i32 %i
  store volatile i32 1, ptr %at
  ret void
}
