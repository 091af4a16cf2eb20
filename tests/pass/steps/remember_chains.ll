; remember-chains: an access that was inlined carries its own line and that of the call; one that was not, only its own.
; RUN: %llvm/opt %plugin -passes='default<O1>' -cusafe-stop-after=remember-chains -S %s -o - | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

define internal void @set(ptr %p) alwaysinline !dbg !5 {
  store i32 1, ptr %p, !dbg !6
  ret void
}

; CHECK: define{{.*}} @kernel(
; CHECK: store i32 1, ptr %p{{.*}}, !cusafe.line ![[INLINED:[0-9]+]]
; CHECK: store i32 2, ptr %q{{.*}}, !cusafe.line ![[OWN:[0-9]+]]
; CHECK-DAG: ![[KERNEL:[0-9]+]] = distinct !DISubprogram(name: "kernel"
; CHECK-DAG: ![[SET:[0-9]+]] = distinct !DISubprogram(name: "set"
; CHECK-DAG: ![[INLINED]] = !{![[SET]], i32 11, i32 3, ![[KERNEL]], i32 2, i32 5}
; CHECK-DAG: ![[OWN]] = !{![[KERNEL]], i32 3, i32 4}
define ptx_kernel void @kernel(ptr %p, ptr %q) !dbg !4 {
  call void @set(ptr %p), !dbg !7
  store i32 2, ptr %q, !dbg !8
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "kernel", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "set", file: !1, line: 10, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 11, column: 3, scope: !5)
!7 = !DILocation(line: 2, column: 5, scope: !4)
!8 = !DILocation(line: 3, column: 4, scope: !4)
