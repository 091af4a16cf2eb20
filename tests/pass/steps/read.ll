; The steps that read a function change nothing in it: what they find is printed after its IR.
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=split-integers 2>&1 | FileCheck --check-prefix=BEFORE %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=collect 2>&1 | FileCheck --check-prefix=COLLECT %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=find-roots 2>&1 | FileCheck --check-prefix=ROOTS %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=note-given-away 2>&1 | FileCheck --check-prefix=GIVEN %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=note-escapes 2>&1 | FileCheck --check-prefix=ESCAPES %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=plan-checks 2>&1 | FileCheck --check-prefix=PLAN %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-statistics -cusafe-stop-after=print-statistics 2>&1 | FileCheck --check-prefix=STATISTICS %s
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-stop-after=print-statistics 2>&1 | FileCheck --allow-empty --check-prefix=QUIET %s
; BEFORE-NOT: ; access:
; QUIET-NOT: {{.}}
target triple = "nvptx64-nvidia-cuda"

declare i32 @vprintf(ptr, ptr)
@text = private addrspace(1) constant [3 x i8] c"%p\00"

; collect: accesses, pointers that escape, and pointers of which only the address matters; no arithmetic.
; COLLECT-LABEL: define void @uses(
; COLLECT: {{^}}; access: %v = load i32, ptr %q, align 4; root: none
; COLLECT-NEXT: {{^}}; access: store ptr %q, ptr %to, align 8; root: none
; COLLECT-NEXT: {{^}}; escape: store ptr %q, ptr %to, align 8; root: none
; COLLECT-NEXT: {{^}}; number: %same = icmp eq ptr %q, %to; root: none
; COLLECT-NEXT: {{^}}; number: %same = icmp eq ptr %q, %to; root: none
; COLLECT-NOT: ; {{access|escape|number}}:
; COLLECT-LABEL: define void @next(

; find-roots: the pointer that arithmetic leads back to; none where null is accessed.
; ROOTS-LABEL: define void @uses(
; ROOTS: ; access: %v = load i32, ptr %q, align 4; root: p
; ROOTS-NEXT: ; access: store ptr %q, ptr %to, align 8; root: to
; ROOTS-NEXT: ; escape: store ptr %q, ptr %to, align 8; root: p
; ROOTS-NEXT: ; number: %same = icmp eq ptr %q, %to; root: p
; ROOTS-NEXT: ; number: %same = icmp eq ptr %q, %to; root: to
; ROOTS-LABEL: define void @next(
; ROOTS: ; access: store i32 0, ptr null, align 4; root: none
;
; print-statistics: checks, and the accesses without one by their reason.
; STATISTICS: cusafe: uses: 2 accesses, 2 checks
; STATISTICS: cusafe: next: 1 accesses, 0 checks, 1 unknown
; STATISTICS-NEXT: cusafe: gives: 1 accesses, 0 checks, 1 constant
; STATISTICS-NEXT: cusafe: lets_out: 3 accesses, 2 checks, 1 constant
define void @uses(ptr %p, ptr %to, i64 %i) {
  %q = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %q
  store ptr %q, ptr %to
  %same = icmp eq ptr %q, %to
  ret void
}
define void @next() {
  store i32 0, ptr null
  ret void
}

; note-given-away: a pointer that is stored in a variable which vprintf reads.
; GIVEN-LABEL: define void @gives(
; GIVEN: ; escape: store ptr %p, ptr %arguments, align 8; root: p; into: arguments
; GIVEN: ; variable: arguments; 8 bytes; given away
; GIVEN-LABEL: define void @lets_out(
; GIVEN: ; escape: store ptr %a, ptr %to, align 8; root: a{{$}}
; GIVEN: ; variable: a; 16 bytes{{$}}
define void @gives(ptr %p) {
  %arguments = alloca ptr
  store ptr %p, ptr %arguments
  %n = call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @text to ptr), ptr %arguments)
  ret void
}

; note-escapes: the variable whose address is stored; not the one that only this function accesses, nor the one that vprintf reads.
; ESCAPES-LABEL: define void @lets_out(
; ESCAPES-DAG: ; variable: arguments; 8 bytes; given away{{$}}
; ESCAPES-DAG: ; variable: a; 16 bytes; escapes{{$}}
; ESCAPES-DAG: ; variable: b; 16 bytes{{$}}
;
; plan-checks: an access at a constant offset inside its variable needs no check; one past its end, and one at an index, do.
; PLAN-LABEL: define void @lets_out(
; PLAN: ; access: store ptr %a, ptr %to, align 8; root: to
; PLAN-NEXT: ; access: store i32 1, ptr %inside, align 4; root: none
; PLAN-NEXT: ; access: store i32 1, ptr %past, align 4; root: b
define void @lets_out(ptr %to) {
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  store ptr %a, ptr %to
  %inside = getelementptr i32, ptr %b, i64 3
  store i32 1, ptr %inside
  %past = getelementptr i32, ptr %b, i64 4
  store i32 1, ptr %past
  ret void
}
