; A loop whose exit depends on an atomic operation or a volatile load waits for other threads; one in which such a load only decides what is
; stored does not.
; RUN: %retarget --stop-after=find-spins | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; kernel waits: {{.*}}; shaped spins{{$}}
; CHECK: ; kernel counts: {{.*}}; shaped{{$}}
; CHECK: ; kernel polls: {{.*}} spins{{$}}
; CHECK: ; kernel stores_the_larger: {{.*}} in-step{{$}}
; CHECK: ; kernel is_told_by_a_phi: {{.*}} spins{{$}}
; CHECK: ; kernel is_told_by_a_variable: {{.*}} spins{{$}}
; CHECK: ; kernel has_another_variable: {{.*}} in-step{{$}}
@tile = internal addrspace(3) global [64 x i32] undef
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
define ptx_kernel void @polls() {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(3) @tile
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @stores_the_larger(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %j, %join ]
  %from = getelementptr i32, ptr addrspace(3) @tile, i32 %i
  %v = load volatile i32, ptr addrspace(3) %from
  %w = load volatile i32, ptr addrspace(3) @tile
  %larger = icmp sgt i32 %v, %w
  br i1 %larger, label %store, label %join
store:
  store volatile i32 %v, ptr addrspace(3) @tile
  br label %join
join:
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define ptx_kernel void @is_told_by_a_phi() {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(3) @tile
  %set = icmp ne i32 %v, 0
  br i1 %set, label %clear, label %join
clear:
  store i32 0, ptr addrspace(3) @tile
  br label %join
join:
  %done = phi i1 [ true, %clear ], [ false, %loop ]
  br i1 %done, label %end, label %loop
end:
  ret void
}
define ptx_kernel void @is_told_by_a_variable() {
entry:
  %done = alloca i8
  store i8 0, ptr %done
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(3) @tile
  %set = icmp ne i32 %v, 0
  br i1 %set, label %clear, label %join
clear:
  store i8 1, ptr %done
  br label %join
join:
  %d = load i8, ptr %done
  %leave = icmp ne i8 %d, 0
  br i1 %leave, label %end, label %loop
end:
  ret void
}
define ptx_kernel void @has_another_variable(i32 %n) {
entry:
  %most = alloca i32
  %count = alloca i32
  store i32 0, ptr %count
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(3) @tile
  %set = icmp ne i32 %v, 0
  br i1 %set, label %clear, label %join
clear:
  store i32 %v, ptr %most
  br label %join
join:
  %c = load i32, ptr %count
  %next = add i32 %c, 1
  store i32 %next, ptr %count
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
