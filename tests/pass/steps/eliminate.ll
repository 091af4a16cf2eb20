; eliminate-by-launch: a kernel gets a fast form, in which accesses that the host can bound before a launch are marked; an index
; from memory is not among them.
; eliminate-by-loop: a loop whose accesses one test can bound is copied, and the copy keeps its checks; a loop of unknown length
; stays.
; RUN: %opt -passes=cusafe -cusafe-print-after=eliminate-by-launch 2>&1 | FileCheck --check-prefix=LAUNCH %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=eliminate-by-launch 2>&1 | FileCheck --check-prefix=NO-LAUNCH %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=loops -cusafe-print-after=eliminate-by-loop 2>&1 | FileCheck --check-prefix=LOOP %s
; NO-LAUNCH-NOT: __cusafe_fast
target triple = "nvptx64-nvidia-cuda"

; LAUNCH-LABEL: define ptx_kernel void @gathers(
; LAUNCH-NOT: !cusafe.safe
; LAUNCH: ret void
define ptx_kernel void @gathers(ptr %p, ptr %in, i64 %i) {
  %from = getelementptr inbounds i64, ptr %in, i64 %i
  %j = load i64, ptr %from
  %q = getelementptr inbounds i32, ptr %p, i64 %j
  store i32 1, ptr %q
  ret void
}

; LOOP-LABEL: define ptx_kernel void @counted(
; LOOP: {{^}}loop:
; LOOP: store i32 1, ptr %{{.*}}, align 4, !cusafe.safe
; LOOP: {{^}}loop.exact:
; LOOP: store i32 1, ptr %{{.*}}, align 4, !cusafe.exact
define ptx_kernel void @counted(ptr %p, i32 %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %at = zext nneg i32 %i to i64
  %q = getelementptr inbounds i32, ptr %p, i64 %at
  store i32 1, ptr %q
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %after
after:
  br label %end
end:
  ret void
}

; LOOP-LABEL: define ptx_kernel void @searches(
; LOOP-NOT: !cusafe.
; LOOP: ret void
define ptx_kernel void @searches(ptr %p) {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %v = load i32, ptr %q
  %next = getelementptr inbounds i32, ptr %q, i64 1
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; LAUNCH-LABEL: define ptx_kernel void @gathers__cusafe_fast(
; LAUNCH: load i64, ptr %{{.*}}, align 8, !cusafe.safe
; LAUNCH: store i32 1, ptr %{{.*}}, align 4{{$}}
