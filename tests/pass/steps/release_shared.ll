; release-shared: shared variables are not in llvm.used, since add-metadata replaces them; others stay in it.
; RUN: %opt -passes=cusafe -cusafe-print-after=release-shared 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"
; CHECK: @llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @v to ptr)]
@tile = internal addrspace(3) global [4 x i32] undef
@v = addrspace(1) global [4 x i32] zeroinitializer
@llvm.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr addrspacecast (ptr addrspace(1) @v to ptr)], section "llvm.metadata"
