// scope.cu: local variables used after their scope has ended or their function has returned.
#include "case.h"

// If bad is set, the kernel uses the array after its scope, otherwise within it.
__global__ void block(int *out, int i, int v, bool bad) {
  int *p, early = 0;
  {
    int a[4];
    for (int k = 0; k < 4; k++)
      a[k] = v + k;
    p = &a[i];
    if (!bad)
      early = *p;
  }
  out[0] = bad ? *p : early; // BUG: block_at_once
}

TWINS(block_at_once, bool bad, true, false) {
  int *out = buffer<int>(1);
  block<<<1, 1>>>(out, 2, 5, bad);
  LAUNCHED();
  EXPECT(value(out) == 7);
  release(out);
}

// Functions that are not inlined leave their pointers here.
struct Box {
  int *p;
  int number;
};

__noinline__ __device__ void lend(Box *box, int *p) {
  box->p = p;
}

__noinline__ __device__ void make(Box *box, int i, int v) {
  int a[4];
  for (int k = 0; k < 4; k++)
    a[k] = v + k;
  lend(box, &a[i]);
  box->number = *box->p;
}

__noinline__ __device__ int other(int i, int v) {
  int b[4];
  for (int k = 0; k < 4; k++)
    b[k] = v - k;
  b[i] += 1;
  return b[(i + 1) & 3];
}

__global__ void after_return(Box *box, int *out, int calls, bool bad) {
  make(box, 2, 5);
  int sum = 0;
  for (int k = 0; k < calls; k++)
    sum += other(k & 3, k);
  out[1] = sum;
  out[0] = bad ? *box->p : box->number; // BUG: return_at_once return_delayed after_32_calls after_1024_calls
}

static void returned(int calls, bool bad) {
  int *out = buffer<int>(2);
  Box *box = buffer<Box>(1);
  after_return<<<1, 1>>>(box, out, calls, bad);
  LAUNCHED();
  EXPECT(value(out) == 7);
  release(out), release(box);
}
TWINS(return_at_once, bool bad, true, false) {
  returned(0, bad);
}
TWINS(return_delayed, bool bad, true, false) {
  returned(3, bad);
}
TWINS(after_32_calls, bool bad, true, false) {
  returned(32, bad);
}
TWINS(after_1024_calls, bool bad, true, false) {
  returned(1024, bad);
}

// The pointer outlives its call and is used in a later call of the same depth, whose own array has the same address and
// is live: only the identity distinguishes them.
__noinline__ __device__ int visit(Box *box, int turn, int last, bool bad) {
  int a[4];
  for (int k = 0; k < 4; k++)
    a[k] = turn + k;
  if (turn == (bad ? 0 : last))
    lend(box, &a[2]);
  return turn == last ? *box->p : a[turn & 3]; // BUG: live_after_1 live_after_32 live_after_1024
}

__global__ void visit_all(Box *box, int *out, int last, bool bad) {
  int result = 0;
  for (int turn = 0; turn <= last; turn++)
    result = visit(box, turn, last, bad);
  out[0] = result;
}

static void visited(int calls, bool bad) {
  int *out = buffer<int>(1);
  Box *box = buffer<Box>(1);
  visit_all<<<1, 1>>>(box, out, calls, bad);
  LAUNCHED();
  EXPECT(value(out) == calls + 2);
  release(out), release(box);
}
TWINS(live_after_1, bool bad, true, false) {
  visited(1, bad);
}
TWINS(live_after_32, bool bad, true, false) {
  visited(32, bad);
}
TWINS(live_after_1024, bool bad, true, false) {
  visited(1024, bad);
}
CASE(live_after_2039) {
  visited(2039, true);
}

// Measures how often identities collide by chance: each call uses the pointer of a random earlier call. A contained read
// returns zero, so the kernel itself counts the missed errors. In the good twin each call uses its own pointer.
enum { reuses = 1000000, pointers_kept = 4096 };

__noinline__ __device__ int reuse(int **left, int mine, int used, bool bad) {
  int a[2] = {1, 1};
  if (!bad)
    left[used] = &a[mine & 1];
  int read = *left[used]; // BUG: random_reuses
  left[mine] = &a[mine & 1];
  return read;
}

__device__ int next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (int)(*state >> 16 & (pointers_kept - 1));
}

__global__ void reuse_often(int **left, int *out, bool bad) {
  unsigned state = 1;
  int sum = 0;
  for (int k = 0; k < pointers_kept; k++)
    reuse(left, k, k, false);
  for (int k = 0; k < reuses; k++) {
    int mine = next_random(&state);
    sum += reuse(left, mine, next_random(&state), bad);
  }
  out[0] = sum;
}

TWINS(random_reuses, bool bad, true, false) {
  int *out = buffer<int>(1), **left = buffer<int *>(pointers_kept);
  reuse_often<<<1, 1>>>(left, out, bad);
  LAUNCHED();
  if (bad) {
    printf("figure: %d of %d missed\n", value(out), (int)reuses);
    EXPECT(value(out) < reuses / 1000);
  } else {
    EXPECT(value(out) == reuses);
  }
  release(out), release(left);
}

__noinline__ __device__ void write_through(const Box *box, int v) {
  box->p[0] = v; // BUG: copied_pointer
}

