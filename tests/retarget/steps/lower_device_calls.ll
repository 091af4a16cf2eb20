; Traps, library functions, intrinsics and inline PTX become calls of the support library; special registers stay.
; RUN: %retarget --stop-after=lower-device-calls | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare ptr @malloc(i64)

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call i32 @__cr_f2i_rz(float %x)
; CHECK: call ptr @__cr_malloc(i64 16)
; CHECK: call i32 @__cr_shfl_idx(i32 -1, i32 %{{.*}}, i32 0, i32 31)
; CHECK: call i32 @__cr_lop3(i32
; CHECK: call {{.*}}i1 @__cr_isspacep_shared(ptr %out)
; CHECK: call void @__cr_trap()
define ptx_kernel void @kernel(ptr %out, float %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = fptosi float %x to i32
  %m = call ptr @malloc(i64 16)
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %i, i32 0, i32 31)
  %l = call i32 asm "lop3.b32 $0, $1, $2, $3, 0x1A;", "=r,r,r,r"(i32 %s, i32 %t, i32 %i)
  store i32 %l, ptr %m
  %c = call i1 @llvm.nvvm.isspacep.shared.cluster(ptr %out)
  store i1 %c, ptr %m
  %e = call i32 @__cs_fail()
  call void @llvm.trap()
  unreachable
}
; In functions of the runtime a trap only records the error.
; CHECK-LABEL: define internal i32 @__cs_fail()
; CHECK: call void @__cr_trap_and_go_on()
; CHECK-NEXT: ret i32 0
define i32 @__cs_fail() {
  call void @llvm.trap()
  unreachable
}
; The functions that they need are linked.
; CHECK: define {{.*}}ptr @__cr_malloc(
