; Primitives read the launch block and the engine's ids; a kernel without warp operations has blocks of CUDA's shape.
; RUN: %retarget --stop-after=lower-launch | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel shaped: {{.*}}; shaped{{$}}
; CHECK: ; kernel linear: {{.*}};{{$}}
; CHECK-LABEL: define ptx_kernel void @shaped(
; CHECK: [[AT:%.*]] = getelementptr inbounds i32, ptr addrspace(1) %0, i32 4
; CHECK-NEXT: [[HEIGHT:%.*]] = load i32, ptr addrspace(1) [[AT]]
; CHECK: [[Y:%.*]] = call i64 @_Z12get_local_idj(i32 1)
; CHECK: [[Y32:%.*]] = trunc i64 [[Y]] to i32
; CHECK: add nuw nsw i32 [[Y32]], [[HEIGHT]]
; CHECK-LABEL: define ptx_kernel void @linear(
; CHECK: [[NUMBER:%.*]] = call i64 @_Z12get_local_idj(i32 0)
; CHECK: __cr_expect_lock_step.exit:
; CHECK: [[N32:%.*]] = trunc i64 [[NUMBER]] to i32
; CHECK: [[ROW:%.*]] = udiv i32 [[N32]],
; CHECK: urem i32 [[ROW]],
define ptx_kernel void @shaped(ptr addrspace(1) %p) {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %s = add i32 %y, %w
  store i32 %s, ptr addrspace(1) %p
  ret void
}
define ptx_kernel void @linear(ptr addrspace(1) %p) {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %y, i32 0, i32 31)
  store i32 %s, ptr addrspace(1) %p
  ret void
}