// Two copies of the pointer; the second is used by another function.
__global__ void copied(Box *box, int *out, bool bad) {
  int mine[4] = {0, 1, 2, 3};
  make(&box[0], 1, 5);
  box[1] = box[0];
  if (!bad)
    lend(&box[1], mine);
  write_through(&box[1], 9);
  out[0] = mine[box[0].number - 6];
}

TWINS(copied_pointer, bool bad, true, false) {
  int *out = buffer<int>(1);
  Box *box = buffer<Box>(2);
  copied<<<1, 1>>>(box, out, bad);
  LAUNCHED();
  EXPECT(value(out) == 9);
  release(out), release(box);
}

// Each iteration starts a new lifetime of the array.
__global__ void iterations(Box *box, int *out, int n, bool bad) {
  int sum = 0;
  for (int k = 0; k < n; k++) {
    int a[4];
    for (int m = 0; m < 4; m++)
      a[m] = k + m;
    if (k == 0 || !bad)
      lend(box, &a[k & 3]);
    sum += *box->p; // BUG: last_iteration
  }
  out[0] = sum;
}

TWINS(last_iteration, bool bad, true, false) {
  int *out = buffer<int>(1);
  Box *box = buffer<Box>(1);
  iterations<<<1, 1>>>(box, out, 3, bad);
  LAUNCHED();
  EXPECT(value(out) == 6);
  release(out), release(box);
}

// A pointer that no memory holds is carried from one iteration to the next, where the array's scope has started again.
__global__ void largest_before(const int *in, int *out, int n, bool bad) {
  const int *best = nullptr;
  int taken = 0, kept[2];
  for (int k = 0; k < n; k++) {
    int a[2] = {in[k], k};
    if (!best || a[0] > *best) { // BUG: carried_to_next
      taken += a[1] + 1;
      kept[0] = a[0], kept[1] = k;
      best = bad ? a : kept;
    }
  }
  out[0] = taken;
}

TWINS(carried_to_next, bool bad, true, false) {
  int *in = buffer<int>(5), *out = buffer<int>(1);
  const int values[] = {3, 1, 4, 1, 5};
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  largest_before<<<1, 1>>>(in, out, 5, bad);
  LAUNCHED();
  EXPECT(bad || value(out) == 1 + 3 + 5);
  release(in), release(out);
}

// The pointer is set again before each use: the phi at the loop's start holds an earlier iteration's, and nothing uses that.
__global__ void set_in_each(const int *in, int *out, int n) {
  const int *at = nullptr;
  int sum = 0;
  for (int k = 0; k < n; k++) {
    int a[2] = {in[k], k}, b[2] = {k, in[k]};
    if (in[k] > 2)
      at = &a[in[k] & 1];
    else if (in[k] > 0 || k == 0)
      at = &b[k & 1];
    else
      at = in;
    sum += *at;
  }
  out[0] = sum + (at != nullptr);
}

CASE(set_in_each_iteration) {
  int *in = buffer<int>(5), *out = buffer<int>(1);
  const int values[] = {3, 1, 4, 0, 5};
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  set_in_each<<<1, 1>>>(in, out, 5);
  LAUNCHED();
  EXPECT(value(out) == 0 + 1 + 4 + 3 + 4 + 1);
  release(in), release(out);
}

// A break leaves the loop inside the array's scope.
__global__ void left_by_break(Box *box, int *out, int n, bool bad) {
  int mine[2] = {n, n};
  for (int k = 0;; k++) {
    int a[4];
    for (int m = 0; m < 4; m++)
      a[m] = k + m;
    lend(box, &a[k & 3]);
    if (*box->p >= n)
      break;
  }
  if (!bad)
    lend(box, &mine[n & 1]);
  out[0] = *box->p; // BUG: left_loop
}

TWINS(left_loop, bool bad, true, false) {
  int *out = buffer<int>(1);
  Box *box = buffer<Box>(1);
  left_by_break<<<1, 1>>>(box, out, 4, bad);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out), release(box);
}

// A deeper level of a recursion passes its array's address to its caller.
__noinline__ __device__ int climb(Box *box, int depth, bool bad) {
  int a[4];
  for (int k = 0; k < 4; k++)
    a[k] = depth + k;
  lend(box, &a[depth & 3]);
  if (depth == 0)
    return *box->p;
  int below = climb(box, depth - 1, bad);
  if (!bad)
    lend(box, &a[depth & 3]);
  return below + *box->p; // BUG: recursion
}

__global__ void climb_from(Box *box, int *out, int depth, bool bad) {
  out[0] = climb(box, depth, bad);
}

TWINS(recursion, bool bad, true, false) {
  int *out = buffer<int>(1);
  Box *box = buffer<Box>(1);
  climb_from<<<1, 1>>>(box, out, 3, bad);
  LAUNCHED();
  EXPECT(value(out) == 12);
  release(out), release(box);
}

// The address of a scalar escapes its function.
__noinline__ __device__ void make_scalar(Box *box, int v) {
  int x = v;
  lend(box, &x);
  box->number = *box->p;
}

__global__ void scalar(Box *box, int *out, bool bad) {
  make_scalar(box, 7);
  out[0] = bad ? *box->p : box->number; // BUG: scalar_returned
}

TWINS(scalar_returned, bool bad, true, false) {
  int *out = buffer<int>(1);
  Box *box = buffer<Box>(1);
  scalar<<<1, 1>>>(box, out, bad);
  LAUNCHED();
  EXPECT(value(out) == 7);
  release(out), release(box);
}
