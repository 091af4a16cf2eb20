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
