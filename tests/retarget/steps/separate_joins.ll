; At a phi of divergent threads whose values are uniform, one value becomes a select on a thread-private value.
; RUN: %retarget --stop-after=separate-joins | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[SLOT:%.*]] = alloca i8
; CHECK-NEXT: store i8 0, ptr [[SLOT]]
; CHECK-NEXT: [[ZERO:%.*]] = load volatile i8, ptr [[SLOT]]
; CHECK-NEXT: [[ALWAYS:%.*]] = icmp eq i8 [[ZERO]], 0
; CHECK: linear:
; CHECK: [[TEN:%.*]] = select i1 [[ALWAYS]], i32 10, i32 0
; CHECK: phi i32 [ [[TEN]], {{%.*}} ], [ 20, {{%.*}} ]
define ptx_kernel void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %x, 7
  br i1 %c, label %yes, label %no
yes:
  store volatile i32 1, ptr addrspace(1) %p
  br label %end
no:
  %old = atomicrmw add ptr addrspace(1) %p, i32 2 seq_cst
  br label %end
end:
  %v = phi i32 [ 10, %yes ], [ 20, %no ]
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; In a cycle of phis, each is divergent because of the other only: that shows the engine nothing.
; CHECK-LABEL: define ptx_kernel void @cycle(
; CHECK: linear:
; CHECK: [[ZERO:%.*]] = select i1 {{%.*}}, i32 0, i32 0
; CHECK: phi i32 [ [[ZERO]], {{%.*}} ], [ [[NEXT:%.*]], {{%.*}} ]
; CHECK: [[NEXT]] = phi i32
; CHECK-NOT: select
; CHECK: ret void
define ptx_kernel void @cycle(ptr addrspace(1) %p) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %join ]
  %k = phi i32 [ %x, %entry ], [ %l, %join ]
  %c = icmp ult i32 %k, 7
  br i1 %c, label %one, label %other
one:
  %old = atomicrmw add ptr addrspace(1) %p, i32 2 seq_cst
  br label %join
other:
  store volatile i32 1, ptr addrspace(1) %p
  br label %join
join:
  %j = phi i32 [ %i, %one ], [ 5, %other ]
  %l = add i32 %k, 1
  %more = icmp ult i32 %l, 100
  br i1 %more, label %loop, label %exit
exit:
  store i32 %j, ptr addrspace(1) %p
  ret void
}
