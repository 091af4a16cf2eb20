; The remaining intrinsics: special registers, copies, hints.
; RUN: %retarget --stop-after=lower-all-calls | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call i32 @__cr_ntid_x()
; CHECK: call void @__cr_set_1(ptr {{%.*}}, i8 7, i64 {{%.*}})
; CHECK-NOT: call void @llvm.assume
; CHECK: {{^}}}
define ptx_kernel void @kernel(ptr addrspace(1) %p, i64 %n) {
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %w, ptr addrspace(1) %p
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %p, i8 7, i64 %n, i1 false)
  %c = icmp eq i32 %w, 32
  call void @llvm.assume(i1 %c)
  ret void
}

; Reversals of any width are those of the next width of the table, shifted down.
; CHECK-LABEL: define ptx_kernel void @reversals(
; CHECK: %[[N:.*]] = zext i3 %{{.*}} to i8
; CHECK: %[[R:.*]] = call i8 @__cr_bitreverse_8(i8 %[[N]])
; CHECK: %[[S:.*]] = lshr i8 %[[R]], 5
; CHECK: trunc i8 %[[S]] to i3
; CHECK: %[[R:.*]] = call i64 @__cr_bswap_64(
; CHECK: lshr i64 %[[R]], 16
; CHECK: call i32 @__cr_bitreverse_32(
; CHECK: {{^}}}
; CHECK: define {{.*}}i32 @__cr_ntid_x()
define ptx_kernel void @reversals(ptr addrspace(1) %p, i32 %a, i64 %b) {
  %n = trunc i32 %a to i3
  %r = call i3 @llvm.bitreverse.i3(i3 %n)
  %w = zext i3 %r to i32
  %m = trunc i64 %b to i48
  %s = call i48 @llvm.bswap.i48(i48 %m)
  %t = trunc i48 %s to i32
  %v = call i32 @llvm.bitreverse.i32(i32 %t)
  %x = xor i32 %v, %w
  store i32 %x, ptr addrspace(1) %p
  ret void
}
