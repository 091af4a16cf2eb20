; Types that no back end supports are refused, and kernels are measured.
; RUN: %retarget --stop-after=check 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: check.ll: error: cusafe: cannot translate 'a value of type fp128' for the CPU device
; CHECK: ; kernel kernel: params 12, shared 32, local 16, threads 0; shaped
@tile = internal addrspace(3) global [8 x i32] undef, align 4
define ptx_kernel void @kernel(ptr addrspace(1) %p, i32 %i) {
  %slot = alloca [4 x i32]
  %at = getelementptr i32, ptr %slot, i32 %i
  store volatile i32 1, ptr %at
  %s = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 %i, ptr addrspace(3) %s
  %wide = load fp128, ptr addrspace(1) %p
  store volatile fp128 %wide, ptr addrspace(1) %p
  ret void
}
