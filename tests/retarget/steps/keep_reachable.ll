; Only code that a kernel can reach is translated.
; RUN: %retarget --stop-after=keep-reachable | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @kernel()
define ptx_kernel void @kernel() {
  call void @used()
  ret void
}
; CHECK: define internal void @used()
define void @used() {
  ret void
}
; CHECK-NOT: @unused
define void @unused() {
  ret void
}
