; extern __shared__ arrays are the dynamic shared memory of the launch.
; RUN: %retarget --stop-after=lower-dynamic-shared | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@tile = external addrspace(3) global [0 x i32]
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[DYNAMIC:%.*]] = call ptr @__cr_dynamic()
; CHECK-NEXT: [[SHARED:%.*]] = addrspacecast ptr [[DYNAMIC]] to ptr addrspace(3)
; CHECK-NEXT: getelementptr i32, ptr addrspace(3) [[SHARED]],
define ptx_kernel void @kernel(i32 %i) {
  %at = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  store i32 1, ptr addrspace(3) %at
  ret void
}

; A phi may take the address from several blocks.
; CHECK-LABEL: define ptx_kernel void @joined(
; CHECK: [[DYNAMIC:%.*]] = call ptr @__cr_dynamic()
; CHECK-NEXT: [[CAST:%.*]] = addrspacecast ptr [[DYNAMIC]] to ptr addrspace(3)
; CHECK: switch
; CHECK: phi ptr addrspace(3) {{.*}}[[CAST]], {{.*}}[[CAST]],
@fixed = internal addrspace(3) global [8 x i32] undef
define ptx_kernel void @joined(i32 %n, ptr addrspace(1) %out) {
  switch i32 %n, label %join [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  store volatile i32 1, ptr addrspace(1) %out
  br label %join
two:
  store volatile i32 2, ptr addrspace(1) %out
  br label %join
join:
  %p = phi ptr addrspace(3) [ @tile, %one ], [ @tile, %two ], [ @fixed, %0 ]
  store volatile i32 1, ptr addrspace(3) %p
  ret void
}
