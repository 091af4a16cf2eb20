; A function whose address is taken, and that no call can reach, is gone once addresses are numbers.
; RUN: %retarget --stop-after=keep-reachable.targets | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define ptx_kernel void @kernel(
define ptx_kernel void @kernel(ptr %out) {
  store ptr @never_called, ptr %out
  ret void
}
; CHECK-NOT: @never_called
define void @never_called() {
  ret void
}
