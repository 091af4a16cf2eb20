// lent.cu: variables whose address is passed to functions that are not inlined, and is not kept there.
#include "case.h"
#include <new>

// All callers pass an array of this size: the callee's bounds are constants.
__noinline__ __device__ void put(int *a, int i, int v) {
  a[i] = v; // BUG: index index_below
}
__global__ void pass_array(int *out, int i, int j) {
  int a[10], b[10];
  for (int k = 0; k < 10; k++)
    a[k] = b[k] = k;
  put(a, i, 42);
  put(b, j, 1);
  out[0] = a[j] + b[j];
}
TWINS(index, int i, 10, 9) {
  int *out = buffer<int>(1);
  pass_array<<<1, 1>>>(out, i, 3);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out);
}
TWINS(index_below, int i, -1, 0) {
  int *out = buffer<int>(1);
  pass_array<<<1, 1>>>(out, i, 3);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out);
}

// Arrays of two sizes, and memory of the heap.
__noinline__ __device__ void put_any(int *a, int i, int v) {
  a[i] = v; // BUG: two_sizes or_heap
}
__global__ void pass_two_sizes(int *out, int i, int j) {
  int a[6], b[12];
  for (int k = 0; k < 12; k++)
    a[k / 2] = b[k] = k;
  put_any(b, j + 6, 7);
  put_any(a, i, 42);
  put_any(out, 0, b[j + 6] + a[j]);
}
TWINS(two_sizes, int i, 6, 5) {
  int *out = buffer<int>(1);
  pass_two_sizes<<<1, 1>>>(out, i, 2);
  LAUNCHED();
  EXPECT(value(out) == 12);
  release(out);
}
__global__ void pass_heap(int *out, int i) {
  put_any(out, i, 5);
}
TWINS(or_heap, int i, 4, 3) {
  int *out = buffer<int>(4);
  pass_heap<<<1, 1>>>(out, i);
  LAUNCHED();
  EXPECT(value(out + 3) == 5 * (i == 3));
  release(out);
}

// Only constant offsets: the caller proves them, or the callee has to check.
struct Four {
  int a, b, c, d;
};
__noinline__ __device__ void put_last(Four *f, int v) {
  f->d = v; // BUG: too_small
}
__global__ void pass_small(int *out, int large) {
  Four four = {1, 2, 3, 4};
  int two[2] = {1, 2};
  put_last(large ? &four : (Four *)two, 9);
  out[0] = large ? four.d : two[0] + 8;
}
TWINS(too_small, int large, 0, 1) {
  int *out = buffer<int>(1);
  pass_small<<<1, 1>>>(out, large);
  LAUNCHED();
  EXPECT(value(out) == 9);
  release(out);
}
__noinline__ __device__ void put_third(int *a, int v) {
  a[2] = v; // BUG: middle_of_array
}
__global__ void pass_middle(int *out, int late) {
  int a[6];
  for (int k = 0; k < 6; k++)
    a[k] = k + out[0];
  if (late)
    put_third(a + 4, 8);
  else
    put_third(a + 3, 8);
  out[0] = late ? 8 : a[5];
}
TWINS(middle_of_array, int late, 1, 0) {
  int *out = buffer<int>(1);
  pass_middle<<<1, 1>>>(out, late);
  LAUNCHED();
  EXPECT(value(out) == 8);
  release(out);
}

// Passed on by one function to the next.
__noinline__ __device__ void put_deep(int *a, int i, int v) {
  a[i] = v; // BUG: passed_twice
}
__noinline__ __device__ void pass_on(int *a, int i, int v) {
  a[0] = v;
  put_deep(a, i, v + 1);
}
__global__ void pass_twice(int *out, int i, int j) {
  int a[5];
  for (int k = 0; k < 5; k++)
    a[k] = k;
  pass_on(a, i, 20);
  out[0] = a[0] + a[j];
}
TWINS(passed_twice, int i, 5, 4) {
  int *out = buffer<int>(1);
  pass_twice<<<1, 1>>>(out, i, 1);
  LAUNCHED();
  EXPECT(value(out) == 21);
  release(out);
}

// A recursion that moves the pointer.
__noinline__ __device__ int sum_from(const int *a, int count) {
  if (count == 0)
    return 0;
  int first = *a; // BUG: recursion
  return first + sum_from(a + 1, count - 1);
}
__global__ void recurse(int *out, int count) {
  int a[4];
  for (int k = 0; k < 4; k++)
    a[k] = k + 1 + out[0];
  out[1] = sum_from(a, count);
  out[0] = a[count & 1];
}
TWINS(recursion, int count, 5, 4) {
  int *out = buffer<int>(2);
  recurse<<<1, 1>>>(out, count);
  LAUNCHED();
  EXPECT(value(out) == 1 + (count & 1));
  release(out);
}

