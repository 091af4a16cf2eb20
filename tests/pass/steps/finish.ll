; contain-in-spaces: for GPUs, the access in shared memory after a failed check goes through the generic pointer of the cold path. The CPU
; device needs nothing of that.
; RUN: %opt -passes=cusafe-finish -cusafe-gpu -cusafe-print-after=contain-in-spaces 2>&1 | FileCheck --check-prefix=CONTAIN %s
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=contain-in-spaces 2>&1 | FileCheck --check-prefix=CPU %s
;
; decode-by-calls: for GPUs, one function decodes the roots of a kernel with a fast form, outside loops. Nothing else changes.
; RUN: %opt -passes=cusafe-finish -cusafe-gpu -cusafe-print-after=decode-by-calls 2>&1 | FileCheck --check-prefix=DECODE %s
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=decode-by-calls 2>&1 | FileCheck --check-prefix=NO-DECODE %s
; NO-DECODE-NOT: call { i64, i64 } @__cs_bounds
;
; inline-checks: a check becomes part of the function.
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=inline-checks 2>&1 | FileCheck --check-prefix=INLINE %s
;
; clean-up: equal tests are merged, and invariant ones leave the loop; not in bare copies.
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=clean-up 2>&1 | FileCheck --check-prefix=CLEAN %s
;
; leave-on-failure: for GPUs, a thread of a fast form whose check has failed continues in a copy of the code. Other functions, and code
; for the CPU device, stay.
; RUN: %opt -passes=cusafe-finish -cusafe-gpu -cusafe-print-after=leave-on-failure 2>&1 | FileCheck --check-prefix=LEAVE %s
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=leave-on-failure 2>&1 | FileCheck --check-prefix=STAY %s
; STAY-NOT: .left:
;
; unroll-loops: the loop is unrolled; that of a kernel with a fast form is not.
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=unroll-loops 2>&1 | FileCheck --check-prefix=UNROLL %s
;
; keep-counters: for GPUs, the counter of a loop with checks is hidden from LLVM's back end. That of a loop without checks is not.
; RUN: %opt -passes=cusafe-finish -cusafe-gpu -cusafe-print-after=keep-counters 2>&1 | FileCheck --check-prefix=KEEP %s
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=keep-counters 2>&1 | FileCheck --check-prefix=NO-KEEP %s
; NO-KEEP-NOT: asm
;
; remove-unused: functions that nothing calls are removed.
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=remove-unused 2>&1 | FileCheck --check-prefix=REMOVE %s
;
; count-checks: with -cusafe-count, each branch to a cold path adds to a counter; no other branch does.
; RUN: %opt -passes=cusafe-finish -cusafe-count -cusafe-print-after=count-checks 2>&1 | FileCheck --check-prefix=COUNT %s
; RUN: %opt -passes=cusafe-finish -cusafe-print-after=count-checks 2>&1 | FileCheck --check-prefix=NO-COUNT %s
; NO-COUNT-NOT: @__cs_checks
target triple = "nvptx64-nvidia-cuda"

declare ptr @__cs_fail(ptr)
declare void @use(i1)

