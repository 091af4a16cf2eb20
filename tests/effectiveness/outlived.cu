// outlived.cu: pointers and references to local variables that functions return or blocks leave behind, often chosen at run time among
// pointers that stay valid. A twin chooses a valid one, or does not use the other.
#include "case.h"

enum { count = 5 };

__device__ const float *increased(const float *in) {
  float own[count];
  for (int i = 0; i < count; i++)
    own[i] = in[i] + 1;
  const float *held = own;
  return held;
}

__device__ const float &largest_of(const float *in) {
  float own[count];
  const float *held = own;
  for (int i = 0; i < count; i++) {
    own[i] = in[i] + 1;
    held = own[i] > *held ? own + i : held;
  }
  return *held;
}

__global__ void use_returned(const float *in, float *out, int n, int how) {
  float sum = 1;
  auto doubled = [&] {
    float own[count];
    for (int i = 0; i < count; i++)
      own[i] = 2 * in[i];
    const float *held = own;
    return held;
  };
  const float *p = increased(in), *q = doubled();
  const float &r = largest_of(in);
  for (int i = 0; how == 1 && i < n; i++)
    sum += p[i]; // BUG: by_variable
  if (how == 2)
    sum += r; // BUG: by_reference
  for (int i = 0; how == 3 && i < n; i++)
    sum += q[i]; // BUG: by_lambda
  if (how == 4)
    sum += p[0] + p[1]; // BUG: by_variable_constant
  *out = sum;
}

static void returned(int how) {
  float *in = buffer<float>(count), *out = buffer<float>(1);
  use_returned<<<1, 1>>>(in, out, count, how);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(in), release(out);
}
TWINS(by_variable, int how, 1, 0) {
  returned(how);
}
TWINS(by_reference, int how, 2, 0) {
  returned(how);
}
TWINS(by_lambda, int how, 3, 0) {
  returned(how);
}
TWINS(by_variable_constant, int how, 4, 0) {
  returned(how);
}

// The function's own array, or the caller's.
__device__ const int *either(int *callers, int n) {
  int own[4];
  for (int i = 0; i < 4; i++)
    own[i] = callers[i] + 4;
  const int *p = n > 3 ? own + 1 : callers;
  return p;
}

__device__ const int *either_at_once(int *callers, int n) {
  int own[4];
  for (int i = 0; i < 4; i++)
    own[i] = callers[i] + 4;
  return n > 3 ? own + 1 : callers;
}

__global__ void of_local(int *out, int n, int m) {
  int callers[4] = {0, 1, m, 3};
  const int *p = either(callers, n);
  for (int i = 0; i < m; i++)
    out[0] += p[i]; // BUG: own_or_local
}

__global__ void of_shared(int *out, int n, int m) {
  __shared__ int callers[4];
  for (int i = 0; i < 4; i++)
    callers[i] = i;
  const int *p = either(callers, n);
  out[0] = p[0] + p[1] + p[2]; // BUG: own_or_shared
}

__global__ void of_global(int *out, int n, int m) {
  out[1] = 1, out[2] = 2;
  const int *p = either(out, n);
  int sum = 0;
  for (int i = 0; i < m; i++)
    sum += p[i]; // BUG: own_or_global
  out[0] = sum;
}

__global__ void of_local_constant(int *out, int n, int m) {
  int callers[4] = {0, 1, m, 3};
  const int *p = either_at_once(callers, n);
  out[0] = p[0] + p[1] + p[2]; // BUG: own_or_local_constant
}

// LLVM merges the ends of equal branches.
__global__ void of_branch(int *out, int n, int m) {
  int callers[4] = {0, 1, m, 3};
  const int *p = out[0] == 0 ? either(callers, n) : either(out, n);
  int sum = 0;
  for (int i = 0; i < m; i++)
    sum += p[i]; // BUG: own_of_branch
  out[0] = sum;
}

static void chosen(void (*kernel)(int *, int, int), int n) {
  int *out = buffer<int>(4);
  kernel<<<1, 1>>>(out, n, 3);
  LAUNCHED();
  EXPECT(value(out) == 4 || value(out) == 3);
  release(out);
}
TWINS(own_or_local, int n, 4, 3) {
  chosen(of_local, n);
}
TWINS(own_or_shared, int n, 4, 3) {
  chosen(of_shared, n);
}
TWINS(own_or_global, int n, 4, 3) {
  chosen(of_global, n);
}
TWINS(own_or_local_constant, int n, 4, 3) {
  chosen(of_local_constant, n);
}
TWINS(own_of_branch, int n, 4, 3) {
  chosen(of_branch, n);
}

// The pointer is carried around a loop.
__device__ const int *last_positive(const int *callers, int n) {
  int own[4] = {callers[3], callers[2], callers[1], callers[0]};
  const int *found = callers;
  for (int i = 0; i < n; i++)
    if (own[i & 3] > 0)
      found = own + (i & 3);
  return found;
}

__global__ void around_loop(int *out, int n, int m) {
  out[0] = 1;
  out[0] += *last_positive(out, n) + m - 1; // BUG: own_after_loop
}
TWINS(own_after_loop, int n, 4, 3) {
  chosen(around_loop, n);
}

