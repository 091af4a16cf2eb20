; String literals move to global memory, and stack variables to the local address space. Shared arrays get the alignment of the widest
; access, as on a GPU, but the kernel is said to use what their own alignment takes; what is smaller keeps its own.
; RUN: %retarget --stop-after=assign-address-spaces | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel kernel: params {{[0-9]+}}, shared 44,
@text = internal constant [3 x i8] c"hi\00"
@first = internal addrspace(3) global [5 x i32] undef, align 4
@second = internal addrspace(3) global [5 x i32] undef, align 4
@flag = internal addrspace(3) global i32 undef, align 4
; CHECK-DAG: @text = internal addrspace(1) constant [3 x i8] c"hi\00"
; CHECK-DAG: @first = internal addrspace(3) global [5 x i32] undef, align 16
; CHECK-DAG: @second = internal addrspace(3) global [5 x i32] undef, align 16
; CHECK-DAG: @flag = internal addrspace(3) global i32 undef, align 4
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
  %one = getelementptr i32, ptr addrspace(3) @first, i32 %i
  store volatile i32 1, ptr addrspace(3) %one
  %two = getelementptr i32, ptr addrspace(3) @second, i32 %i
  store volatile i32 1, ptr addrspace(3) %two
  store volatile i32 1, ptr addrspace(3) @flag
  ret void
}
