; Operations on an mbarrier with a site are checked, before they are performed and afterwards.
; RUN: %retarget --stop-after=lower-device-calls | FileCheck --check-prefix=MARKS %s
; RUN: %retarget --stop-after=lower-mbarriers | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@__cs_state = addrspace(1) global [8 x i64] zeroinitializer
@__cs_counts = addrspace(1) global [8 x i32] zeroinitializer
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; MARKS: define {{.*}}@all(
; MARKS: call void @__cr_on_mbarrier(ptr {{.*}}, i32 56, i32 %{{.*}})
; MARKS-NEXT: call {{.*}}@__cr_mbarrier_init(
; MARKS-NEXT: call void @__cr_on_mbarrier_after(ptr {{.*}}, i32 56)
; MARKS: call void @__cr_on_mbarrier(ptr {{.*}}, i32 74, i32 1)
; MARKS-NEXT: call {{.*}}@__cr_mbarrier_arrive(
; MARKS: call void @__cr_on_mbarrier(ptr {{.*}}, i32 84, i32 0)
; MARKS-NEXT: call {{.*}}@__cr_mbarrier_passed_parity(
; CHECK: define ptx_kernel void @all(
; CHECK: call void @__cr_mbarriers_begin(
; CHECK: call void @__cr_mbarriers_before({{.*}}, i32 56, i32 %{{.*}})
; CHECK: call void @__cr_mbarriers_after({{.*}}, i32 56)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(
; CHECK-NEXT: call void @__cr_mbarriers_learn(
; CHECK: call void @__cr_mbarriers_before({{.*}}, i32 74, i32 1)
; CHECK: call void @__cr_mbarriers_after({{.*}}, i32 74)
; CHECK: call void @__cr_mbarriers_before({{.*}}, i32 84, i32 0)
; CHECK: call void @__cr_mbarriers_after({{.*}}, i32 84)
; CHECK-NOT: __cr_on_mbarrier
; CHECK: ret void
define ptx_kernel void @all(ptr addrspace(1) %out, i32 %count) {
  call void asm sideeffect "mbarrier.init.shared.b64 [$0], $1;", "r,r,~{memory}"(i32 0, i32 %count), !cusafe.mbarrier !0
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void asm sideeffect "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [$0]; }", "r,~{memory}"(i32 0), !cusafe.mbarrier !1
  %done = call i32 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,r,~{memory}"(i32 0), !cusafe.mbarrier !2
  store i32 %done, ptr addrspace(1) %out
  ret void
}

; Without a site nothing changes: the program was not built with --detect=sync.
; CHECK: define ptx_kernel void @none(
; CHECK-NOT: mbarriers
; CHECK: ret void
define ptx_kernel void @none() {
  call void asm sideeffect "{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [$0]; }", "r,~{memory}"(i32 0)
  ret void
}
!0 = !{i32 7}
!1 = !{i32 9}
!2 = !{i32 10}
