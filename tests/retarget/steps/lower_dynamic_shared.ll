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
