// folded.cu: accesses at indices that the compiler knows, which it may fold or delete because they are invalid. A case is a kernel for
// one index too many, and its twin the same kernel without it.
#include "case.h"

static void run(void (*kernel)(int *out)) {
  int *out = buffer<int>(4);
  kernel<<<1, 1>>>(out);
  LAUNCHED();
  release(out);
}

__device__ int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += p[i]; // BUG: local_loop table_loop copied_table
  return s;
}

__device__ void fill(int *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = i * 3; // BUG: array_of_class last_row
}

template <int N> __global__ void sum_local(int *out) {
  int a[4] = {out[0], out[1], 2, 3};
  out[0] = sum(a, N);
}
TWINS(local_loop, int n, 5, 4) {
  run(n == 5 ? sum_local<5> : sum_local<4>);
}

template <int N> __global__ void read_local(int *out) {
  int a[4] = {out[0], out[1], 2, 3};
  const int *p = a;
  out[0] = p[N]; // BUG: local_read
}
TWINS(local_read, int n, 4, 3) {
  run(n == 4 ? read_local<4> : read_local<3>);
}

template <int N> __global__ void write_local(int *out) {
  int a[4] = {out[0], out[1], 2, 3};
  int *p = a;
  p[N] = 7; // BUG: local_write
  out[0] = a[0] + a[1] + a[2] + a[3];
}
TWINS(local_write, int n, 4, 3) {
  run(n == 4 ? write_local<4> : write_local<3>);
}

template <int N> __global__ void write_unread(int *out) {
  int a[4];
  int *p = a;
  p[N] = out[0]; // BUG: unread_write
}
TWINS(unread_write, int n, 4, 3) {
  run(n == 4 ? write_unread<4> : write_unread<3>);
}

template <int N> __global__ void walk_back(int *out) {
  int a[4] = {out[0], out[1], 2, 3}, s = 0;
  const int *p = a;
  for (int i = 3; i >= N; i--)
    s += p[i]; // BUG: walk_below
  out[0] = s;
}
TWINS(walk_below, int n, -1, 0) {
  run(n == -1 ? walk_back<-1> : walk_back<0>);
}

template <int N> __global__ void walk_pointer(int *out) {
  int a[4], s = 0;
  fill(a, 4);
  for (int *q = a; q != a + N; q++)
    s += *q; // BUG: walk_past
  out[0] = s;
}
TWINS(walk_past, int n, 5, 4) {
  run(n == 5 ? walk_pointer<5> : walk_pointer<4>);
}

template <int N> __global__ void pass_by_scalar(int *out) {
  int x = out[0];
  int *p = &x;
  p[N] = 3; // BUG: scalar_as_array
  out[1] = x;
}
TWINS(scalar_as_array, int n, 1, 0) {
  run(n == 1 ? pass_by_scalar<1> : pass_by_scalar<0>);
}

struct Span {
  int *data;
  int size;
  __device__ int operator[](int i) const {
    return data[i]; // BUG: span_member
  }
};

template <int N> __global__ void sum_span(int *out) {
  int a[4] = {out[0], 1, 2, 3}, s = 0;
  Span span{a, N};
#pragma unroll
  for (int i = 0; i < span.size; i++)
    s += span[i];
  out[0] = s;
}
TWINS(span_member, int n, 5, 4) {
  run(n == 5 ? sum_span<5> : sum_span<4>);
}

template <typename F> __device__ int for_each(int n, F f) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += f(i);
  return s;
}

template <int N> __global__ void sum_by_lambda(int *out) {
  int a[4] = {out[0], 1, 2, 3};
  int *p = a;
  out[0] = for_each(N, [&](int i) {
    return p[i]; // BUG: lambda_capture
  });
}
TWINS(lambda_capture, int n, 5, 4) {
  run(n == 5 ? sum_by_lambda<5> : sum_by_lambda<4>);
}

template <int N> __global__ void sum_rows(int *out) {
  int a[4], b[4], s = 0;
  fill(a, 4), fill(b, 4);
  int *rows[2] = {a, b};
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < N; i++)
      s += rows[j][i]; // BUG: table_of_locals
  out[0] = s;
}
TWINS(table_of_locals, int n, 5, 4) {
  run(n == 5 ? sum_rows<5> : sum_rows<4>);
}

struct Vector {
  int v[4];
  __device__ int *data() { return v; }
};

