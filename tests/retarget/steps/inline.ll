; A kernel is one function, except for recursion and cold functions of the runtime.
; RUN: %retarget --stop-after=inline | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

define i32 @square(i32 %x) noinline {
  %y = mul i32 %x, %x
  ret i32 %y
}
; CHECK: define internal i32 @factorial(i32 %n)
; CHECK: call i32 @factorial(
define i32 @factorial(i32 %n) {
  %last = icmp ult i32 %n, 2
  br i1 %last, label %end, label %more
more:
  %m = sub i32 %n, 1
  %f = call i32 @factorial(i32 %m)
  %p = mul i32 %n, %f
  ret i32 %p
end:
  ret i32 1
}
define { i32, i32 } @descend(i32 %n) {
  %m = sub i32 %n, 1
  %r = call { i32, i32 } @descend(i32 %m)
  %s = insertvalue { i32, i32 } %r, i32 %n, 0
  ret { i32, i32 } %s
}
define void @__cs_fail() cold noinline {
  ret void
}
; CHECK-NOT: @square
; CHECK-NOT: @kernel.body
; CHECK: define ptx_kernel void @kernel(
; CHECK: mul i32 [[X:%.*]], [[X]]
; CHECK: call i32 @factorial(
; CHECK: call void @descend(
; CHECK: call void @__cs_fail()
; A structure that such a function returns goes through memory.
; CHECK: define internal void @descend(ptr [[TO:%.*]], i32 [[N:%.*]])
; CHECK: [[AT:%.*]] = getelementptr inbounds { i32, i32 }, ptr [[TO]], i32 0, i32 1
; CHECK: store i32 {{%.*}}, ptr [[AT]]
; CHECK-NEXT: ret void
define ptx_kernel void @kernel(i32 %x, ptr %out) {
  %y = call i32 @square(i32 %x)
  %z = call i32 @factorial(i32 %y)
  %d = call { i32, i32 } @descend(i32 %z)
  %e = extractvalue { i32, i32 } %d, 0
  store i32 %e, ptr %out
  call void @__cs_fail()
  ret void
}
