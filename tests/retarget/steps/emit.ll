; Kernels become SPIR-V: warps are sub-groups of 32, and kernels that wait run thread by thread. Each kernel that calls no function is a module.
; RUN: %llvm/llvm-as %s -o %t.bc && rm -f %t.spirv.ll
; RUN: env CUSAFE_RETARGET_DUMP=%t.spirv.ll %tool --stop-after=emit %t.bc -o - | FileCheck --check-prefix=UNIT %s
; RUN: FileCheck --input-file=%t.spirv.ll %s
target triple = "nvptx64-nvidia-cuda"

; UNIT: ; kernel plain: {{.*}}; shaped spirv={{[1-9]}}
; UNIT: ; kernel warps: {{.*}}; uses-warp spirv={{[1-9]}}
; UNIT: ; kernel waits: {{.*}}; shaped spins spirv={{[1-9]}}
; CHECK: target triple = "spirv64v1.4-unknown-unknown"
; CHECK: define spir_kernel void @plain(ptr addrspace(1) %0, ptr addrspace(3) %1) #{{[0-9]+}} {
define ptx_kernel void @plain(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}
; CHECK: define spir_kernel void @warps({{.*}}) {{.*}}!intel_reqd_sub_group_size ![[LANES:[0-9]+]]
define ptx_kernel void @warps(ptr addrspace(1) %p) {
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 4, i32 0, i32 31)
  store i32 %s, ptr addrspace(1) %p
  ret void
}
; CHECK: ![[LANES]] = !{i32 32}
; CHECK: define spir_kernel void @waits({{.*}}) {{.*}}!vec_type_hint
define ptx_kernel void @waits(ptr addrspace(1) %lock) {
entry:
  br label %try
try:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 seq_cst seq_cst
  %won = extractvalue { i32, i1 } %pair, 1
  br i1 %won, label %end, label %try
end:
  ret void
}
