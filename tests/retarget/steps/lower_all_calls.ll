; The remaining intrinsics: special registers, copies, hints.
; RUN: %retarget --stop-after=lower-all-calls | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call i32 @__cr_ntid_x()
; CHECK: call void @__cr_set_1(ptr {{%.*}}, i8 7, i64 {{%.*}})
; CHECK-NOT: call void @llvm.assume
; CHECK: {{^}}}
; CHECK: define {{.*}}i32 @__cr_ntid_x()
define ptx_kernel void @kernel(ptr addrspace(1) %p, i64 %n) {
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %w, ptr addrspace(1) %p
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %p, i8 7, i64 %n, i1 false)
  %c = icmp eq i32 %w, 32
  call void @llvm.assume(i1 %c)
  ret void
}
