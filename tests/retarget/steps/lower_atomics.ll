; Atomics that the engine does not support are loops of the support library; atomic loads are volatile, between fences.
; RUN: %retarget --stop-after=lower-atomics | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call float @__cr_atomic_fadd_f32(ptr {{%.*}}, float 1.0
; CHECK: atomicrmw add ptr addrspace(1) [[Q:%.*]], i32 1 seq_cst
; CHECK-NEXT: fence seq_cst
; CHECK-NEXT: load volatile i32, ptr addrspace(1) [[Q]], align 4
; CHECK-NEXT: fence seq_cst
; CHECK: call i16 @__cr_cas_16(ptr {{%.*}}, i16 0, i16 1)
; CHECK-NOT: cmpxchg
; CHECK: {{^}}}
define ptx_kernel void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = atomicrmw fadd ptr addrspace(1) %p, float 1.0 seq_cst
  %b = atomicrmw add ptr addrspace(1) %q, i32 1 seq_cst
  %c = load atomic i32, ptr addrspace(1) %q acquire, align 4
  %d = cmpxchg ptr addrspace(1) %q, i16 0, i16 1 seq_cst seq_cst
  store float %a, ptr addrspace(1) %p
  ret void
}
