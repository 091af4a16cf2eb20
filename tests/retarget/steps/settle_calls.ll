; Hints that inlining introduces, here around the stack variables of the linear version, are removed.
; RUN: %retarget --stop-after=load-variable-addresses | FileCheck --check-prefix=BEFORE %s
; RUN: %retarget --stop-after=settle-calls | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; BEFORE: call void @llvm.lifetime.start
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: call void @llvm.lifetime
; CHECK: {{^}}}
define ptx_kernel void @kernel(i32 %i) {
  %slot = alloca [4 x i32]
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %slot, i32 %i
  store volatile i32 %x, ptr %at
  ret void
}
