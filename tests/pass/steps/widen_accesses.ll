; note-conversions: an integer that the program converts is told from those that widen-accesses makes of pointers.
; widen-accesses: neighbouring accesses become one, and a loop has a preheader; bare copies get neither.
; note-lanes: a pointer in a wide store is marked as one; the program's own conversion loses its mark.
; RUN: %opt -passes=cusafe-prepare -cusafe-print-after=note-conversions 2>&1 | FileCheck --check-prefix=NOTE %s
; RUN: %opt -passes=cusafe-prepare -cusafe-print-after=widen-accesses 2>&1 | FileCheck --check-prefix=WIDEN %s
; RUN: %opt -passes=cusafe-prepare -cusafe-print-after=note-lanes 2>&1 | FileCheck --check-prefix=LANES %s
target triple = "nvptx64-nvidia-cuda"

; NOTE-LABEL: define void @pair(
; NOTE: %own = ptrtoint ptr %p to i64, !cusafe.conversion
; NOTE: store i64 %own, ptr addrspace(1) %to
; NOTE: store ptr %p,
; WIDEN-LABEL: define void @pair(
; WIDEN: %own = ptrtoint ptr %p to i64, !cusafe.conversion
; WIDEN: %[[P:.*]] = ptrtoint ptr %p to i64{{$}}
; WIDEN: insertelement <2 x i64> %{{.*}}, i64 %[[P]], i32 1
; WIDEN: store <2 x i64>
; LANES-LABEL: define void @pair(
; LANES: %own = ptrtoint ptr %p to i64{{$}}
; LANES: %[[P:.*]] = ptrtoint ptr %p to i64, !cusafe.lane
define void @pair(ptr addrspace(1) align 16 %to, ptr %p) {
  %own = ptrtoint ptr %p to i64
  store i64 %own, ptr addrspace(1) %to, align 16
  %second = getelementptr i8, ptr addrspace(1) %to, i64 8
  store ptr %p, ptr addrspace(1) %second, align 8
  ret void
}

; WIDEN-LABEL: define void @loop(
; WIDEN: loop.preheader:
define void @loop(ptr %p, i1 %go, i32 %n) {
  br i1 %go, label %loop, label %end
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 %i, ptr %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; WIDEN-LABEL: define void @__cs_bare.pair(
; WIDEN-NOT: <2 x i32>
; WIDEN: ret void
define void @__cs_bare.pair(ptr addrspace(1) align 8 %to) "cusafe-bare" {
  store i32 1, ptr addrspace(1) %to, align 8
  %second = getelementptr i8, ptr addrspace(1) %to, i64 4
  store i32 2, ptr addrspace(1) %second, align 4
  ret void
}
