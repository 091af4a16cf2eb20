; Where all threads arrive together the barrier is the engine's; otherwise the kernel is a state machine around one.
; RUN: %retarget --stop-after=lower-barriers | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
; CHECK-LABEL: define ptx_kernel void @uniform(
; CHECK: store i32 1,
; CHECK-NEXT: call void @_Z7barrierj(i32 3)
; CHECK-NEXT: store i32 2,
; CHECK-LABEL: define ptx_kernel void @divergent(
; CHECK: store i32 1, ptr addrspace(1)
; CHECK-NEXT: store i32 1, ptr [[STATE:%.*]],
; CHECK-NEXT: br label %[[ARRIVE:.*]]
; CHECK: [[AFTER:.*]]: ; preds = %[[DISPATCH:.*]]
; CHECK: store i32 2, ptr addrspace(1)
; CHECK: store i32 0, ptr [[STATE]],
; CHECK-NEXT: br label %[[ARRIVE]]
; CHECK: [[ARRIVE]]:
; CHECK-NEXT: call void @_Z7barrierj(i32 3)
; CHECK: call i32 @_Z14work_group_anyi(
; CHECK: br i1 {{%.*}}, label %[[DISPATCH]], label %[[DONE:.*]]
; CHECK: [[DISPATCH]]:
; CHECK-NEXT: [[S:%.*]] = load i32, ptr [[STATE]]
; CHECK-NEXT: switch i32 [[S]], label %[[ARRIVE]] [
; CHECK-NEXT: i32 2, label
; CHECK-NEXT: i32 1, label %[[AFTER]]
; CHECK: [[DONE]]:
; CHECK-NEXT: ret void
define ptx_kernel void @uniform(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) %out
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 2, ptr addrspace(1) %out
  ret void
}
define ptx_kernel void @divergent(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %wait, label %end
wait:
  store i32 1, ptr addrspace(1) %out
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 2, ptr addrspace(1) %out
  br label %end
end:
  ret void
}
