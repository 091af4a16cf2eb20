; number-blocks: in a module that defines __cs_block_table, each block is named by its number, and the table has each function's first block and
; number of blocks. Other modules stay.
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=number-blocks 2>&1 | FileCheck %s
; RUN: sed s/@__cs_block_table/@another_table/ %s | %llvm/opt %plugin -passes=cusafe-finish -cusafe-print-after=number-blocks -disable-output 2>&1 | FileCheck --check-prefix=OTHER %s
; CHECK: @__cs_block_table = {{.*}} c"kernel 0 3 [[HASH:[0-9a-f]+]]\0A\00
; OTHER: @another_table = global [65536 x i8] zeroinitializer
target triple = "nvptx64-nvidia-cuda"
@__cs_block_table = global [65536 x i8] zeroinitializer

; CHECK: cs.0.[[HASH]]:
; CHECK: cs.1.[[HASH]]:
; CHECK: cs.2.[[HASH]]:
; OTHER: entry:
; OTHER: end:
define ptx_kernel void @kernel(ptr %p) {
entry:
  %some = icmp ne ptr %p, null
  br i1 %some, label %set, label %end
set:
  store i32 1, ptr %p
  br label %end
end:
  ret void
}
