; SPIR-V has no initialisers with pointers: the numbers of functions are integers, and __cusafe_globals stores addresses.
; RUN: %retarget --stop-after=lower-initializers | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: @table = {{.*}}global { i64, i64, i32 } { i64 16, i64 0, i32 7 }
@value = addrspace(1) externally_initialized global i32 3
@table = addrspace(1) externally_initialized global { ptr, ptr, i32 } { ptr @f, ptr addrspacecast (ptr addrspace(1) @value to ptr), i32 7 }

define void @f() {
  ret void
}
; CHECK: define ptx_kernel void @__cusafe_globals(
; CHECK: store volatile ptr addrspacecast (ptr addrspace(1) @value to ptr), ptr addrspace(1) getelementptr {{.*}}@table, i64 8), align 1
define ptx_kernel void @kernel(ptr %out) {
  %t = load ptr, ptr addrspace(1) @table
  %v = load i32, ptr addrspace(1) @value
  store i32 %v, ptr %out
  call void %t()
  ret void
}
