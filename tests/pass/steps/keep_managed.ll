; keep-managed: __managed__, which cusafe cc turns into an annotation, becomes the metadata of the back end.
; RUN: %opt -passes=cusafe-start -cusafe-print-after=keep-managed 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@managed = private constant [15 x i8] c"cusafe:managed\00"
@another = private constant [8 x i8] c"another\00"
@file = private constant [5 x i8] c"a.cu\00"
@counter = addrspace(1) externally_initialized global i32 5
@other = addrspace(1) externally_initialized global i32 6
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @counter to ptr), ptr @managed, ptr @file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @other to ptr), ptr @another, ptr @file, i32 2, ptr null }], section "llvm.metadata"

; CHECK: !nvvm.annotations = !{[[MANAGED:![0-9]+]]}
; CHECK: [[MANAGED]] = !{ptr addrspace(1) @counter, !"managed", i32 1}
