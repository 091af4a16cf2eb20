; Attributes of functions that lower-all-calls has linked are gone as well.
; RUN: %retarget --stop-after=strip-attributes.library | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define {{.*}}i32 @__cr_ntid_x() #[[KEPT:[0-9]+]] {
; CHECK-NEXT: call i32 @__cr_launch_u32(i32 12){{$}}
; CHECK: attributes #[[KEPT]] = { nounwind }
define ptx_kernel void @kernel(ptr addrspace(1) %p) {
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %w, ptr addrspace(1) %p
  ret void
}
