; Integers above 64 bits become limbs of 64 bits: loads, shifts, sums, comparisons, phis, switches, and divisions, which LLVM expands first.
; RUN: %retarget --stop-after=split-integers | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [4 x i128] undef, align 16

; A vector that is copied through local memory, as GVN combines it.
; CHECK-LABEL: define ptx_kernel void @vector(
; CHECK: [[LOW:%.*]] = load i64, ptr addrspace(1) [[FROM:%.*]], align 16
; CHECK: [[AT:%.*]] = getelementptr i8, ptr addrspace(1) [[FROM]], i64 8
; CHECK: [[HIGH:%.*]] = load i64, ptr addrspace(1) [[AT]], align 8
; CHECK: lshr i64 [[HIGH]], 32
; CHECK-NOT: i128
; CHECK: ret void
define ptx_kernel void @vector(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %v = load i128, ptr addrspace(1) %in, align 16
  %top = lshr i128 %v, 96
  %n = trunc i128 %top to i32
  store i32 %n, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: define ptx_kernel void @sum(
; CHECK: [[SUM:%.*]] = add i64
; CHECK: [[OVER:%.*]] = icmp ult i64 [[SUM]],
; CHECK: [[CARRY:%.*]] = zext i1 {{.*}} to i64
; CHECK: add i64 %{{[0-9]+}}, [[CARRY]]
; CHECK-NOT: i128
; CHECK: ret void
define ptx_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load volatile i128, ptr addrspace(1) %in
  %b = load volatile i128, ptr addrspace(1) %in
  %s = add i128 %a, %b
  store i128 %s, ptr addrspace(1) %out
  ret void
}

; 12 bytes have a limb of four bytes.
; CHECK-LABEL: define ptx_kernel void @odd(
; CHECK: load volatile i64
; CHECK: load volatile i32
; CHECK: store volatile i64
; CHECK: store volatile i32
; CHECK: ret void
define ptx_kernel void @odd(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load volatile i96, ptr addrspace(1) %in, align 4
  store volatile i96 %a, ptr addrspace(1) %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @loop(
; CHECK: phi i64
; CHECK: phi i64
; CHECK-NOT: i128
; CHECK: ret void
define ptx_kernel void @loop(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %a = load i128, ptr addrspace(1) %in
  br label %again
again:
  %x = phi i128 [ %a, %entry ], [ %y, %again ]
  %y = mul i128 %x, %a
  %c = icmp slt i128 %y, %a
  br i1 %c, label %again, label %end
end:
  switch i128 %y, label %other [
    i128 18446744073709551616, label %first
    i128 3, label %first
  ]
first:
  %at = getelementptr [4 x i128], ptr addrspace(3) @tile, i64 0, i64 1
  store i128 %y, ptr addrspace(3) %at
  br label %other
other:
  %r = phi i128 [ %y, %end ], [ %a, %first ]
  %q = udiv i128 %r, %a
  store i128 %q, ptr addrspace(1) %out
  ret void
}
