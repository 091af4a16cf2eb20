// use_after_free.cu: cudaMalloc's memory used after cudaFree, immediately and after it could have been reused.
#include "case.h"

__global__ void put(int *a, int i, int v) {
  a[i] = v; // BUG: write_at_once write_delayed_300 after_reuse_other_size
}

__global__ void get(const int *a, int i, int *out) {
  out[0] = a[i]; // BUG: read_at_once copy_at_once read_delayed copy_delayed after_100000 after_1000000 large_buffer
}

// early: the buffer is freed before it is used.
TWINS(read_at_once, bool early, true, false) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  if (early)
    release(a);
  get<<<1, 1>>>(a, 3, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  if (!early)
    release(a);
  release(out);
}

TWINS(write_at_once, bool early, true, false) {
  int *a = buffer<int>(16);
  if (early)
    release(a);
  put<<<1, 1>>>(a, 3, 7);
  LAUNCHED();
  if (!early)
    release(a);
}

// Through an interior copy of the pointer.
TWINS(copy_at_once, bool early, true, false) {
  int *a = buffer<int>(4096), *copy = a + 1000, *out = buffer<int>(1);
  if (early)
    release(a);
  get<<<1, 1>>>(copy, -500, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  if (!early)
    release(a);
  release(out);
}

TWINS(read_delayed, bool early, true, false) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  if (early)
    release(a);
  int *b = buffer<int>(16);
  get<<<1, 1>>>(a, 3, out);
  LAUNCHED();
  if (!early)
    release(a);
  release(b), release(out);
}

// More live buffers than an 8-bit tag can distinguish.
TWINS(write_delayed_300, bool early, true, false) {
  int *a = buffer<int>(16), *later[300];
  if (early)
    release(a);
  for (int i = 0; i < 300; i++)
    later[i] = buffer<int>(16);
  put<<<1, 1>>>(a, 3, 7);
  LAUNCHED();
  for (int i = 0; i < 300; i++)
    EXPECT(value(later[i] + 3) == 0), release(later[i]);
  if (!early)
    release(a);
}

TWINS(copy_delayed, bool early, true, false) {
  int *a = buffer<int>(16), *copy = a + 1, *out = buffer<int>(1);
  if (early)
    release(a);
  churn(1000, 64);
  get<<<1, 1>>>(copy, 3, out);
  LAUNCHED();
  if (!early)
    release(a);
  release(out);
}

// A buffer of another size has reused the memory.
TWINS(after_reuse_other_size, bool early, true, false) {
  int *a = buffer<int>(1000);
  if (early)
    release(a);
  char *b = buffer<char>(3000);
  put<<<1, 1>>>(a, 700, 7);
  LAUNCHED();
  if (!early)
    release(a);
  release(b);
}

static void after(int count, bool early) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  if (early)
    release(a);
  churn(count, 64);
  get<<<1, 1>>>(a, 3, out);
  LAUNCHED();
  if (!early)
    release(a);
  release(out);
}
TWINS(after_100000, bool early, true, false) {
  after(100000, early);
}
TWINS(after_1000000, bool early, true, false) {
  after(1000000, early);
}

TWINS(large_buffer, bool early, true, false) {
  int *a = buffer<int>(3 << 20), *out = buffer<int>(1);
  if (early)
    release(a);
  get<<<1, 1>>>(a, 2 << 20, out);
  LAUNCHED();
  if (!early)
    release(a);
  release(out);
}

struct Node {
  Node *next;
  int number;
};

__global__ void link(Node *a, Node *b) {
  a->next = b;
}

__global__ void follow(const Node *a, int *out) {
  out[0] = a->next->number; // BUG: stored_at_once stored_delayed
}

static void stored(bool early, int count) {
  Node *a = buffer<Node>(1), *b = buffer<Node>(1);
  int *out = buffer<int>(1);
  link<<<1, 1>>>(a, b);
  LAUNCHED();
  if (early)
    release(b);
  churn(count, sizeof(Node));
  follow<<<1, 1>>>(a, out);
  LAUNCHED();
  if (!early)
    release(b);
  release(a), release(out);
}
TWINS(stored_at_once, bool early, true, false) {
  stored(early, 0);
}
TWINS(stored_delayed, bool early, true, false) {
  stored(early, 50);
}

__global__ void count(int *a, int i) {
  atomicAdd(&a[i], 1); // BUG: atomic_at_once
}

TWINS(atomic_at_once, bool early, true, false) {
  int *a = buffer<int>(16);
  if (early)
    release(a);
  count<<<2, 32>>>(a, 0);
  LAUNCHED();
  if (!early)
    EXPECT(value(a) == 64), release(a);
}
