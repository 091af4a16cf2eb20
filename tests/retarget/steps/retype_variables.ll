; Variables with integers above 64 bits have a type of the same layout without them.
; RUN: %retarget --stop-after=retype-variables | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-DAG: @tile = internal addrspace(3) global [8 x i64] undef, align 16
; CHECK-DAG: @zeros = addrspace(1) externally_initialized global [4 x i64] zeroinitializer, align 16
; CHECK-DAG: @one = addrspace(1) externally_initialized global <{ i64, i64 }> <{ i64 7, i64 5 }>, align 16
; CHECK-DAG: @pair = addrspace(4) externally_initialized constant <{ ptr, [8 x i8], i64, i64, i8, [15 x i8] }> <{ ptr @f, [8 x i8] zeroinitializer, i64 -1, i64 -1, i8 3, [15 x i8] zeroinitializer }>, align 16
@tile = internal addrspace(3) global [4 x i128] undef, align 16
@zeros = addrspace(1) externally_initialized global [2 x i128] zeroinitializer
@one = addrspace(1) externally_initialized global i128 92233720368547758087, align 16
@pair = addrspace(4) externally_initialized constant { ptr, i128, i8 } { ptr @f, i128 -1, i8 3 }, align 16
define void @f() {
  ret void
}
