; A kernel that synchronises its grid runs in phases: its state is in the thread's frame, and a block that waits leaves.
; RUN: %retarget --stop-after=lower-barriers | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel kernel: params 16, shared 0, local 48, threads 0; phases framed
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[FRAME:%.*]] = call ptr @__cr_grid_frame()
; CHECK: [[STATE:%.*]] = getelementptr inbounds i8, ptr [[FRAME]], i64 8
; CHECK: load volatile i32, ptr addrspace(1)
; CHECK: store i32 2, ptr [[STATE]]
; CHECK-NEXT: br label %barrier.arrive
; CHECK: store i32 1, ptr [[STATE]]
; CHECK-NEXT: br label %barrier.arrive
; CHECK: barrier.arrive:
; CHECK: br i1 {{%.*}}, label %grid.leave, label %grid.stay
; CHECK: grid.leave:
; CHECK: call void @__cr_grid_wait(i32
; CHECK-NEXT: ret void
define ptx_kernel void @kernel(ptr addrspace(1) %flag, ptr addrspace(1) %out) {
entry:
  %low = call i32 @llvm.nvvm.read.ptx.sreg.envreg1()
  store volatile i32 %low, ptr addrspace(1) %out
  br label %wait
wait:
  %v = load volatile i32, ptr addrspace(1) %flag
  %done = icmp ne i32 %v, 0
  br i1 %done, label %end, label %wait
end:
  store i32 1, ptr addrspace(1) %out
  ret void
}
