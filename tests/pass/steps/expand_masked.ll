; expand-masked: the lanes of a constant mask that are on are accessed by themselves; a mask that is not constant stays.
; RUN: %opt -passes=cusafe -cusafe-print-after=expand-masked 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @constant(
; CHECK-NOT: @llvm.masked.
; CHECK: %[[P:.*]] = getelementptr inbounds i32, ptr %p, i32 0
; CHECK: load <2 x i32>, ptr %[[P]], align 16
; CHECK: %[[Q:.*]] = getelementptr inbounds i32, ptr %p, i32 3
; CHECK: store i32 %{{.*}}, ptr %[[Q]], align 4
; CHECK-NOT: @llvm.masked.
; CHECK: ret void
define void @constant(ptr %p, <4 x i32> %v) {
  %l = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %p, <4 x i1> <i1 1, i1 1, i1 0, i1 0>, <4 x i32> %v)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %l, ptr align 16 %p, <4 x i1> <i1 0, i1 0, i1 0, i1 1>)
  ret void
}

; CHECK-LABEL: define void @variable(
; CHECK: call <4 x i32> @llvm.masked.load.v4i32.p0(
define void @variable(ptr %p, <4 x i32> %v, <4 x i1> %on) {
  %l = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %p, <4 x i1> %on, <4 x i32> %v)
  ret void
}