template <int N> __global__ void fill_class(int *out) {
  Vector v;
  fill(v.data(), N);
  out[0] = v.v[out[1]];
}
TWINS(array_of_class, int n, 5, 4) {
  run(n == 5 ? fill_class<5> : fill_class<4>);
}

template <int N> __global__ void fill_rows(int *out) {
  int a[3][4];
  for (int r = 0; r < 3; r++)
    fill(a[r], 4);
  fill(a[2], N);
  out[0] = a[out[1]][1];
}
TWINS(last_row, int n, 5, 4) {
  run(n == 5 ? fill_rows<5> : fill_rows<4>);
}

template <int N> __global__ void set_local(int *out) {
  int a[4];
  memset(a, 0, N * sizeof *a); // BUG: memset_local
  out[0] = a[out[1]];
}
TWINS(memset_local, int n, 5, 4) {
  run(n == 5 ? set_local<5> : set_local<4>);
}

template <int N> __global__ void copy_local(int *out) {
  int a[4], b[8];
  fill(b, 8);
  memcpy(a, b, N * sizeof *a); // BUG: memcpy_local
  out[0] = a[0] + a[3];
}
TWINS(memcpy_local, int n, 5, 4) {
  run(n == 5 ? copy_local<5> : copy_local<4>);
}

static __device__ int never_written[4] = {1, 2, 3, 4};
static __device__ const int table[4] = {1, 2, 3, 4};

__device__ int element(const int *p, int i) {
  return p[i]; // BUG: never_written_variable constant_variable static_in_kernel
}

template <int N> __global__ void read_variable(int *out) {
  out[0] = element(never_written, N);
}
TWINS(never_written_variable, int n, 4, 3) {
  run(n == 4 ? read_variable<4> : read_variable<3>);
}

template <int N> __global__ void read_table(int *out) {
  out[0] = element(table, N);
}
TWINS(constant_variable, int n, 4, 3) {
  run(n == 4 ? read_table<4> : read_table<3>);
}

template <int N> __global__ void read_static(int *out) {
  static const int own[4] = {7, 8, 2, 3};
  out[0] = element(own, N);
}
TWINS(static_in_kernel, int n, 4, 3) {
  run(n == 4 ? read_static<4> : read_static<3>);
}

template <int N> __global__ void sum_table(int *out) {
  out[0] = sum(table, N);
}
TWINS(table_loop, int n, 5, 4) {
  run(n == 5 ? sum_table<5> : sum_table<4>);
}

template <int N> __global__ void sum_copied(int *out) {
  const int copied[4] = {7, 8, 2, 3};
  out[0] = sum(copied, N);
}
TWINS(copied_table, int n, 5, 4) {
  run(n == 5 ? sum_copied<5> : sum_copied<4>);
}

template <int N> __global__ void read_literal(int *out) {
  const char *text = "abc";
  out[0] = text[N]; // BUG: string_literal
}
TWINS(string_literal, int n, 4, 3) {
  run(n == 4 ? read_literal<4> : read_literal<3>);
}

template <int N> __global__ void read_selected(int *out) {
  int a[4] = {out[0], 1, 2, 3}, b[4] = {out[1], 5, 6, 7};
  const int *p = out[2] ? a : b;
  out[0] = p[N]; // BUG: selected_read
}
TWINS(selected_read, int n, 4, 3) {
  run(n == 4 ? read_selected<4> : read_selected<3>);
}

template <int N> __global__ void write_branched(int *out) {
  int a[4] = {out[0], 1, 2, 3}, b[4] = {out[1], 5, 6, 7}, *p;
  if (out[2])
    p = a;
  else
    p = b;
  p[N] = 9; // BUG: branched_write
  out[0] = a[out[3]] + b[out[3]];
}
TWINS(branched_write, int n, 4, 3) {
  run(n == 4 ? write_branched<4> : write_branched<3>);
}

// Copies within an array, which lead back to it.
__global__ void shift(int *out) {
  int w[4] = {1, 2, 3, 4};
#ifdef __clang__
  __builtin_memmove(w, w + 1, 3 * sizeof *w);
#else // nvcc has no memmove in kernels
  for (int k = 0; k < 3; k++)
    w[k] = w[k + 1];
#endif
  out[0] = w[0] + w[3];
}
CASE(copied_to_itself) {
  int *out = buffer<int>(4);
  shift<<<1, 1>>>(out);
  LAUNCHED();
  EXPECT(value(out) == 2 + 4);
  release(out);
}

__global__ void nothing(int *) {}
CASE(empty_kernel) {
  run(nothing);
}
