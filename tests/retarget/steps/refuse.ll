; The translation ends after all refusals are printed, each once, and writes nothing.
; RUN: %llvm/llvm-as %s -o %t.bc && rm -f %t.img
; RUN: not %tool %t.bc -o %t.img 2>&1 | FileCheck --implicit-check-not=error %s
; RUN: not %tool --stop-after=refuse %t.bc -o - | count 0
; RUN: not test -e %t.img
target triple = "nvptx64-nvidia-cuda"

; CHECK: refuse.ll: error: cusafe: cannot translate 'llvm.nvvm.barrier.cta.red.popc.aligned.count' for the CPU device
; CHECK: refuse.ll: error: cusafe: cannot translate 'a value of type fp128' for the CPU device
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32, i32, i1)
define ptx_kernel void @kernel(ptr addrspace(1) %p) {
  %wide = load fp128, ptr addrspace(1) %p
  store volatile fp128 %wide, ptr addrspace(1) %p
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32 1, i32 64, i1 true)
  ret void
}
