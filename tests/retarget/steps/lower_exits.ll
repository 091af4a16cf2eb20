; The end of a thread is a return; a function that was not inlined takes the launch as hidden parameters, and sets a flag.
; RUN: %retarget --stop-after=lower-exits | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[FLAG:%.*]] = alloca i8
; CHECK: store i8 0, ptr [[FLAG]]
; CHECK: call void @descend(i32 {{%.*}}, ptr addrspace(1) %0, ptr addrspace(3) %1, ptr [[FLAG]], i64 {{%.*}}, i64 {{%.*}})
; CHECK-NEXT: [[ENDED:%.*]] = load i8, ptr [[FLAG]]
; CHECK-NEXT: [[C:%.*]] = icmp ne i8 [[ENDED]], 0
; CHECK-NEXT: br i1 [[C]], label %[[LEAVE:.*]], label %[[GO:.*]]
; CHECK: [[GO]]:
; CHECK-NEXT: store i32 1,
; CHECK: [[LEAVE]]:
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal void @descend(i32 %0, ptr addrspace(1) %1, ptr addrspace(3) %2, ptr %3, i64 %4, i64 %5)
; CHECK: call void @descend(i32 %m, ptr addrspace(1) %1, ptr addrspace(3) %2, ptr %3, i64 %4, i64 %5)
; CHECK: end:
; CHECK-NEXT: store i8 1, ptr %3
; CHECK-NEXT: ret void
declare void @llvm.nvvm.exit()
define void @descend(i32 %n) {
  %last = icmp eq i32 %n, 0
  br i1 %last, label %end, label %more
more:
  %m = sub i32 %n, 1
  call void @descend(i32 %m)
  ret void
end:
  call void @llvm.nvvm.exit()
  unreachable
}
define ptx_kernel void @kernel(i32 %n, ptr addrspace(1) %out) {
  call void @descend(i32 %n)
  store i32 1, ptr addrspace(1) %out
  ret void
}
