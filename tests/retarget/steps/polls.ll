; A loop that only loads a value again until it changes is marked, and in the end yields: in a kernel without warp operations, and for shared
; memory. Not: a loop that does more than wait, and one over the thread's own variable.
; RUN: %retarget --stop-after=mark-polls | FileCheck --check-prefix=MARK %s
; RUN: %retarget --stop-after=choose-polls | FileCheck --check-prefix=CHOOSE %s
target triple = "nvptx64-nvidia-cuda"

@flag = internal addrspace(3) global i32 undef
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @__cs_race_access(ptr)

; MARK-LABEL: define ptx_kernel void @waits(
; CHOOSE-LABEL: define ptx_kernel void @waits(
; CHOOSE: load volatile i32
; CHOOSE: call void @__cr_yield()
; CHOOSE-NOT: __cr_polls
define ptx_kernel void @waits(ptr %p) {
  br label %again
again:
  %value = load volatile i32, ptr %p
  %zero = icmp eq i32 %value, 0
  br i1 %zero, label %again, label %done
done:
  ret void
}

; An atomic operation that leaves the value as it is, a fence, and a check.
; CHOOSE-LABEL: define ptx_kernel void @unchanged(
; CHOOSE: call void @__cr_yield()
define ptx_kernel void @unchanged(ptr %p) {
  br label %again
again:
  fence seq_cst
  %value = atomicrmw or ptr %p, i32 0 seq_cst
  %zero = icmp eq i32 %value, 0
  br i1 %zero, label %again, label %done
done:
  ret void
}

; The value is loaded by a function.
; CHOOSE-LABEL: define ptx_kernel void @through_function(
; CHOOSE: call void @__cr_yield()
define internal i32 @loaded(ptr %p) noinline {
  %value = load volatile i32, ptr %p
  ret i32 %value
}
define ptx_kernel void @through_function(ptr %p) {
  br label %again
again:
  %value = call i32 @loaded(ptr %p)
  %zero = icmp eq i32 %value, 0
  br i1 %zero, label %again, label %done
done:
  ret void
}

; With warp operations the kernel stays as it is; not so for shared memory.
; CHOOSE-LABEL: define ptx_kernel void @with_warps(
; CHOOSE: load volatile i32, ptr {{%[0-9]+}}
; CHOOSE-NOT: __cr_yield
; CHOOSE: load volatile i32, ptr addrspace(3) @flag
; CHOOSE: call void @__cr_yield()
; CHOOSE: ret void
define ptx_kernel void @with_warps(ptr %p) {
  br label %again
again:
  %value = load volatile i32, ptr %p
  %zero = icmp eq i32 %value, 0
  br i1 %zero, label %again, label %next
next:
  %other = load volatile i32, ptr addrspace(3) @flag
  %none = icmp eq i32 %other, 0
  br i1 %none, label %next, label %done
done:
  %sum = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %value, i32 1, i32 31)
  store i32 %sum, ptr %p
  ret void
}

; CHOOSE-LABEL: define ptx_kernel void @others(
; CHOOSE-NOT: __cr_yield
; CHOOSE: ret void
define ptx_kernel void @others(ptr %p, i32 %n) {
  %own = alloca i32
  br label %works
works:
  %next = atomicrmw add ptr %p, i32 1 seq_cst
  %goes = icmp ult i32 %next, %n
  br i1 %goes, label %works, label %counts
counts:
  %k = load volatile i32, ptr %own
  %k1 = add i32 %k, 1
  store volatile i32 %k1, ptr %own
  %under = icmp ult i32 %k1, %n
  br i1 %under, label %counts, label %done
done:
  ret void
}
