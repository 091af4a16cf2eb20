; mark-wrappers: at -O0 a small function of a header is to be inlined; a kernel of a header is to be optimised. The user's are not.
; inline-wrappers: inlines it, and removes it where nothing else calls it.
; simplify-header-kernels: the kernel's variables are registers; those of the user's kernel stay where a debugger finds them.
; promote-in-headers: a function of a header that is inlined everywhere has no variables that it only loads and stores. The user's keep theirs.
; RUN: %opt -passes='default<O0>' -cusafe-print-after=promote-in-headers 2>&1 | FileCheck --check-prefix=PROMOTE %s
; RUN: %opt -passes='default<O0>' -cusafe-print-after=mark-wrappers 2>&1 | FileCheck --check-prefix=MARK %s
; RUN: %opt -passes='default<O0>' -cusafe-print-after=inline-wrappers 2>&1 | FileCheck --check-prefix=INLINE %s
; RUN: %opt -passes='default<O0>' -cusafe-print-after=simplify-header-kernels 2>&1 | FileCheck --check-prefix=SIMPLIFY %s
target triple = "nvptx64-nvidia-cuda"

; It is marked, and its variables become values.
; MARK: define internal void @of_the_header(ptr %p) [[SMALL:#[0-9]+]]
; MARK-NOT: alloca
; MARK: store i32 1, ptr %p
; INLINE-NOT: define internal void @of_the_header(
define internal void @of_the_header(ptr %p) noinline optnone !dbg !10 {
  %kept = alloca ptr
  store ptr %p, ptr %kept, !dbg !20
  %again = load ptr, ptr %kept, !dbg !20
  store i32 1, ptr %again, !dbg !20
  ret void
}

; PROMOTE-LABEL: define internal void @always_of_the_header(
; PROMOTE-NEXT: [[ESCAPES:%.*]] = alloca
; PROMOTE-NEXT: call void @of_the_header(ptr [[ESCAPES]])
; PROMOTE-NEXT: store i32 5, ptr %p
define internal void @always_of_the_header(ptr %p) alwaysinline !dbg !14 {
  %kept = alloca ptr
  %escapes = alloca i32
  store ptr %p, ptr %kept, !dbg !24
  call void @of_the_header(ptr %escapes), !dbg !24
  %again = load ptr, ptr %kept, !dbg !24
  store i32 5, ptr %again, !dbg !24
  ret void
}
; PROMOTE-LABEL: define internal void @always_of_the_user(
; PROMOTE-NEXT: alloca
define internal void @always_of_the_user(ptr %p) alwaysinline !dbg !15 {
  %kept = alloca ptr
  store ptr %p, ptr %kept, !dbg !25
  %again = load ptr, ptr %kept, !dbg !25
  store i32 6, ptr %again, !dbg !25
  ret void
}

; MARK: define internal void @of_the_user(ptr %p) [[OWN:#[0-9]+]]
define internal void @of_the_user(ptr %p) noinline optnone !dbg !11 {
  store i32 2, ptr %p, !dbg !21
  ret void
}

; INLINE-LABEL: define ptx_kernel void @kernel(
; INLINE: store i32 1, ptr %p
; INLINE: call void @of_the_user(
; SIMPLIFY-LABEL: define ptx_kernel void @kernel(
; SIMPLIFY: alloca i32
define ptx_kernel void @kernel(ptr %p) noinline optnone !dbg !12 {
  %own = alloca i32
  store i32 3, ptr %own, !dbg !22
  call void @of_the_header(ptr %p), !dbg !22
  call void @of_the_user(ptr %p), !dbg !22
  call void @always_of_the_header(ptr %p), !dbg !22
  call void @always_of_the_user(ptr %p), !dbg !22
  ret void
}

; MARK: define ptx_kernel void @kernel_of_the_header(ptr %p) [[OPEN:#[0-9]+]]
; SIMPLIFY-LABEL: define ptx_kernel void @kernel_of_the_header(
; SIMPLIFY-NOT: alloca
; SIMPLIFY: store i32 4, ptr
define ptx_kernel void @kernel_of_the_header(ptr %p) noinline optnone !dbg !13 {
  %own = alloca i32
  store i32 4, ptr %own, !dbg !23
  %four = load i32, ptr %own, !dbg !23
  store i32 %four, ptr %p, !dbg !23
  ret void
}

; MARK: attributes [[SMALL]] = { alwaysinline }
; MARK: attributes [[OWN]] = { noinline optnone }
; MARK: attributes [[OPEN]] = { noinline }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "a.cu", directory: "/project")
!3 = !DIFile(filename: "/usr/include/header.h", directory: "/")
!4 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "of_the_header", file: !3, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "of_the_user", file: !2, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "kernel", file: !2, line: 2, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!13 = distinct !DISubprogram(name: "kernel_of_the_header", file: !3, line: 2, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 1, scope: !10)
!21 = !DILocation(line: 1, scope: !11)
!22 = !DILocation(line: 2, scope: !12)
!23 = !DILocation(line: 2, scope: !13)
!14 = distinct !DISubprogram(name: "always_of_the_header", file: !3, line: 2, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!15 = distinct !DISubprogram(name: "always_of_the_user", file: !2, line: 3, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!24 = !DILocation(line: 2, scope: !14)
!25 = !DILocation(line: 3, scope: !15)
