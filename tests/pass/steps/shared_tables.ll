; build-shared-tables and rebuild-shared-tables: a table of addresses of shared variables becomes a local variable, to which the
; function stores each address: with its bounds, once the function is instrumented. Other tables stay.
; RUN: %opt -passes=cusafe-start -cusafe-print-after=build-shared-tables 2>&1 | FileCheck %s
; RUN: %opt -passes=cusafe-prepare -cusafe-print-after=rebuild-shared-tables 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4
@module = addrspace(1) global [64 x i32] zeroinitializer, align 4
@shared = private constant [2 x ptr] [ptr null, ptr addrspacecast (ptr addrspace(3) @tile to ptr)], align 8
@plain = private constant [2 x ptr] [ptr null, ptr addrspacecast (ptr addrspace(1) @module to ptr)], align 8

; CHECK-LABEL: define void @use_shared(
; CHECK: %[[TABLE:.*]] = alloca [2 x ptr], align 8
; CHECK: call void @llvm.memcpy{{.*}}(ptr align 8 %[[TABLE]], ptr align 8 @shared, i64 16,
; CHECK: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %[[TABLE]], i64 8
; CHECK: store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %[[SECOND]]
; CHECK: getelementptr ptr, ptr %[[TABLE]], i64 %i
define void @use_shared(ptr %out, i64 %i) {
  %q = getelementptr ptr, ptr @shared, i64 %i
  %p = load ptr, ptr %q
  store ptr %p, ptr %out
  ret void
}

; CHECK-LABEL: define void @use_plain(
; CHECK-NOT: alloca
; CHECK: getelementptr ptr, ptr @plain, i64 %i
define void @use_plain(ptr %out, i64 %i) {
  %q = getelementptr ptr, ptr @plain, i64 %i
  %p = load ptr, ptr %q
  store ptr %p, ptr %out
  ret void
}
