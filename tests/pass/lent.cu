// A variable whose address is passed to a function that does not keep it is lent: the address does not escape, and the callee has
// the bounds. A single call that has nothing to offer makes the callee check by itself.
// RUN: %device_cc -mllvm -cusafe-eliminate=none %clang_checks -O2 %s -o - | FileCheck %s
#include "pass_test.h"
extern "C" {
__device__ int *kept;

// Constant offsets, which every caller proves: no check, and the plain address.
// CHECK-LABEL: define{{.*}} void @put_second(ptr {{.*}}"cusafe.lent"="8"
// CHECK-NOT: @__cs_fail
// CHECK: ret void
__device__ __noinline__ void put_second(int *p, int v) {
  p[1] = v;
}
// CHECK-LABEL: define{{.*}} @second
// CHECK-NOT: @__cs_close_local
// CHECK: ret void
__global__ void second(int *out, int v) {
  int a[2], b[5];
  put_second(a, v);
  put_second(b + 3, v);
  out[0] = a[1] + b[4];
}

// An index, and one size: the callee compares with it.
// CHECK-LABEL: define{{.*}} void @put_at(ptr {{.*}}"cusafe.lent"="40"
// CHECK: call ptr @__cs_fail_named({{.*}}, i64 noundef 40, i64 noundef 4, i32 noundef 1, i32 noundef [[#]])
// CHECK: ret void
__device__ __noinline__ void put_at(int *p, int i, int v) {
  p[i] = v;
}
// CHECK-LABEL: define{{.*}} @at
// CHECK-NOT: @__cs_close_local
// CHECK: ret void
__global__ void at(int *out, int i) {
  int a[10], b[10];
  put_at(a, i, 1);
  put_at(b, i, 2);
  out[0] = a[i] + b[i];
}

// Two sizes.
// CHECK-LABEL: define{{.*}} void @put_any(ptr
// CHECK-NOT: "cusafe.lent"
// CHECK: call ptr @__cs_fail(
__device__ __noinline__ void put_any(int *p, int i, int v) {
  p[i] = v;
}
// CHECK-LABEL: define{{.*}} @any
// CHECK: call ptr @__cs_close_local
// CHECK: call ptr @__cs_close_local
// CHECK: ret void
__global__ void any(int *out, int i) {
  int a[10], b[12];
  put_any(a, i, 1);
  put_any(b, i, 2);
  out[0] = a[i] + b[i];
}

// A constant offset that is inside of one caller's variable, and not of the other's.
// CHECK-LABEL: define{{.*}} void @put_third(ptr
// CHECK-NOT: "cusafe.lent"
// CHECK: call ptr @__cs_fail(
__device__ __noinline__ void put_third(int *p, int v) {
  p[2] = v;
}
// CHECK-LABEL: define{{.*}} @third
// CHECK: call void @put_third({{.*}}"cusafe.lent"
// CHECK: %[[CLOSED:[0-9]+]] = call ptr @__cs_close_local
// CHECK: call void @put_third(ptr {{.*}}%[[CLOSED]]
// CHECK: ret void
__global__ void third(int *out, int v) {
  int a[3], b[2];
  put_third(a, v);
  put_third(b, v);
  out[0] = a[2] + b[1];
}

// Kept by the callee of the callee.
__device__ __noinline__ void keep(int *p) {
  kept = p;
}
// CHECK-LABEL: define{{.*}} void @pass_on(ptr
// CHECK-NOT: "cusafe.lent"
// CHECK: ret void
__device__ __noinline__ void pass_on(int *p) {
  *p = 1;
  keep(p);
}
// CHECK-LABEL: define{{.*}} @stored
// CHECK: call ptr @__cs_close_local
// CHECK: ret void
__global__ void stored(int *out) {
  int a;
  pass_on(&a);
  out[0] = a;
}

// A call through a pointer reaches the functions of its type whose address is taken.
typedef void (*store)(float *, int);
__device__ __noinline__ void store_one(float *p, int v) {
  p[0] = v;
}
__device__ __noinline__ void store_two(float *p, int v) {
  p[1] = v;
}
__device__ store stores[2] = {store_one, store_two};
// CHECK-LABEL: define{{.*}} @indirect
// CHECK-NOT: @__cs_close_local
// CHECK: call void %{{.*}}(ptr {{.*}}"cusafe.lent"
// CHECK: ret void
__global__ void indirect(float *out, int i) {
  float a[2];
  stores[i & 1](a, i);
  out[0] = a[i & 1];
}
}

// The address of a table of virtual functions stays plain, and a call compares it with nothing but the range of such addresses.
struct Base {
  __device__ virtual void put(float *p) const = 0;
};
struct Derived : Base {
  __device__ void put(float *p) const override { *p = 1; }
};
// CHECK-LABEL: define{{.*}} @_Z4makeP7DerivedPP4Base
// CHECK-NOT: @__cs_close_variable
// CHECK: store ptr getelementptr {{.*}}@_ZTV7Derived
// CHECK: ret void
inline __device__ void *operator new(__SIZE_TYPE__, Derived *at) {
  return at;
}
__global__ void make(Derived *at, Base **list) {
  list[0] = new (at) Derived;
}
// CHECK-LABEL: define{{.*}} @_Z4callPK4BasePf
// CHECK: load i64, ptr addrspace(1)
// CHECK: %[[TABLE:[0-9]+]] = load ptr,
// CHECK: ptrtoint ptr %[[TABLE]] to i64
// CHECK-NEXT: add i64 %{{[0-9]+}}, -65536
// CHECK-NEXT: icmp ult i64 %{{[0-9]+}}, 140737488289785
// CHECK-NEXT: br i1
// CHECK: ret void
__global__ void call(const Base *b, float *out) {
  float a;
  b->put(&a);
  out[0] = a;
}
