; The condition between fast path and checked path also becomes a kernel with a thread for each block, and the fast path another.
; RUN: %retarget --stop-after=add-prelaunch-checks | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel kernel: {{.*}}; fast-path=kernel__cusafe_fast
; CHECK: ; kernel kernel__cusafe_fast:
; The kernel loads its result, or evaluates the condition.
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %0, i64 72
; CHECK-NEXT: [[RESULTS:%.*]] = load i64, ptr addrspace(1) [[AT]]
; CHECK-NEXT: [[NONE:%.*]] = icmp eq i64 [[RESULTS]], 0
; CHECK-NEXT: br i1 [[NONE]], label %test, label %known
; CHECK: test:
; CHECK: [[EVALUATED:%.*]] = freeze i1
; CHECK: known:
; CHECK: [[LOADED:%.*]] = icmp ne i8
; CHECK: [[PASSES:%.*]] = phi i1 [ [[EVALUATED]], %test ], [ [[LOADED]], %known ]
; CHECK-NEXT: br i1 [[PASSES]], label %fast.i, label %checked.i
; CHECK-LABEL: define ptx_kernel void @kernel__cusafe_test(
; CHECK: [[CONDITION:%.*]] = icmp ult
; CHECK-NEXT: [[BYTE:%.*]] = zext i1 [[CONDITION]] to i8
; CHECK: store i8 [[BYTE]],
; CHECK-NEXT: ret void
; CHECK-LABEL: define ptx_kernel void @kernel__cusafe_fast(
; CHECK-NOT: atomicrmw
; CHECK: store i32 1,
; CHECK-NOT: atomicrmw
; CHECK: {{^}}}
define ptx_kernel void @kernel(i32 %n, ptr addrspace(1) %out) {
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %width, %block
  %passes = icmp ult i32 %first, %n
  br i1 %passes, label %fast, label %checked, !cusafe.choice !0
fast:
  store i32 1, ptr addrspace(1) %out
  ret void
checked:
  %old = atomicrmw add ptr addrspace(1) %out, i32 2 seq_cst
  ret void
}
!0 = !{}
