; A number that becomes an address in shared memory may be its lower half, as 32-bit registers of PTX hold it: the upper half is restored.
; RUN: %retarget --stop-after=lower-device-calls | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[NUMBER:%.*]] = zext i32 %at to i64
; CHECK: [[WHOLE:%.*]] = call i64 @__cr_shared_address(i64 [[NUMBER]])
; CHECK: inttoptr i64 [[WHOLE]] to ptr addrspace(3)
; CHECK: inttoptr i64 %other to ptr addrspace(1)
define ptx_kernel void @kernel(i32 %at, i64 %other) {
  %number = zext i32 %at to i64
  %shared = inttoptr i64 %number to ptr addrspace(3)
  store i32 1, ptr addrspace(3) %shared
  %global = inttoptr i64 %other to ptr addrspace(1)
  store i32 1, ptr addrspace(1) %global
  ret void
}
