; What a failing check calls has no code in a kernel's module that shares it; other functions of the runtime keep theirs.
; Without both variables that it uses, or for a debugger, the module keeps its copy.
; RUN: %llvm/llvm-as %s -o %t.bc
; RUN: %tool --failing=%s --stop-after=empty-failing-path %t.bc -o - | FileCheck %s
; RUN: %tool --failing=%s -g --stop-after=empty-failing-path %t.bc -o - | FileCheck --check-prefix=COPY %s
; RUN: %tool --stop-after=empty-failing-path %t.bc -o - | FileCheck --check-prefix=COPY %s
; RUN: sed s/__cs_counts/others/ %s | %llvm/llvm-as -o %t.other.bc
; RUN: %tool --failing=%s --stop-after=empty-failing-path %t.other.bc -o - | FileCheck --check-prefix=COPY %s
; RUN: not %tool --failing=%t.none %t.bc -o %t.img 2>&1 | FileCheck --check-prefix=NONE %s
; NONE: cusafe-retarget: cannot read {{.*}}.none:
target triple = "nvptx64-nvidia-cuda"

; They are the first in the table, in this order.
; CHECK: ; variable __cs_state:
; CHECK-NEXT: ; variable __cs_counts:
; CHECK-NEXT: ; variable before:
@before = addrspace(1) global i32 0
@__cs_counts = addrspace(1) global [1 x [6 x i32]] zeroinitializer
@__cs_state = addrspace(1) global [7 x i64] zeroinitializer
; CHECK-LABEL: define internal ptr @__cs_fail(
; CHECK-NEXT: entry:
; CHECK-NEXT: ret ptr null
; CHECK-NEXT: }
; COPY-LABEL: define{{.*}} ptr @__cs_fail(
; COPY: atomicrmw
define ptr @__cs_fail(ptr %pointer, ptr %root, i32 %what, i32 %site) cold noinline {
  %1 = atomicrmw add ptr addrspace(1) @__cs_counts, i32 1 monotonic
  ret ptr %pointer
}
; CHECK-LABEL: define internal void @__cs_fail_field(
; CHECK-NEXT: entry:
; CHECK-NEXT: ret void
; CHECK-NEXT: }
define void @__cs_fail_field(i64 %index, i64 %elements, i32 %site) cold noinline {
  %1 = atomicrmw add ptr addrspace(1) @__cs_counts, i32 1 monotonic
  ret void
}
; CHECK-LABEL: define{{.*}} ptr @__cs_fail_empty(
; CHECK-NEXT: call ptr @__cs_fail(
define ptr @__cs_fail_empty() cold noinline {
  %1 = call ptr @__cs_fail(ptr null, ptr null, i32 0, i32 0)
  ret ptr %1
}
define ptx_kernel void @kernel(i32 %i, ptr %p) {
  %at = call ptr @__cs_fail(ptr %p, ptr %p, i32 0, i32 0)
  %shared = call ptr @__cs_fail_empty()
  call void @__cs_fail_field(i64 0, i64 0, i32 1)
  store i32 %i, ptr %at
  store i32 %i, ptr %shared
  %value = load i32, ptr addrspace(1) @before
  store i32 %value, ptr %p
  store i32 0, ptr addrspace(1) @__cs_state
  ret void
}
