; finish-detectors: the marks of a scope whose variable has no window are removed.
; RUN: %opt -passes=cusafe -cusafe-print-after=finish-detectors 2>&1 | FileCheck --check-prefix=DETECTORS %s
;
; finish-forms: the fast form gets the bounds of its remaining checks as parameters, and reads no metadata; a form without checks becomes the bare copy.
; RUN: %opt -passes=cusafe -cusafe-print-after=finish-forms 2>&1 | FileCheck --check-prefix=FORMS %s
; FORMS-NOT: @__cs_bare.
;
; verify: a module that is not valid IR ends the compilation.
; RUN: %opt -passes=cusafe -cusafe-stop-after=verify
; RUN: sed s/noduplicate/alwaysinline/ %s | not %llvm/opt %plugin -disable-verify -passes=cusafe -cusafe-stop-after=verify -disable-output 2>&1 | FileCheck --check-prefix=INVALID %s
; INVALID: LLVM ERROR: cusafe: the instrumented module is not valid IR; this is a bug in CuSafe
target triple = "nvptx64-nvidia-cuda"

declare void @__cs_scope_begin(ptr)
declare void @__cs_scope_end(ptr)

; DETECTORS-LABEL: define void @scoped(
; DETECTORS-NOT: @__cs_scope
; DETECTORS: ret void
define void @scoped(i64 %i) noinline noduplicate {
  %a = alloca [4 x i32]
  call void @__cs_scope_begin(ptr %a)
  %q = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %q
  call void @__cs_scope_end(ptr %a)
  ret void
}

; FORMS-LABEL: define ptx_kernel void @gathers(
; FORMS: call i64 @__cs_size(
define ptx_kernel void @gathers(ptr %p, ptr %in, i64 %i) {
  %from = getelementptr inbounds i64, ptr %in, i64 %i
  %j = load i64, ptr %from
  %q = getelementptr inbounds i32, ptr %p, i64 %j
  store i32 1, ptr %q
  ret void
}

define ptx_kernel void @sets(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define ptx_kernel void @__cs_bare.sets(ptr %bare) "cusafe-bare" {
  store i32 1, ptr %bare
  ret void
}

; FORMS: define ptx_kernel void @sets__cusafe_fast(ptr %bare)
; FORMS: define ptx_kernel void @gathers__cusafe_fast(ptr %p, ptr %in, i64 %i, i64 %{{.*}})
; FORMS-NOT: call i64 @__cs_{{start|size|limit}}(
