; A kernel with warp operations tests at its start that the engine runs its lanes in lock step, and so does one that exchanges values through
; volatile shared memory. One that has a fence instead may be correct without: it only asks for lock step, so that the engine keeps it in an
; incomplete warp.
; RUN: %retarget --stop-after=expect-lock-step | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @shuffles(
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @__cr_expect_lock_step()
define ptx_kernel void @shuffles(ptr addrspace(1) %out) {
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 1, i32 1, i32 31)
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; CHECK: define ptx_kernel void @plain(
; CHECK-NOT: __cr_expect_lock_step
; CHECK: ret void
define ptx_kernel void @plain(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) %out
  ret void
}

@tile = internal addrspace(3) global [64 x i32] undef
; CHECK: define ptx_kernel void @through_volatile(
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @__cr_expect_lock_step()
define ptx_kernel void @through_volatile() {
  store volatile i32 1, ptr addrspace(3) @tile
  ret void
}

; CHECK: define ptx_kernel void @over_a_fence(
; CHECK-NEXT: entry:
; CHECK-NEXT: call void @__cr_ask_lock_step()
; CHECK-NOT: __cr_expect_lock_step
; CHECK: ret void
define ptx_kernel void @over_a_fence(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(3) @tile
  call void @llvm.nvvm.membar.cta()
  %v = load i32, ptr addrspace(3) @tile
  store i32 %v, ptr addrspace(1) %out
  ret void
}
