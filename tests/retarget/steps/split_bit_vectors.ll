; SPIR-V has no vectors of bits in memory, and converts none. Bit k of the integer is element k.
; RUN: %retarget --stop-after=split-bit-vectors | FileCheck %s
; RUN: %retarget --stop-after=simplify | FileCheck --check-prefix=SIMPLE %s
target triple = "nvptx64-nvidia-cuda"
; SIMPLE-NOT: x i1>

; Neighbouring flags.
; CHECK: define ptx_kernel void @loads(
; CHECK: [[N:%.*]] = load volatile i16, ptr addrspace(1) {{%.*}}, align 2
; CHECK: lshr i16 [[N]], 8
; CHECK-NOT: load <16 x i1>
; CHECK: ret void
; SIMPLE: define ptx_kernel void @loads(
; SIMPLE: load volatile i16
define ptx_kernel void @loads(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %v = load volatile <16 x i1>, ptr addrspace(1) %in, align 2
  %b = extractelement <16 x i1> %v, i32 8
  %z = zext i1 %b to i32
  store i32 %z, ptr addrspace(1) %out
  ret void
}

; A part of a byte takes a whole one.
; CHECK: define ptx_kernel void @stores(
; CHECK: load i8, ptr addrspace(1) {{%.*}}, align 1
; CHECK: store i8 {{.*}}, ptr addrspace(1) {{%.*}}, align 1
; CHECK: ret void
; SIMPLE: define ptx_kernel void @stores(
; SIMPLE: store i8
define ptx_kernel void @stores(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %v = load <4 x i1>, ptr addrspace(1) %in
  %n = xor <4 x i1> %v, splat (i1 true)
  store <4 x i1> %n, ptr addrspace(1) %out
  ret void
}

; CHECK: define ptx_kernel void @casts(
; CHECK-NOT: bitcast {{.*}}x i1>
; CHECK: ret void
; SIMPLE: define ptx_kernel void @casts(
; SIMPLE: ret void
define ptx_kernel void @casts(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load <4 x i32>, ptr addrspace(1) %in
  %c = icmp sgt <4 x i32> %x, zeroinitializer
  %m = bitcast <4 x i1> %c to i4
  %w = zext i4 %m to i32
  store i32 %w, ptr addrspace(1) %out
  %h = load i16, ptr addrspace(1) %in
  %v = bitcast i16 %h to <16 x i1>
  %b = extractelement <16 x i1> %v, i32 3
  %z = zext i1 %b to i32
  store i32 %z, ptr addrspace(1) %out
  ret void
}
