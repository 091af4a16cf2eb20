; collect-tables: a variable whose address is in an initialiser that the code uses escapes; one in an unused table does not.
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=collect-tables 2>&1 | FileCheck --check-prefix=TABLES %s
; TABLES: {{^}}; variable: b; 16 bytes; escapes{{$}}
; TABLES-NOT: ; variable: c;
;
; add-metadata: a local variable that escapes is in a window, and a shared one has a word before it; one that does not escape stays.
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=add-metadata 2>&1 | FileCheck --check-prefix=ADD %s
; ADD-DAG: @tile = internal addrspace(3) global <{ [8 x i8], [64 x i32] }> undef, align 8
; ADD-DAG: @other = internal addrspace(3) global [64 x i32] undef, align 4
; ADD: alloca [{{[0-9]+}} x i8]
; ADD: %kept = alloca [4 x i32]
;
; emit-metadata: the module's variables with a number are in a table; what add-metadata has replaced is gone.
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=emit-metadata 2>&1 | FileCheck --check-prefix=EMIT %s
; EMIT: @__cs_objects = addrspace(1) global [2 x { i64, i64 }] [{ i64, i64 } { i64 ptrtoint ({{.*}}@a{{.*}}), i64 16 }, { i64, i64 } { i64 ptrtoint ({{.*}}@b{{.*}}), i64 16 }]
; EMIT-NOT: %gone = alloca
;
; emit-sites: the host gets each site's line, and the addresses in tables.
; RUN: %opt -passes=cusafe -cusafe-eliminate=none -cusafe-print-after=emit-sites 2>&1 | FileCheck --check-prefix=SITES %s
; SITES-DAG: @__cs_pointers = addrspace(1) global [1 x { ptr, i64, i32, i32 }] [{ ptr, i64, i32, i32 } { ptr addrspacecast (ptr addrspace(1) @b to ptr), i64 8, i32 1,
; SITES-DAG: @__cs_module
target triple = "nvptx64-nvidia-cuda"

@a = addrspace(1) global [4 x i32] zeroinitializer
@b = addrspace(1) global [4 x i32] zeroinitializer
@c = addrspace(1) global [4 x i32] zeroinitializer
@table = addrspace(1) global [2 x ptr] [ptr null, ptr addrspacecast (ptr addrspace(1) @b to ptr)]
@unused = addrspace(1) global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @c to ptr)]
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@other = internal addrspace(3) global [64 x i32] undef, align 4

define ptx_kernel void @kernel(ptr %to, i64 %i) {
  %gone = alloca [4 x i32]
  %kept = alloca [4 x i32]
  store ptr %gone, ptr %to
  %k = getelementptr i32, ptr %kept, i64 %i
  store i32 1, ptr %k
  store ptr addrspacecast (ptr addrspace(1) @a to ptr), ptr %to
  store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %to
  %o = getelementptr i32, ptr addrspace(3) @other, i64 %i
  store i32 1, ptr addrspace(3) %o
  %t = getelementptr ptr, ptr addrspace(1) @table, i64 %i
  %p = load ptr, ptr addrspace(1) %t
  ret void
}
