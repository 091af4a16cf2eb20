; The entry point takes the launch block, and loads the parameters from it.
; RUN: %retarget --stop-after=wrap-kernels | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal void @kernel.body(i32 %x, ptr byval(%pair) align 8 %p)
; CHECK: define ptx_kernel void @kernel(ptr addrspace(1) [[BLOCK:%.*]], ptr addrspace(3) {{%.*}}) {
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) [[BLOCK]], i64 128
; CHECK: [[X:%.*]] = load i32, ptr addrspace(1) [[AT]], align 4
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) [[BLOCK]], i64 136
; CHECK: [[COPY:%.*]] = alloca %pair, align 8
; CHECK: call void @llvm.memcpy{{.*}}(ptr align 8 [[COPY]], ptr addrspace(1) align 8 [[AT]], i64 16, i1 false)
; CHECK: call void @kernel.body(i32 [[X]], ptr [[COPY]])
%pair = type { i32, double }
define ptx_kernel void @kernel(i32 %x, ptr byval(%pair) align 8 %p) {
  ret void
}
