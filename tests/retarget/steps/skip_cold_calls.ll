; The branch to a failing check is unlikely, so that the engine branches around it; the runtime's functions are not vectorised.
; RUN: %retarget --stop-after=skip-cold-calls | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@record = addrspace(1) global i32 0
; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[PASSES:%.*]] = icmp ult i32
; CHECK-NEXT: [[LIKELY:%.*]] = call i1 @llvm.expect.i1(i1 [[PASSES]], i1 true)
; CHECK-NEXT: br i1 [[LIKELY]], label %[[GO:.*]], label %[[FAIL:.*]]
; CHECK: [[FAIL]]:
; CHECK: call void @__cs_fail(
; CHECK-NEXT: br label %[[GO]]
; A loop with two entries, which no thread enters.
; CHECK-LABEL: define internal void @__cs_fail(
; CHECK: br i1 {{%.*}}, label %[[ONE:.*]], label %[[TWO:[0-9]+]]
; CHECK: [[ONE]]:
; CHECK: br i1 {{%.*}}, label %[[TWO]], label %[[BODY:[0-9]+]]
; CHECK: [[TWO]]:
; CHECK: br i1 {{%.*}}, label %[[ONE]], label %[[BODY]]
; CHECK: [[BODY]]:
; CHECK-NEXT: store volatile i32 1,
define void @__cs_fail() cold noinline {
  store volatile i32 1, ptr addrspace(1) @record
  ret void
}
define ptx_kernel void @kernel(i32 %i, i32 %n, ptr addrspace(1) %p) {
  %bad = icmp uge i32 %i, %n
  br i1 %bad, label %fail, label %go
fail:
  call void @__cs_fail()
  br label %go
go:
  store i32 %i, ptr addrspace(1) %p
  ret void
}
