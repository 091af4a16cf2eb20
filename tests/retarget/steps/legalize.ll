; Integers of unusual widths are carried in wider ones, undefined values are zero, and atomics address global memory.
; RUN: %retarget --stop-after=legalize | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[N:%.*]] = and i32 {{%.*}}, 16777215
; CHECK-NEXT: [[M:%.*]] = udiv i32 [[N]], 3
; CHECK-NEXT: [[W:%.*]] = and i32 [[M]], 16777215
; CHECK-NEXT: [[P:%.*]] = addrspacecast ptr {{%.*}} to ptr addrspace(1)
; CHECK-NEXT: [[OLD:%.*]] = atomicrmw add ptr addrspace(1) [[P]], i32 [[W]] seq_cst
; CHECK-NEXT: store i32 [[OLD]],
define ptx_kernel void @kernel(ptr %p, i32 %x, ptr addrspace(1) %q) {
  %n = trunc i32 %x to i24
  %m = udiv i24 %n, 3
  %w = zext i24 %m to i32
  %o = atomicrmw add ptr %p, i32 %w seq_cst
  %f = freeze i32 %o
  store i32 %f, ptr addrspace(1) %q
  ret void
}

; A value that is kept on the stack across a barrier: the optimiser makes its slot an array of bytes.
; CHECK-LABEL: define ptx_kernel void @slot(
; CHECK: [[SLOT:%.*]] = alloca i64
; CHECK: store i64 {{.*}}, ptr [[SLOT]]
; CHECK: [[KEPT:%.*]] = load i64, ptr [[SLOT]]
; CHECK: trunc i64 [[KEPT]] to i32
; CHECK-NOT: i33
; CHECK: ret void
define ptx_kernel void @slot(i32 %x, ptr addrspace(1) %q) {
  %s = alloca [5 x i8], align 8
  %n = zext i32 %x to i33
  %m = mul i33 %n, %n
  store volatile i33 %m, ptr %s, align 8
  %k = load volatile i33, ptr %s, align 8
  %w = trunc i33 %k to i32
  store i32 %w, ptr addrspace(1) %q
  ret void
}
