; The masks of warp operations with a site are checked, unless all lanes provably execute full ones together.
; RUN: %retarget --stop-after=lower-device-calls | FileCheck --check-prefix=MARKS %s
; RUN: %retarget --stop-after=lower-masks | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@__cs_state = addrspace(1) global [8 x i64] zeroinitializer
@__cs_counts = addrspace(1) global [8 x i32] zeroinitializer
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; MARKS: define {{.*}}@proven(
; MARKS: call void @__cr_masked(i32 -1, i32 226)
; MARKS-NEXT: call i32 @__cr_shfl_down(
; MARKS-NEXT: call void @__cr_masked_after()
; CHECK: define ptx_kernel void @proven(
; CHECK-NOT: masks
; CHECK: ret void
define ptx_kernel void @proven(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %t, i32 1, i32 31), !cusafe.mask !0
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; An operation that only some lanes execute: the others may be at any other one, or at a barrier.
; CHECK: define ptx_kernel void @diverges(
; CHECK: call void @__cr_masks_begin(
; CHECK: call void @__cr_masks_come({{.*}}, i32 -1, i32 224)
; CHECK: call void @__cr_masks_vary(
; CHECK: call void @__cr_masks_wait({{.*}}, i32 9)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(
; CHECK: call void @__cr_masks_pass(
; CHECK-NOT: __cr_masked
; CHECK: ret void
define ptx_kernel void @diverges(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp ult i32 %t, 16
  br i1 %some, label %then, label %join
then:
  call void @llvm.nvvm.bar.warp.sync(i32 -1), !cusafe.mask !0
  br label %join
join:
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 %t, i1 %some), !cusafe.mask !0
  store i32 %b, ptr addrspace(1) %out
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !cusafe.barrier !1
  ret void
}

; Lanes that meet in memory.
; CHECK: define ptx_kernel void @waits(
; CHECK: call void @__cr_lane_comes(
; CHECK: call void @__cr_lane_has_met(
; CHECK: ret void
define ptx_kernel void @waits(ptr addrspace(1) %out) {
  br label %wait
wait:
  %done = call i32 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,r,~{memory}"(i32 0)
  %passed = icmp ne i32 %done, 0
  br i1 %passed, label %next, label %wait
next:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp ult i32 %t, 16
  br i1 %some, label %then, label %join
then:
  call void asm sideeffect "bar.warp.sync $0;", "r,~{memory}"(i32 -1), !cusafe.mask !0
  br label %join
join:
  store i32 %done, ptr addrspace(1) %out
  ret void
}
!0 = !{i32 7}
!1 = !{i32 9}
