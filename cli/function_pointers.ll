; function_pointers.ll: a kernel that calls a function through a pointer, as retargeted code calls recursive functions (decision 42), for
; `cusafe doctor --engine`. OpenCL C has no such pointers.
target triple = "spirv64-unknown-unknown"

@pointer = internal addrspace(1) global ptr @one

declare spir_func i64 @_Z13get_global_idj(i32)

define spir_func i32 @one(i32 %i) noinline {
  %zero = sub i32 %i, %i
  %one = add i32 %zero, 1
  ret i32 %one
}

define spir_kernel void @k(ptr addrspace(1) %results, ptr addrspace(3) %scratch) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %function = load volatile ptr, ptr addrspace(1) @pointer
  %number = trunc i64 %id to i32
  %value = call spir_func i32 %function(i32 %number)
  %own = getelementptr i32, ptr addrspace(1) %results, i64 %id
  store i32 %value, ptr addrspace(1) %own
  ret void
}
