; Refusals of single steps, with the construct's name.
; RUN: %retarget --stop-after=check 2>&1 >%t.ll | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: the device function 'elsewhere(int)' is not defined here; if another file defines it, compile all files with -rdc=true
; CHECK: cannot translate 'unknown_function' for the CPU device
; CHECK: cannot translate 'asm "no.such.instruction.b32 $0, $1"' for the CPU device
; CHECK: cannot translate 'a barrier with a number and no count, next to barriers with a count: state its count'
; CHECK: cannot translate 'wait for an mbarrier in a recursive function' for the CPU device
; CHECK: cannot translate 'barrier in a recursive function' for the CPU device
; CHECK: cannot translate 'undefined' for the CPU device
; CHECK: cannot translate 'warp operation in a recursive function' for the CPU device
@undefined = external addrspace(1) global i32
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @_Z9elsewherei(i32)
declare i32 @unknown_function(i32)

define void @descend(i32 %n) {
  %last = icmp eq i32 %n, 0
  br i1 %last, label %end, label %more
more:
  %m = sub i32 %n, 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 4, i32 0, i32 31)
  call i32 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,r,~{memory}"(i32 0)
  call void @descend(i32 %s)
  ret void
end:
  ret void
}
define ptx_kernel void @kernel(ptr %out) {
  call void @_Z9elsewherei(i32 1)
  %u = call i32 @unknown_function(i32 2)
  %a = call i32 asm "no.such.instruction.b32 $0, $1;", "=r,r"(i32 %u)
  %v = load i32, ptr addrspace(1) @undefined
  store i32 %v, ptr %out
  call void @descend(i32 %a)
  ret void
}

; Barriers with a count are objects.
define ptx_kernel void @numbers() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  ret void
}