__device__ const int *one_of_three(const int *in, const int *callers, int which) {
  int own[4];
  const int *p;
  for (int i = 0; i < 4; i++)
    own[i] = callers[i] + in[i];
  switch (which) {
  case 1:
    p = in;
    break;
  case 2:
    p = callers + 1;
    break;
  default:
    p = own + (which & 1);
  }
  return p;
}

__global__ void of_three(int *out, int which, int m) {
  int callers[4] = {m, 3, m, m};
  out[0] = 4;
  out[0] = *one_of_three(out, callers, which); // BUG: one_of_three_own
}
TWINS(one_of_three_own, int which, 3, 2) {
  chosen(of_three, which);
}
CASE(one_of_three_first) {
  chosen(of_three, 1);
}

// A reference to the larger of two values may refer to a temporary, which ends with the statement.
template <typename T> __device__ const T &larger(const T &a, const T &b) {
  return a < b ? b : a;
}

__global__ void larger_of(int *out, int n, int m) {
  const int &r = larger(m, n);
  const int &s = larger(m, n - 1);
  out[0] = r;
  out[0] = s; // BUG: larger_temporary
}
TWINS(larger_temporary, int n, 5, 3) {
  chosen(larger_of, n);
}

// The reference is selected while the temporaries exist, and read when they do not.
__global__ void largest_of(int *out, int n, int m) {
  const int &r = larger(larger(m, n - 1), n - 2);
  int sum = 0;
  for (int i = 0; i < n; i++) {
    const int &s = larger(m, i - 2);
    sum += larger(s, i);
  }
  out[1] = sum;
  out[0] = r; // BUG: largest_temporary
}
TWINS(largest_temporary, int n, 5, 3) {
  chosen(largest_of, n);
}

// The address of an inner variable, if it is taken, outlives the block.
__global__ void of_block(int *out, int n, int m) {
  int outer[2] = {3, m};
  const int *p = outer;
  {
    int inner[2] = {n, out[0]};
    if (n > 3)
      p = inner + 1;
    out[1] = *p;
  }
  out[0] = *p; // BUG: inner_or_outer
}
TWINS(inner_or_outer, int n, 4, 3) {
  chosen(of_block, n);
}

// In each iteration, the address is chosen anew; only the one that is kept is outlived.
__global__ void of_iteration(int *out, int n, int m) {
  int outer[4] = {0, 1, 2, 3}, sum = 0;
  const int *kept = outer;
  for (int i = 0; i < m; i++) {
    int inner[4];
    for (int k = 0; k < 4; k++)
      inner[k] = i * k + out[0];
    const int *p = n > 2 ? inner : outer;
    sum += p[i] + p[0];
    kept = n > 3 ? p : kept;
  }
  out[0] = sum - 2 + kept[0]; // BUG: inner_kept
}
TWINS(inner_kept, int n, 4, 3) {
  chosen(of_iteration, n);
}

// The address leaves through a constructor, so LLVM knows the scope.
struct View {
  int *first, *end;
  __device__ View(int *p, int n) : first(p), end(p + n) {}
};

__device__ View viewed(View callers, int *out, int n) {
  int own[4];
  for (int i = 0; i < 4; i++)
    own[i] = callers.first[i] * 2;
  View view = n > 3 ? View(own, 4) : callers;
  for (int *p = view.first; p != view.end; p++)
    *p += 1;
  out[1] = own[n & 3];
  return view;
}

__global__ void of_view(int *out, int n, int m) {
  int callers[4] = {0, 1, m, 2};
  View view = viewed(View(callers, 4), out, n);
  int sum = 0;
  for (int *p = view.first; p != view.end; p++)
    sum += *p > m; // BUG: own_or_view
  out[0] = sum + view.first[3] - 1;
}
TWINS(own_or_view, int n, 4, 3) {
  chosen(of_view, n);
}

// A reference to an element that does not exist is no error, unless it is read.
struct Item {
  int weight, number;
  __device__ int number_if(bool valid) const {
    return valid ? number : 4; // BUG: reference_this
  }
};

__device__ int if_valid(const int &item, bool valid) {
  return valid ? item : 4; // BUG: reference_argument
}

__noinline__ __device__ const int &element(const int *items, int n) {
  return items[n];
}

__global__ void read_this(Item *items, int *out, int n, bool valid) {
  out[0] = items[n].number_if(valid);
}
__global__ void read_argument(Item *items, int *out, int n, bool valid) {
  out[0] = if_valid(items[n].weight, valid);
}
__global__ void read_result(Item *items, int *out, int n, bool valid) {
  const int &item = element(&items->weight, 2 * n);
  out[0] = valid ? item : 4; // BUG: reference_result
}

static void referred(void (*kernel)(Item *, int *, int, bool), bool valid) {
  Item *items = buffer<Item>(4);
  int *out = buffer<int>(1);
  kernel<<<1, 1>>>(items, out, 4, valid);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(items), release(out);
}
TWINS(reference_this, bool valid, true, false) {
  referred(read_this, valid);
}
TWINS(reference_argument, bool valid, true, false) {
  referred(read_argument, valid);
}
TWINS(reference_result, bool valid, true, false) {
  referred(read_result, valid);
}
