; For a debugger, a call after each report of an error: it stops there, at the line of the access.
; RUN: %retarget -g --stop-after=add-stops | FileCheck %s
; RUN: %retarget --stop-after=add-stops | FileCheck --check-prefix=PLAIN %s
target triple = "nvptx64-nvidia-cuda"

@__cs_state = addrspace(1) externally_initialized global [64 x i8] zeroinitializer
declare void @__cs_fail(i64, i32)

; CHECK: call void @__cs_fail(i64 1, i32 7)
; CHECK-NEXT: call void @__cr_stop({{.*}}@__cs_state{{.*}}, i32 7)
; PLAIN: call void @__cs_fail(i64 1, i32 7)
; PLAIN-NEXT: ret void
define ptx_kernel void @kernel() {
  call void @__cs_fail(i64 1, i32 7)
  ret void
}
