; The program's functions are not cold, whatever the optimiser infers; those of the runtime are.
; RUN: %retarget --stop-after=unmark-cold | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define void @always_traps() {
define void @always_traps() cold {
  call void @llvm.trap()
  unreachable
}
; CHECK: define void @__cs_fail() #[[COLD:[0-9]+]] {
define void @__cs_fail() cold {
  ret void
}
; CHECK: attributes #[[COLD]] = { cold }
