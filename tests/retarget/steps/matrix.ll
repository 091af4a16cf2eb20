; A matrix instruction is straight code in its kernel: two barriers of the warp, a store for each word, and a call for each
; block of 8 times 8 sums. A wmma.load is a load for each word where elements along k are adjacent.
; RUN: %retarget --stop-after=simplify | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: load i16
; CHECK-NOT: {{[[:space:]]}}br{{[[:space:]]}}
; CHECK: load i32, ptr %[[#]]
; CHECK-NOT: load i16
; CHECK-NOT: {{[[:space:]]}}br{{[[:space:]]}}
; CHECK: call void @_Z17sub_group_barrierj(
; CHECK-COUNT-6: store i32
; CHECK-NEXT: call void @_Z17sub_group_barrierj(
; CHECK-NOT: {{[[:space:]]}}br{{[[:space:]]}}
; CHECK: call i64 @__cr_product_f16(
; CHECK-NOT: {{[[:space:]]}}br{{[[:space:]]}}
; CHECK: call i64 @__cr_product_f16(
; CHECK-NOT: {{[[:space:]]}}br{{[[:space:]]}}
; CHECK-NOT: @__cr_product_f16(
; CHECK: ret void
define ptx_kernel void @kernel(ptr %p, i32 %b, ptr addrspace(1) %out) {
  %a = call { i32, i32, i32, i32, i32, i32, i32, i32 } asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k16.f16 {$0,$1,$2,$3,$4,$5,$6,$7}, [$8], $9;", "=r,=r,=r,=r,=r,=r,=r,=r,l,r"(ptr %p, i32 16)
  %a0 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %a, 0
  %a1 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %a, 1
  %a2 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %a, 2
  %a3 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %a, 7
  %d = call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$8}, {$9,$9,$9,$9};", "=f,=f,=f,=f,r,r,r,r,r,f"(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b, float 0.0)
  %d0 = extractvalue { float, float, float, float } %d, 0
  %d3 = extractvalue { float, float, float, float } %d, 3
  %s = fadd float %d0, %d3
  store float %s, ptr addrspace(1) %out
  ret void
}
