; A kernel has the shared memory of its own variables, not that of other kernels, although the test for shared memory compares an address
; with all of them; nor that of the runtime.
; RUN: %retarget --stop-after=check | FileCheck %s
; A kernel compares with its own only.
; RUN: %retarget --stop-after=lower-launch | FileCheck --check-prefix=LOWER %s
; LOWER-LABEL: define ptx_kernel void @asks(
; LOWER: ptrtoint (ptr addrspace(3) @mine to i64)
; LOWER-NOT: @other
; LOWER-LABEL: define ptx_kernel void @uses(
target triple = "nvptx64-nvidia-cuda"

@mine = internal addrspace(3) global [16 x i32] undef
@other = internal addrspace(3) global [1000 x i32] undef
@__cs_clocks_of_block = internal addrspace(3) global [100 x i32] undef
declare i1 @llvm.nvvm.isspacep.shared(ptr)

; CHECK: ; kernel asks: {{.*}} shared 64,
; CHECK: ; kernel uses: {{.*}} shared 4000,
define ptx_kernel void @asks(ptr %p) {
  %in = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  %value = zext i1 %in to i32
  store i32 %value, ptr addrspace(3) @mine
  store i32 %value, ptr addrspace(3) @__cs_clocks_of_block
  %again = load i32, ptr addrspace(3) @mine
  store i32 %again, ptr %p
  ret void
}
define ptx_kernel void @uses(ptr %p, i64 %i) {
  %at = getelementptr i32, ptr addrspace(3) @other, i64 %i
  store i32 1, ptr addrspace(3) %at
  ret void
}
