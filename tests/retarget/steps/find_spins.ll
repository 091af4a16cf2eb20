; A loop whose exit depends on an atomic operation waits for other threads.
; RUN: %retarget --stop-after=find-spins | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel waits: {{.*}}; shaped spins{{$}}
; CHECK: ; kernel counts: {{.*}}; shaped{{$}}
define ptx_kernel void @waits(ptr addrspace(1) %lock) {
entry:
  br label %try
try:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 seq_cst seq_cst
  %won = extractvalue { i32, i1 } %pair, 1
  br i1 %won, label %end, label %try
end:
  ret void
}
define ptx_kernel void @counts(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
