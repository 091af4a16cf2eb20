; Variables that the host may look up, and the kernel that stores their addresses. The host may write constant memory.
; RUN: %retarget --stop-after=collect-variables | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: ; variable count: size 4{{$}}
; CHECK-NEXT: ; variable table: size 12, constant
; CHECK-NOT: ; variable
; CHECK: @table = addrspace(4) externally_initialized global [3 x float]
@count = addrspace(1) externally_initialized global i32 0, align 4
@table = addrspace(4) externally_initialized constant [3 x float] [float 1.0, float 2.0, float 3.0], align 4
@unused = internal addrspace(1) global i32 0
@tile = internal addrspace(3) global [8 x i32] undef

; CHECK: define ptx_kernel void @__cusafe_globals(ptr addrspace(1) [[OUT:%.*]]) {
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i64, ptr addrspace(1) [[OUT]], i64 0
; CHECK-NEXT: store i64 ptrtoint (ptr addrspace(1) @count to i64), ptr addrspace(1) [[SLOT]]
; CHECK: [[SLOT:%.*]] = getelementptr inbounds i64, ptr addrspace(1) [[OUT]], i64 1
; CHECK-NEXT: store i64 ptrtoint (ptr addrspace(4) @table to i64), ptr addrspace(1) [[SLOT]]
; CHECK-NEXT: ret void
