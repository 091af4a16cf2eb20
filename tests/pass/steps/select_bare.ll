; select-bare: a kernel that calls a function with a body has no bare copy; one that calls intrinsics or nothing keeps it.
; RUN: %opt -passes=cusafe -cusafe-print-after=select-bare 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @callee(ptr %p) {
  ret void
}
define ptx_kernel void @calls(ptr %p) {
  call void @callee(ptr %p)
  ret void
}
define ptx_kernel void @reads(ptr %p) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret void
}
; CHECK: define ptx_kernel void @calls(
; CHECK-NOT: @__cs_bare.calls(
; CHECK: define ptx_kernel void @__cs_bare.reads(
define ptx_kernel void @__cs_bare.calls(ptr %p) "cusafe-bare" {
  call void @callee(ptr %p)
  ret void
}
define ptx_kernel void @__cs_bare.reads(ptr %p) "cusafe-bare" {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret void
}
