; eliminate-by-launch: a kernel gets a fast form, in which accesses that the host can bound before a launch are marked; an index
; from memory is not among them.
; eliminate-by-loop: a loop whose accesses one test can bound is copied, and the copy keeps its checks; a loop of unknown length
; stays, and so does one that calls large functions, whose code a copy would double where they are inlined.
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

define i32 @small(i32 %x) noinline {
  %v0 = mul i32 %x, 3
  %v1 = add i32 %v0, %x
  %v2 = add i32 %v1, %x
  %v3 = add i32 %v2, %x
  %v4 = add i32 %v3, %x
  %v5 = add i32 %v4, %x
  %v6 = add i32 %v5, %x
  %v7 = add i32 %v6, %x
  %v8 = add i32 %v7, %x
  %v9 = add i32 %v8, %x
  %v10 = add i32 %v9, %x
  %v11 = add i32 %v10, %x
  %v12 = add i32 %v11, %x
  %v13 = add i32 %v12, %x
  %v14 = add i32 %v13, %x
  %v15 = add i32 %v14, %x
  %v16 = add i32 %v15, %x
  %v17 = add i32 %v16, %x
  %v18 = add i32 %v17, %x
  %v19 = add i32 %v18, %x
  %v20 = add i32 %v19, %x
  %v21 = add i32 %v20, %x
  %v22 = add i32 %v21, %x
  %v23 = add i32 %v22, %x
  %v24 = add i32 %v23, %x
  %v25 = add i32 %v24, %x
  %v26 = add i32 %v25, %x
  %v27 = add i32 %v26, %x
  %v28 = add i32 %v27, %x
  %v29 = add i32 %v28, %x
  ret i32 %v29
}

; Eight times 31 instructions.
define i32 @large(i32 %x) noinline {
  %s0 = call i32 @small(i32 %x)
  %s1 = call i32 @small(i32 %s0)
  %s2 = call i32 @small(i32 %s1)
  %s3 = call i32 @small(i32 %s2)
  %s4 = call i32 @small(i32 %s3)
  %s5 = call i32 @small(i32 %s4)
  %s6 = call i32 @small(i32 %s5)
  %s7 = call i32 @small(i32 %s6)
  ret i32 %s7
}

; LOOP-LABEL: define ptx_kernel void @calls_small(
; LOOP: store i32 %{{.*}}, align 4, !cusafe.safe
; LOOP: {{^}}loop.exact:
define ptx_kernel void @calls_small(ptr %p, i32 %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %at = zext nneg i32 %i to i64
  %q = getelementptr inbounds i32, ptr %p, i64 %at
  %v = call i32 @small(i32 %i)
  store i32 %v, ptr %q
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %after
after:
  br label %end
end:
  ret void
}

; LOOP-LABEL: define ptx_kernel void @calls_large(
; LOOP-NOT: !cusafe.
; LOOP: ret void
define ptx_kernel void @calls_large(ptr %p, i32 %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %at = zext nneg i32 %i to i64
  %q = getelementptr inbounds i32, ptr %p, i64 %at
  %v = call i32 @large(i32 %i)
  store i32 %v, ptr %q
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %after
after:
  br label %end
end:
  ret void
}

; LAUNCH-LABEL: define ptx_kernel void @gathers__cusafe_fast(
; LAUNCH: load i64, ptr %{{.*}}, align 8, !cusafe.safe
; LAUNCH: store i32 1, ptr %{{.*}}, align 4{{$}}
