; keep-clusters: __cluster_dims__, which cusafe cc turns into an annotation, becomes the attribute of the back end.
; RUN: %opt -passes=cusafe-start -cusafe-print-after=keep-clusters 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@clusters = private constant [20 x i8] c"cusafe:cluster_dims\00"
@other = private constant [8 x i8] c"another\00"
@file = private constant [5 x i8] c"a.cu\00"
@sizes = private constant { i32, i32 } { i32 4, i32 2 }
@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @clustered, ptr @clusters, ptr @file, i32 1, ptr @sizes },
  { ptr, ptr, ptr, i32, ptr } { ptr @annotated, ptr @other, ptr @file, i32 2, ptr @sizes }], section "llvm.metadata"

; CHECK: define ptx_kernel void @clustered() [[CLUSTER:#[0-9]+]] {
define ptx_kernel void @clustered() {
  ret void
}

; CHECK: define ptx_kernel void @annotated() {
define ptx_kernel void @annotated() {
  ret void
}

; CHECK: attributes [[CLUSTER]] = { "nvvm.cluster_dim"="4,2,1" }
