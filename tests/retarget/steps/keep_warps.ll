; In a module whose kernels may wait for other threads, warp operations stay calls until it is known which kernels do.
; RUN: %retarget --stop-after=keep-warps | FileCheck %s
; RUN: %retarget --stop-after=simplify | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: call i32 @__cr_shfl_down(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.envreg1()
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %block, i32 1, i32 31)
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; All lanes execute the shuffle together: it must not be copied to both sides of the branches around it.
; RUN: %retarget --stop-after=simplify | FileCheck --check-prefix=ONCE %s
; ONCE: define ptx_kernel void @reduces(
; ONCE: call {{.*}}@__cr_shfl_bfly
; ONCE-NOT: __cr_shfl_bfly
; ONCE: ret void
define ptx_kernel void @reduces(ptr addrspace(1) %in, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp slt i32 %t, %n
  br i1 %some, label %loop, label %join
loop:
  %i = phi i32 [ %t, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %at = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, 32
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %join
join:
  %all = phi float [ 0.0, %0 ], [ %more, %loop ]
  %other = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %all, i32 16, i32 31)
  %total = fadd float %all, %other
  br i1 %some, label %store, label %exit
store:
  %j = phi i32 [ %t, %join ], [ %after, %store ]
  %to = getelementptr float, ptr addrspace(1) %in, i32 %j
  store float %total, ptr addrspace(1) %to
  %after = add nsw i32 %j, 32
  %more_left = icmp slt i32 %after, %n
  br i1 %more_left, label %store, label %exit
exit:
  ret void
}
