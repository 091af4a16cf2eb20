; Debug records, as compilers write them with full debug information. A block that is removed takes its records with it: LLVM hands
; leftover ones to the next block at the same address, even to its phis, which is not valid IR. So the result would differ from run
; to run.
; RUN: %retarget --stop-after=clean-up.launch > %t.1
; RUN: %tool %t.bc --stop-after=clean-up.launch -o %t.2
; RUN: %tool %t.bc --stop-after=clean-up.launch -o %t.3
; RUN: %tool %t.bc --stop-after=clean-up.launch -o %t.4
; RUN: %tool %t.bc --stop-after=clean-up.launch -o %t.5
; RUN: diff %t.1 %t.2
; RUN: diff %t.1 %t.3
; RUN: diff %t.1 %t.4
; RUN: diff %t.1 %t.5
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @first(i32 %n, ptr addrspace(1) %out) !dbg !20 {
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !22
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !22
  %first = mul i32 %width, %block, !dbg !22
  %passes = icmp ult i32 %first, %n, !dbg !22
    #dbg_value(i32 %first, !21, !DIExpression(), !22)
  br i1 %passes, label %fast, label %checked
fast:
  br label %loop
loop:
  %i = phi i32 [ 0, %fast ], [ %next, %latch ], !dbg !22
  %even = and i32 %i, 1, !dbg !22
  %is = icmp eq i32 %even, 0, !dbg !22
    #dbg_value(i32 %i, !21, !DIExpression(), !22)
  br i1 %is, label %a, label %latch, !dbg !22
a:
  store i32 %i, ptr addrspace(1) %out, !dbg !22
    #dbg_value(i32 7, !21, !DIExpression(), !22)
  br label %latch, !dbg !22
latch:
  %j = phi i32 [ 0, %loop ], [ 5, %a ], !dbg !22
    #dbg_value(i32 %j, !21, !DIExpression(), !22)
  %step = add i32 %j, 1, !dbg !22
  %next = add i32 %i, %step, !dbg !22
  %more = icmp ult i32 %next, %n, !dbg !22
    #dbg_value(i32 %next, !21, !DIExpression(), !22)
  br i1 %more, label %loop, label %end, !dbg !22
checked:
  %old = atomicrmw add ptr addrspace(1) %out, i32 2 seq_cst, !dbg !22
    #dbg_value(i32 %old, !21, !DIExpression(), !22)
  br label %end, !dbg !22
end:
  ret void, !dbg !22
}
define ptx_kernel void @second(i32 %n, ptr addrspace(1) %out) !dbg !23 {
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !25
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !25
  %first = mul i32 %width, %block, !dbg !25
  %passes = icmp ult i32 %first, %n, !dbg !25
    #dbg_value(i32 %first, !24, !DIExpression(), !25)
  br i1 %passes, label %fast, label %checked
fast:
  br label %loop
loop:
  %i = phi i32 [ 0, %fast ], [ %next, %latch ], !dbg !25
  %even = and i32 %i, 1, !dbg !25
  %is = icmp eq i32 %even, 0, !dbg !25
    #dbg_value(i32 %i, !24, !DIExpression(), !25)
  br i1 %is, label %a, label %latch, !dbg !25
a:
  store i32 %i, ptr addrspace(1) %out, !dbg !25
    #dbg_value(i32 7, !24, !DIExpression(), !25)
  br label %latch, !dbg !25
latch:
  %j = phi i32 [ 0, %loop ], [ 5, %a ], !dbg !25
    #dbg_value(i32 %j, !24, !DIExpression(), !25)
  %step = add i32 %j, 1, !dbg !25
  %next = add i32 %i, %step, !dbg !25
  %more = icmp ult i32 %next, %n, !dbg !25
    #dbg_value(i32 %next, !24, !DIExpression(), !25)
  br i1 %more, label %loop, label %end, !dbg !25
checked:
  %old = atomicrmw add ptr addrspace(1) %out, i32 2 seq_cst, !dbg !25
    #dbg_value(i32 %old, !24, !DIExpression(), !25)
  br label %end, !dbg !25
end:
  ret void, !dbg !25
}
define ptx_kernel void @third(i32 %n, ptr addrspace(1) %out) !dbg !26 {
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !28
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !28
  %first = mul i32 %width, %block, !dbg !28
  %passes = icmp ult i32 %first, %n, !dbg !28
    #dbg_value(i32 %first, !27, !DIExpression(), !28)
  br i1 %passes, label %fast, label %checked
fast:
  br label %loop
loop:
  %i = phi i32 [ 0, %fast ], [ %next, %latch ], !dbg !28
  %even = and i32 %i, 1, !dbg !28
  %is = icmp eq i32 %even, 0, !dbg !28
    #dbg_value(i32 %i, !27, !DIExpression(), !28)
  br i1 %is, label %a, label %latch, !dbg !28
a:
  store i32 %i, ptr addrspace(1) %out, !dbg !28
    #dbg_value(i32 7, !27, !DIExpression(), !28)
  br label %latch, !dbg !28
latch:
  %j = phi i32 [ 0, %loop ], [ 5, %a ], !dbg !28
    #dbg_value(i32 %j, !27, !DIExpression(), !28)
  %step = add i32 %j, 1, !dbg !28
  %next = add i32 %i, %step, !dbg !28
  %more = icmp ult i32 %next, %n, !dbg !28
    #dbg_value(i32 %next, !27, !DIExpression(), !28)
  br i1 %more, label %loop, label %end, !dbg !28
checked:
  %old = atomicrmw add ptr addrspace(1) %out, i32 2 seq_cst, !dbg !28
    #dbg_value(i32 %old, !27, !DIExpression(), !28)
  br label %end, !dbg !28
end:
  ret void, !dbg !28
}
define ptx_kernel void @fourth(i32 %n, ptr addrspace(1) %out) !dbg !29 {
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !31
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !31
  %first = mul i32 %width, %block, !dbg !31
  %passes = icmp ult i32 %first, %n, !dbg !31
    #dbg_value(i32 %first, !30, !DIExpression(), !31)
  br i1 %passes, label %fast, label %checked
fast:
  br label %loop
loop:
  %i = phi i32 [ 0, %fast ], [ %next, %latch ], !dbg !31
  %even = and i32 %i, 1, !dbg !31
  %is = icmp eq i32 %even, 0, !dbg !31
    #dbg_value(i32 %i, !30, !DIExpression(), !31)
  br i1 %is, label %a, label %latch, !dbg !31
a:
  store i32 %i, ptr addrspace(1) %out, !dbg !31
    #dbg_value(i32 7, !30, !DIExpression(), !31)
  br label %latch, !dbg !31
latch:
  %j = phi i32 [ 0, %loop ], [ 5, %a ], !dbg !31
    #dbg_value(i32 %j, !30, !DIExpression(), !31)
  %step = add i32 %j, 1, !dbg !31
  %next = add i32 %i, %step, !dbg !31
  %more = icmp ult i32 %next, %n, !dbg !31
    #dbg_value(i32 %next, !30, !DIExpression(), !31)
  br i1 %more, label %loop, label %end, !dbg !31
checked:
  %old = atomicrmw add ptr addrspace(1) %out, i32 2 seq_cst, !dbg !31
    #dbg_value(i32 %old, !30, !DIExpression(), !31)
  br label %end, !dbg !31
end:
  ret void, !dbg !31
}
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!0 = !{}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!2 = !DIFile(filename: "k.cu", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!20 = distinct !DISubprogram(name: "first", file: !2, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition, retainedNodes: !0)
!21 = !DILocalVariable(name: "i", scope: !20, file: !2, line: 2, type: !10)
!22 = !DILocation(line: 2, column: 3, scope: !20)
!23 = distinct !DISubprogram(name: "second", file: !2, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition, retainedNodes: !0)
!24 = !DILocalVariable(name: "i", scope: !23, file: !2, line: 2, type: !10)
!25 = !DILocation(line: 2, column: 3, scope: !23)
!26 = distinct !DISubprogram(name: "third", file: !2, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition, retainedNodes: !0)
!27 = !DILocalVariable(name: "i", scope: !26, file: !2, line: 2, type: !10)
!28 = !DILocation(line: 2, column: 3, scope: !26)
!29 = distinct !DISubprogram(name: "fourth", file: !2, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition, retainedNodes: !0)
!30 = !DILocalVariable(name: "i", scope: !29, file: !2, line: 2, type: !10)
!31 = !DILocation(line: 2, column: 3, scope: !29)
