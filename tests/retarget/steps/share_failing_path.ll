; What a failing check calls is at an address in the table of variables, after the variables. It has the parameters of the function that calls
; it, with the hidden ones. That function stays scalar. A kernel that cannot fail does not need the module.
; RUN: %llvm/llvm-as %s -o %t.bc
; RUN: %tool --failing=%s --stop-after=share-failing-path %t.bc -o - | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel fails: {{.*}} fails
; CHECK-NOT: ; kernel other: {{.*}} fails
@__cs_state = addrspace(1) global [7 x i64] zeroinitializer
@__cs_counts = addrspace(1) global [1 x [6 x i32]] zeroinitializer
; CHECK-LABEL: define ptx_kernel void @fails(
; CHECK: call ptr @__cs_fail(
; CHECK-LABEL: define ptx_kernel void @other(
; CHECK-LABEL: define internal ptr @__cs_fail(
; CHECK: br i1 {{%.*}}, label %[[ONE:.*]], label %[[TWO:.*]]
; CHECK: [[TABLE:%.*]] = inttoptr i64 {{%.*}} to ptr addrspace(1)
; CHECK: [[SLOT:%.*]] = getelementptr {{.*}} [[TABLE]], i64 {{16|2}}
; CHECK: [[ADDRESS:%.*]] = load i64, ptr addrspace(1) [[SLOT]]
; CHECK: [[RESULT:%.*]] = call ptr @__cr_elsewhere.__cs_fail(i64 [[ADDRESS]], ptr %0, ptr %1, i32 %2, i32 %3, ptr addrspace(1) {{.*}}, ptr addrspace(3) {{.*}}, ptr {{.*}}, i64 {{.*}}, i64 {{.*}})
; CHECK-NEXT: ret ptr [[RESULT]]
; CHECK: declare ptr @__cr_elsewhere.__cs_fail(i64, ptr, ptr, i32, i32, ptr addrspace(1), ptr addrspace(3), ptr, i64, i64)
define ptr @__cs_fail(ptr %pointer, ptr %root, i32 %what, i32 %site) cold noinline {
  %1 = atomicrmw add ptr addrspace(1) @__cs_counts, i32 1 monotonic
  ret ptr %pointer
}
define ptx_kernel void @fails(i32 %i, ptr %p) {
  %at = call ptr @__cs_fail(ptr %p, ptr %p, i32 0, i32 0)
  store i32 %i, ptr %at
  ret void
}
define ptx_kernel void @other(i32 %i, ptr %p) {
  store i32 %i, ptr %p
  store i32 %i, ptr addrspace(1) @__cs_state
  store i32 %i, ptr addrspace(1) @__cs_counts
  ret void
}
;
; The shared module: the runtime alone, whose first kernel stores the addresses.
; RUN: %tool --make-failing --stop-after=share-failing-path %runtime_table -o - | FileCheck --check-prefix=MADE %s
; MADE-LABEL: define ptx_kernel void @__cusafe_globals(
; MADE-NEXT: entry:
; MADE-NEXT: [[FIRST:%.*]] = call i64 @__cr_address_of.__cs_fail()
; MADE: store i64 [[FIRST]], ptr addrspace(1)
; MADE: call i64 @__cr_address_of.__cs_fail_range()
; MADE: ret void
;
; It uses no variables but the two, and all functions must be there.
; RUN: not %tool --make-failing %t.bc -o %t.spv 2>&1 | FileCheck --check-prefix=PART %s
; PART: cusafe-retarget: the runtime does not define __cs_fail_array
