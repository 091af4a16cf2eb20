; read-options: a wrong option ends the compilation before the module changes.
; RUN: %opt -passes=cusafe -cusafe-stop-after=read-options
; RUN: not %opt -passes=cusafe -cusafe-stop-after=read-options -cusafe-metadata=nowhere 2>&1 | FileCheck --check-prefix=METADATA %s
; RUN: not %opt -passes=cusafe -cusafe-stop-after=read-options -cusafe-eliminate=everything 2>&1 | FileCheck --check-prefix=ELIMINATE %s
; RUN: not %opt -passes=cusafe -cusafe-stop-after=read-options -cusafe-ignorelist=%t.none 2>&1 | FileCheck --check-prefix=IGNORE %s
; METADATA: cusafe: -cusafe-metadata=nowhere is neither table nor window
; ELIMINATE: cusafe: {{.*}}everything
; IGNORE: cusafe: {{.*}}.none
;
; declare-runtime: the device functions that checks call are declared.
; RUN: %opt -passes=cusafe -cusafe-print-after=select-bare 2>&1 | FileCheck --check-prefix=BEFORE %s
; RUN: %opt -passes=cusafe -cusafe-print-after=declare-runtime 2>&1 | FileCheck --check-prefix=DECLARE %s
; BEFORE-NOT: @__cs_
; DECLARE: call ptr @malloc(
; DECLARE-DAG: declare ptr @__cs_check(
; DECLARE-DAG: declare ptr @__cs_malloc(
;
; begin-detectors: malloc is the runtime's; a function of the program with that name, and a body, would not be.
; RUN: %opt -passes=cusafe -cusafe-print-after=begin-detectors 2>&1 | FileCheck --check-prefix=BEGIN %s
; BEGIN-LABEL: define ptx_kernel void @kernel(
; BEGIN: call ptr @__cs_malloc(i64 8)
; BEGIN: call ptr @_Znwm(i64 8)
target triple = "nvptx64-nvidia-cuda"

declare ptr @malloc(i64)

define ptr @_Znwm(i64 %bytes) {
  ret ptr null
}

define ptx_kernel void @kernel() {
  %p = call ptr @malloc(i64 8)
  %q = call ptr @_Znwm(i64 8)
  ret void
}
