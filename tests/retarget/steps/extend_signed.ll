; A zero extension of a number that is not negative becomes a sign extension, through which the engine recognises consecutive addresses;
; of a thread's index, the engine's own. Others stay.
; RUN: %retarget --stop-after=extend-signed | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[THREAD:%.*]] = call i64 @_Z12get_local_idj(i32 0)
; CHECK-NOT: zext nneg
; CHECK: getelementptr {{.*}}, i64 [[THREAD]]
; CHECK: [[TWICE:%.*]] = sext i32 {{%.*}} to i64
; CHECK: getelementptr {{.*}}, i64 [[TWICE]]
; CHECK: zext i32 {{%.*}} to i64
; CHECK-NOT: zext nneg
define ptx_kernel void @kernel(ptr addrspace(1) %p, i32 %n) {
  %x = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %x to i64
  %at = getelementptr float, ptr addrspace(1) %p, i64 %i
  store volatile float 1.0, ptr addrspace(1) %at
  %y = xor i32 %x, 5
  %j = sext i32 %y to i64
  %near = getelementptr float, ptr addrspace(1) %p, i64 %j
  store volatile float 2.0, ptr addrspace(1) %near
  %m = mul i32 %n, %n
  %k = zext i32 %m to i64
  %other = getelementptr float, ptr addrspace(1) %p, i64 %k
  store volatile float 3.0, ptr addrspace(1) %other
  ret void
}