; INLINE: define ptx_kernel void @calls(
; INLINE-NEXT: %[[OK:.*]] = icmp ugt ptr %p, null
; INLINE-NEXT: call void @use(i1 %[[OK]])
; REMOVE-NOT: @__cs_inlined(
; REMOVE-NOT: @__cs_unused(
; REMOVE: define ptx_kernel void @calls(
define internal i1 @__cs_inlined(ptr %p) alwaysinline {
  %ok = icmp ugt ptr %p, null
  ret i1 %ok
}
define internal void @__cs_unused() {
  ret void
}
define ptx_kernel void @calls(ptr %p) {
  %ok = call i1 @__cs_inlined(ptr %p)
  call void @use(i1 %ok)
  ret void
}

; CONTAIN-LABEL: define ptx_kernel void @shared(
; CONTAIN: cold:
; CONTAIN: %r = call ptr @__cs_fail(
; CONTAIN: store i32 1, ptr %r
; CONTAIN: exit:
; CONTAIN: %[[P:.*]] = addrspacecast ptr %p to ptr addrspace(3)
; CONTAIN: store i32 1, ptr addrspace(3) %[[P]]
; CPU-LABEL: define ptx_kernel void @shared(
; CPU: %c = phi ptr [ %p, %entry ], [ %r, %cold ]
; CPU: %s = addrspacecast ptr %c to ptr addrspace(3)
; CPU: store i32 1, ptr addrspace(3) %s
; COUNT: @__cs_checks = addrspace(1) global i64 0
; COUNT-LABEL: define ptx_kernel void @shared(
; COUNT: atomicrmw add ptr addrspace(1) @__cs_checks, i64 1 monotonic
; COUNT-NEXT: br i1
define ptx_kernel void @shared(ptr %p, i64 %i) {
entry:
  %ok = icmp ult i64 %i, 16
  br i1 %ok, label %exit, label %cold
cold:
  %r = call ptr @__cs_fail(ptr %p)
  br label %exit
exit:
  %c = phi ptr [ %p, %entry ], [ %r, %cold ]
  %s = addrspacecast ptr %c to ptr addrspace(3)
  store i32 1, ptr addrspace(3) %s
  ret void
}

; LEAVE-LABEL: define ptx_kernel void @leaves(
; LEAVE-NOT: .left:
; LEAVE-LABEL: define ptx_kernel void @leaves__cusafe_fast(
; LEAVE: br i1 %ok, label %exit, label %[[COPY:.*left]]
; LEAVE: exit:
; LEAVE-NOT: phi
; LEAVE: store i32 1, ptr %p
; LEAVE: [[COPY]]:
; LEAVE: %[[R:.*]] = call ptr @__cs_fail(
; LEAVE: store i32 1, ptr %[[R]]
define ptx_kernel void @leaves(ptr %p, i64 %i) {
entry:
  %ok = icmp ult i64 %i, 16
  br i1 %ok, label %exit, label %cold
cold:
  %r = call ptr @__cs_fail(ptr %p)
  br label %exit
exit:
  %c = phi ptr [ %p, %entry ], [ %r, %cold ]
  store i32 1, ptr %c
  ret void
}
define ptx_kernel void @leaves__cusafe_fast(ptr %p, i64 %i) {
entry:
  %ok = icmp ult i64 %i, 16
  br i1 %ok, label %exit, label %cold
cold:
  %r = call ptr @__cs_fail(ptr %p)
  br label %exit
exit:
  %c = phi ptr [ %p, %entry ], [ %r, %cold ]
  store i32 1, ptr %c
  ret void
}

; The loop computes an index and a comparison that are used only after it: there they are computed again, so that the two copies of the
; loop pass on no more than the values themselves.
; LEAVE-LABEL: define ptx_kernel void @counts__cusafe_fast(
; LEAVE: exit:
; LEAVE-NEXT: %[[V:.*]] = phi i32 [ %v, %go ]
; LEAVE-NEXT: %[[AT:.*]] = phi i32
; LEAVE-NEXT: icmp eq i32 %[[V]], %key
; LEAVE: zext i32 %[[AT]] to i64
; LEAVE: ret void
; KEEP-LABEL: define ptx_kernel void @counts__cusafe_fast(
; KEEP: loop:
; KEEP-NEXT: %[[COUNTER:.*]] = phi i32 [ 0, %entry ], [ %next, %go ]
; KEEP-NEXT: %[[AT:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %[[COUNTER]])
; KEEP: %next = add {{.*}}i32 %[[AT]], 1
define ptx_kernel void @counts__cusafe_fast(ptr %p, ptr %found, i32 %key, i32 %size) {
entry:
  br label %loop
loop:
  %at = phi i32 [ 0, %entry ], [ %next, %go ]
  %wide = zext i32 %at to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  %ok = icmp ult i32 %at, %size
  br i1 %ok, label %go, label %cold
cold:
  %r = call ptr @__cs_fail(ptr %a)
  br label %go
go:
  %c = phi ptr [ %a, %loop ], [ %r, %cold ]
  %v = load volatile i32, ptr %c
  %same = icmp eq i32 %v, %key
  %none = icmp eq i32 %v, -1
  %ends = or i1 %same, %none
  %next = add i32 %at, 1
  br i1 %ends, label %exit, label %loop
exit:
  %result = zext i1 %same to i32
  %f = getelementptr i32, ptr %found, i64 %wide
  store i32 %result, ptr %f
  ret void
}

; KEEP-LABEL: define ptx_kernel void @unchecked__cusafe_fast(
; KEEP-NOT: asm
; KEEP: ret void
define ptx_kernel void @unchecked__cusafe_fast(ptr %p, i32 %size) {
entry:
  br label %loop
loop:
  %at = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %at to i64
  %a = getelementptr i32, ptr %p, i64 %wide
  store volatile i32 0, ptr %a
  %next = add i32 %at, 1
  %more = icmp ult i32 %next, %size
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; CLEAN-LABEL: define ptx_kernel void @cleaned(
; CLEAN: icmp ult i64 %i, 16
; CLEAN-NOT: icmp ult i64 %i, 16
; CLEAN: ret void
; UNROLL-LABEL: define ptx_kernel void @cleaned(
; UNROLL-NOT: phi
; UNROLL-COUNT-4: call void @use(
; UNROLL-NEXT: ret void
; COUNT-LABEL: define ptx_kernel void @cleaned(
; COUNT-NOT: atomicrmw
; COUNT: ret void
define ptx_kernel void @cleaned(i64 %i) {
entry:
  %first = icmp ult i64 %i, 16
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %again = icmp ult i64 %i, 16
  %both = and i1 %first, %again
  call void @use(i1 %both)
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CLEAN-LABEL: define ptx_kernel void @__cs_bare.cleaned(
; CLEAN-COUNT-2: icmp ult i64 %i, 16
define ptx_kernel void @__cs_bare.cleaned(i64 %i) "cusafe-bare" {
  %first = icmp ult i64 %i, 16
  %again = icmp ult i64 %i, 16
  %both = and i1 %first, %again
  call void @use(i1 %both)
  ret void
}

; UNROLL-LABEL: define ptx_kernel void @exact(
; UNROLL-COUNT-1: call void @use(
; UNROLL-NOT: call void @use(
; UNROLL: ret void
define ptx_kernel void @exact(i1 %b) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @use(i1 %b)
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @exact__cusafe_fast(i1 %b) {
  ret void
}

; DECODE-LABEL: define ptx_kernel void @decodes(
; DECODE: %[[A:.*]] = call { i64, i64 } @__cs_bounds(i64 %root)
; DECODE-NEXT: %[[START:.*]] = extractvalue { i64, i64 } %[[A]], 0
; DECODE: %[[SIZE:.*]] = extractvalue { i64, i64 } %{{.*}}, 1
; DECODE: loop:
; DECODE: call i64 @__cs_start(i64 %other)
; DECODE-LABEL: define ptx_kernel void @decodes__cusafe_fast(
; DECODE: call i64 @__cs_start(i64 %root)
; DECODE-LABEL: define ptx_kernel void @only(
; DECODE: call i64 @__cs_start(i64 %root)
declare i64 @__cs_start(i64)
declare i64 @__cs_size(i64)
declare void @number(i64)
define internal { i64, i64 } @__cs_bounds(i64 %root) noinline {
  ret { i64, i64 } zeroinitializer
}
define ptx_kernel void @decodes(i64 %root) {
entry:
  %start = call i64 @__cs_start(i64 %root)
  %size = call i64 @__cs_size(i64 %root)
  %end = add i64 %start, %size
  br label %loop
loop:
  %other = phi i64 [ %end, %entry ], [ %first, %loop ]
  %first = call i64 @__cs_start(i64 %other)
  call void @number(i64 %first)
  %more = icmp ult i64 %first, 4
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
define ptx_kernel void @decodes__cusafe_fast(i64 %root) {
  %start = call i64 @__cs_start(i64 %root)
  call void @number(i64 %start)
  ret void
}
define ptx_kernel void @only(i64 %root) {
  %start = call i64 @__cs_start(i64 %root)
  call void @number(i64 %start)
  ret void
}
