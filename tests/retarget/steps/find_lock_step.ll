; Threads that exchange values through volatile shared memory, or across a fence with no barrier, rely on the lock step of a warp.
; RUN: %retarget --stop-after=find-lock-step | FileCheck %s
; RUN: env CUSAFE_CPU_LOCK_STEP=0 %tool --stop-after=find-lock-step %t.bc -o - | FileCheck --check-prefix=OFF %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel exchanges: params 0, shared 0, local 0, threads 0; in-step{{$}}
; CHECK: ; kernel global_only: params 8, shared 0, local 0, threads 0;{{$}}
; CHECK: ; kernel over_a_fence: params 0, shared 0, local 0, threads 0; in-step{{$}}
; CHECK: ; kernel fence_and_barrier: params 0, shared 0, local 0, threads 0;{{$}}
; CHECK: ; kernel fence_of_global_stores: params 8, shared 0, local 0, threads 0;{{$}}
; CHECK: ; kernel through_a_local_pointer: params 0, shared 0, local 0, threads 0; in-step{{$}}
; OFF: ; kernel exchanges: params 0, shared 0, local 0, threads 0;{{$}}
; OFF: ; kernel over_a_fence: params 0, shared 0, local 0, threads 0;{{$}}
@tile = internal addrspace(3) global [64 x i32] undef
define ptx_kernel void @exchanges() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  %next = getelementptr i32, ptr addrspace(3) %from, i32 1
  %v = load volatile i32, ptr addrspace(3) %next
  store volatile i32 %v, ptr addrspace(3) %from
  ret void
}
define ptx_kernel void @global_only(ptr addrspace(1) %p) {
  store volatile i32 1, ptr addrspace(1) %p
  ret void
}
define ptx_kernel void @over_a_fence() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %t
  %next = getelementptr i32, ptr %own, i32 1
  store i32 %t, ptr %own
  call void @llvm.nvvm.membar.cta()
  %v = load i32, ptr %next
  store i32 %v, ptr %own
  ret void
}
define ptx_kernel void @fence_and_barrier() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  %next = getelementptr i32, ptr addrspace(3) %own, i32 1
  store i32 %t, ptr addrspace(3) %own
  call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr addrspace(3) %next
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %v, ptr addrspace(3) %own
  ret void
}
define ptx_kernel void @fence_of_global_stores(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr addrspace(1) %p
  call void @llvm.nvvm.membar.gl()
  %own = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  %v = load i32, ptr addrspace(3) %own
  store i32 %v, ptr addrspace(3) %own
  ret void
}
define ptx_kernel void @through_a_local_pointer() {
  %p = alloca ptr
  store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %p
  %own = load volatile ptr, ptr %p
  store i32 1, ptr %own
  call void @llvm.nvvm.membar.gl()
  %next = load volatile ptr, ptr %p
  %v = load i32, ptr %next
  store i32 %v, ptr %own
  ret void
}
