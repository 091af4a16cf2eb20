; Warp operations of a kernel that waits for other threads go through memory; those of others are the engine's.
; RUN: %retarget --stop-after=choose-warps | FileCheck %s
; RUN: %retarget --stop-after=lower-barriers | FileCheck --check-prefix=MACHINE %s
; RUN: %retarget --stop-after=check | FileCheck --check-prefix=EXECUTION %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @waits(
; CHECK-NOT: sub_group
; CHECK: call void @__cr_pause()
; CHECK-NOT: sub_group
; CHECK: ret void
;
; A lane that waits for the others pauses in a state of its own, and does not wait for those that have returned.
; MACHINE: define ptx_kernel void @waits(
; MACHINE-NOT: __cr_pause
; MACHINE: call void @__cr_lane_begins(ptr addrspace(3) @__cr_lanes)
; MACHINE: call void @__cr_lane_ends(ptr addrspace(3) @__cr_lanes)
;
; EXECUTION: ; kernel waits:
; EXECUTION-NOT: uses-warp
; EXECUTION-SAME: spins
; EXECUTION: ; kernel runs:
; EXECUTION-SAME: uses-warp
define ptx_kernel void @waits(ptr addrspace(3) %barrier, ptr addrspace(1) %out) {
  br label %wait
wait:
  %done = call i32 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,r,~{memory}"(i32 0)
  %passed = icmp ne i32 %done, 0
  br i1 %passed, label %next, label %wait
next:
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %done, i32 1, i32 31)
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; CHECK: define ptx_kernel void @runs(
; CHECK: call i32 @_Z17sub_group_shufflejj(
; CHECK-NOT: __cr_pause
; CHECK: ret void
define ptx_kernel void @runs(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %t, i32 1, i32 31)
  store i32 %v, ptr addrspace(1) %out
  ret void
}