// Virtual functions: every class with a function of this type may be called.
struct Writer {
  __device__ virtual void write(int *a, int i) const = 0;
};
struct Direct : Writer {
  __device__ void write(int *a, int i) const override {
    a[i] = 3; // BUG: virtual_call
  }
};
struct Shifted : Writer {
  __device__ void write(int *a, int i) const override { a[i / 2] = 4; }
};
__global__ void call_virtual(int *out, int i, int direct) {
  Direct d;
  Shifted s;
  const Writer *w = direct ? (const Writer *)&d : &s;
  int a[7];
  for (int k = 0; k < 7; k++)
    a[k] = k;
  w->write(a, i);
  out[0] = a[i % 7];
}
TWINS(virtual_call, int i, 7, 6) {
  int *out = buffer<int>(1);
  call_virtual<<<1, 1>>>(out, i, 1);
  LAUNCHED();
  EXPECT(value(out) == (i == 6 ? 3 : 0));
  release(out);
}

// Functions in a table. The array is all that the caller has in local memory.
typedef void (*Put)(int *a, int i);
__device__ void put_here(int *a, int i) {
  a[i] = 3; // BUG: by_table
}
__device__ void put_half(int *a, int i) {
  a[i / 2] = 4;
}
__device__ Put by_number[] = {put_here, put_half};
__global__ void call_by_table(int *out, int i, int which) {
  int a[7];
  for (int k = 0; k < 7; k++)
    a[k] = k;
  by_number[which](a, i);
  out[0] = a[i % 7];
}
TWINS(by_table, int i, 7, 6) {
  int *out = buffer<int>(1);
  call_by_table<<<1, 1>>>(out, i, 0);
  LAUNCHED();
  EXPECT(value(out) == (i == 6 ? 3 : 0));
  release(out);
}

// An object's table of virtual functions is found through a null pointer, or one to freed memory.
struct Value {
  int v;
  __device__ explicit Value(int v) : v(v) {}
  __device__ virtual int get() const { return v; }
};
struct Twice : Value {
  __device__ explicit Twice(int v) : Value(v) {}
  __device__ int get() const override { return 2 * v; }
};
__global__ void make_object(Value **list, char *memory, int twice) {
  list[0] = twice ? new (memory) Twice(21) : new (memory) Value(42);
}
__global__ void call_object(int *out, Value **list, int i) {
  out[0] = list[i]->get(); // BUG: null_object freed_object
}
TWINS(null_object, int i, 1, 0) {
  int *out = buffer<int>(1);
  Value **list = buffer<Value *>(2);
  char *memory = buffer<char>(sizeof(Twice));
  make_object<<<1, 1>>>(list, memory, 1);
  call_object<<<1, 1>>>(out, list, i);
  LAUNCHED();
  EXPECT(value(out) == 42);
  release(out);
  release(list);
  release(memory);
}
TWINS(freed_object, bool early, true, false) {
  int *out = buffer<int>(1);
  Value **list = buffer<Value *>(2);
  char *memory = buffer<char>(sizeof(Twice));
  make_object<<<1, 1>>>(list, memory, 1);
  LAUNCHED();
  if (early)
    release(memory);
  call_object<<<1, 1>>>(out, list, 0);
  LAUNCHED();
  EXPECT(value(out) == 42);
  if (!early)
    release(memory);
  release(out);
  release(list);
}

// A variable whose scope has ended is not lent.
__noinline__ __device__ int get(const int *p, int i) {
  return p[i]; // BUG: after_scope
}
__global__ void pass_after_scope(int *out, int late, int v) {
  int old[4] = {v, v, v, v};
  const int *p = old;
  {
    int inner[4];
    for (int k = 0; k < 4; k++)
      inner[k] = v + k;
    if (late)
      p = inner;
    else
      out[0] = get(inner, 3);
  }
  out[1] = get(p, 2);
}
TWINS(after_scope, int late, 1, 0) {
  int *out = buffer<int>(2);
  pass_after_scope<<<1, 1>>>(out, late, 6);
  LAUNCHED();
  EXPECT(value(out) == 9 && value(out + 1) == 6);
  release(out);
}

// A variable that is too little aligned for the callee's accesses.
__noinline__ __device__ float as_float(const char *p) {
  return *(const float *)p; // BUG: unaligned
}
__global__ void pass_bytes(float *out, int odd) {
  __align__(16) char bytes[16];
  for (int k = 0; k < 16; k++)
    bytes[k] = 0;
  bytes[odd + 3] = 64;
  if (odd)
    out[0] = as_float(bytes + 1);
  else
    out[0] = as_float(bytes + 4) + as_float(bytes);
}
TWINS(unaligned, int odd, 1, 0) {
  float *out = buffer<float>(1);
  pass_bytes<<<1, 1>>>(out, odd);
  LAUNCHED();
  EXPECT(value(out) == 2);
  release(out);
}

// Shared memory.
__noinline__ __device__ void put_shared(int *a, int i, int v) {
  a[i] = v; // BUG: shared_index
}
__global__ void pass_shared(int *out, int i) {
  __shared__ int s[32], t[32];
  s[threadIdx.x] = t[threadIdx.x] = 1;
  __syncthreads();
  put_shared(t, (int)threadIdx.x, 2);
  put_shared(s, (int)threadIdx.x + i, 2);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + t[threadIdx.x];
}
TWINS(shared_index, int i, 1, 0) {
  int *out = buffer<int>(32);
  pass_shared<<<1, 32>>>(out, i);
  LAUNCHED();
  EXPECT(value(out + 1) == 4);
  release(out);
}
