; The optimiser removes stack variables and scalarises vector accesses, as the SPIR-V back end needs.
; RUN: %retarget --stop-after=simplify | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @kernel(
; CHECK-NOT: alloca
; CHECK-NOT: load <4 x i32>
; CHECK: load i32
; CHECK: load i32
; CHECK: store i32
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %slot = alloca i32
  %v = load <4 x i32>, ptr addrspace(1) %in
  %a = extractelement <4 x i32> %v, i32 0
  %b = extractelement <4 x i32> %v, i32 3
  %s = add i32 %a, %b
  store i32 %s, ptr %slot
  %t = load i32, ptr %slot
  store i32 %t, ptr addrspace(1) %out
  ret void
}

; SPIR-V has no vectors of one element.
; CHECK: define ptx_kernel void @one_element(
; CHECK-NOT: <1 x i32>
; CHECK: bitcast float {{.*}} to i32
; CHECK: ret void
define ptx_kernel void @one_element(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %f = load float, ptr addrspace(1) %in
  %s = fadd float %f, 1.0
  %v = bitcast float %s to <1 x i32>
  %i = extractelement <1 x i32> %v, i64 0
  store i32 %i, ptr addrspace(1) %out
  ret void
}
