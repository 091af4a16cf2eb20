// identities.cu: pointers that may be null, are compared, are kept across iterations, move far out of bounds or become integers.
#include "case.h"
#include <cooperative_groups.h>

typedef unsigned long long word;

struct Link {
  int value;
  Link *next;
};

__device__ int numbers[64];
__device__ Link sentinel, pool[128], *head;
__device__ int winners;

// --- null, or the address of a variable ---

__device__ __noinline__ int value_or(const int *p, int other) {
  return p ? *p : other;
}

__global__ void some_null(int *out, int mask) {
  __shared__ int shared[64];
  int local[8], t = threadIdx.x;
  shared[t] = t;
  numbers[t] = 2 * t;
  local[t & 7] = t;
  __syncthreads();
  const int *a = t & mask ? &shared[t] : nullptr, *b = t & mask ? &numbers[t] : nullptr,
            *c = t & mask ? &local[t & 7] : nullptr;
  out[t] = value_or(a, -1) + value_or(b, -1) + value_or(c, -1);
}

CASE(variable_or_null) {
  int *out = buffer<int>(64);
  some_null<<<1, 64>>>(out, 1);
  LAUNCHED();
  EXPECT(value(out + 6) == -3 && value(out + 7) == 28);
  release(out);
}

struct Hit {
  const Link *found;
  int asked;
};

__device__ __noinline__ int sum_of(const Hit *hits, int n, bool all) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    if (hits[i].found || all)
      sum += hits[i].found->value; // BUG: absent_entry
  return sum;
}

__global__ void look_up(int *out, bool all) {
  __shared__ Link table[16];
  if (threadIdx.x < 16)
    table[threadIdx.x] = Link{(int)threadIdx.x * 3, nullptr};
  __syncthreads();
  Hit hits[8];
  for (int asked = 0; asked < 8; asked++) {
    const Link *found = nullptr;
    for (int i = 0; i < 16 && !found; i++)
      if (table[i].value == asked * 2 + (int)threadIdx.x)
        found = &table[i];
    hits[asked] = Hit{found, asked};
  }
  out[threadIdx.x] = sum_of(hits, 8, all);
}

TWINS(absent_entry, bool all, true, false) {
  int *out = buffer<int>(32);
  look_up<<<1, 32>>>(out, all);
  LAUNCHED();
  EXPECT(value(out) == 0 + 6 + 12);
  release(out);
}

// --- kept across iterations ---

__global__ void best_so_far(int *const *rows, const int *keys, int n, int reach, int *out) {
  const int *best = nullptr;
  int key = -1, sum = 0;
  for (int i = 0; i < n; i++) {
    const int *row = rows[i];
    sum += row[1];
    if (keys[i] > key) {
      key = keys[i];
      best = row;
    }
    sum += best[i % reach]; // BUG: kept_row
  }
  *out = sum;
}

TWINS(kept_row, int reach, 5, 4) {
  const int keys[8] = {3, 1, 5, 2, 9, 0, 4, 8};
  int *rows[8];
  for (int i = 0; i < 8; i++) {
    const int row[4] = {i, 1, 2, 3};
    rows[i] = buffer<int>(4);
    CU(cudaMemcpy(rows[i], row, sizeof row, cudaMemcpyHostToDevice));
  }
  int **all = buffer<int *>(8), *some = buffer<int>(8), *out = buffer<int>(1);
  CU(cudaMemcpy(all, rows, sizeof rows, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(some, keys, sizeof keys, cudaMemcpyHostToDevice));
  best_so_far<<<1, 1>>>(all, some, 8, reach, out);
  LAUNCHED();
  EXPECT(value(out) == 8 + (0 + 1 + 2 + 3) + (4 + 1 + 2 + 3));
  release(all), release(some), release(out);
  for (int *row : rows)
    release(row);
}

// --- far out of bounds and back ---

__device__ __noinline__ int element(const int *p, long i) {
  return p[i]; // BUG: far_from_local far_from_buffer
}

__global__ void counted_from(long first, long i, int *out) {
  __shared__ int shared[16];
  int local[10];
  const int *s = shared, *l = local;
  for (int k = 0; k < 10; k++)
    local[k] = 2 * k;
  if (threadIdx.x < 16)
    shared[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = element(s - first, first + 9) + element(l - first, first + i);
}

TWINS(far_from_local, long i, 10, 9) {
  int *out = buffer<int>(32);
  for (long first = i < 10 ? 1 : 100000; first < 10000000; first *= 10) {
    counted_from<<<1, 32>>>(first, i, out);
    LAUNCHED();
    EXPECT(value(out + 31) == 27);
  }
  release(out);
}

// Local arrays that are live across a grid barrier: the CPU device keeps them elsewhere than the locals of other kernels.
__device__ __noinline__ int grid_element(const int *p, long i) {
  return p[i]; // BUG: far_in_grid
}

__global__ void counted_in_grid(long first, long i, int *out) {
  int local[10];
  const int *l = local;
  for (int k = 0; k < 10; k++)
    local[k] = 2 * k;
  cooperative_groups::this_grid().sync();
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = grid_element(l - first, first + i);
}

TWINS(far_in_grid, long i, 10, 9) {
  int *out = buffer<int>(16);
  for (long first = i < 10 ? 1 : 100000; first < 10000000; first *= 10) {
    void *args[] = {&first, &i, &out};
    CU(cudaLaunchCooperativeKernel((void *)counted_in_grid, dim3(4), dim3(4), args, 0, 0));
    LAUNCHED();
    EXPECT(value(out + 15) == 18);
  }
  release(out);
}

__device__ __noinline__ int integer_element(word p, int i) {
  return element((const int *)p, i);
}

__global__ void shifted(const int *a, int i, int *out) {
  word base = (word)a - 65536;
  const int *b = (const int *)base;
  out[0] = b[16384 + 15];
  out[1] = integer_element(base, 16384 + i);
}

TWINS(far_from_buffer, int i, 16, 15) {
  int *a = buffer<int>(16), *out = buffer<int>(2);
  shifted<<<1, 1>>>(a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0 && value(out + 1) == 0);
  release(a), release(out);
}

// --- compared ---

__global__ void chain(Link *links, int n) {
  Link *last = &sentinel;
  for (int i = 0; i < n; i++) {
    links[i] = Link{i, last};
    last = &links[i];
  }
  head = last;
}

__global__ void walk(int *out, int limit) {
  int sum = 0, count = 0;
  for (const Link *p = head; p != &sentinel && count < limit; p = p->next, count++)
    sum += p->value;
  out[0] = sum;
  out[1] = count;
}

CASE(up_to_sentinel) {
  Link *links = buffer<Link>(10);
  int *out = buffer<int>(2);
  chain<<<1, 1>>>(links, 10);
  walk<<<1, 1>>>(out, 100);
  LAUNCHED();
  EXPECT(value(out) == 45 && value(out + 1) == 10);
  release(links), release(out);
}

// --- converted to integers ---

__global__ void replace_sentinel(Link *links) {
  if (threadIdx.x == 0)
    head = &sentinel;
  __syncthreads();
  Link *mine = links + threadIdx.x;
  if (atomicCAS((word *)&head, (word)&sentinel, (word)mine) == (word)&sentinel)
    atomicAdd(&winners, 1);
}

CASE(exchange_of_sentinel) {
  Link *links = buffer<Link>(32);
  const int none = 0;
  CU(cudaMemcpyToSymbol(winners, &none, sizeof none));
  replace_sentinel<<<1, 32>>>(links);
  LAUNCHED();
  int won;
  CU(cudaMemcpyFromSymbol(&won, winners, sizeof won));
  EXPECT(won == 1);
  release(links);
}

__device__ __noinline__ Link *from_pool(int i) {
  return &pool[i];
}

__global__ void first_of_stack() {
  head = from_pool(0);
  *head = Link{1, nullptr};
}

__global__ void push() {
  int i = (int)threadIdx.x + 1;
  Link *mine = from_pool(i), *old = *(Link *volatile *)&head;
  mine->value = i;
  for (bool done = false; !done;) {
    mine->next = old;
    Link *seen = (Link *)atomicCAS((word *)&head, (word)old, (word)mine);
    done = seen == old;
    old = seen;
  }
}

__global__ void sum_of_stack(int *out) {
  int sum = 0, count = 0;
  for (const Link *p = head; p && count < 1000; p = p->next, count++)
    sum += p->value;
  out[0] = sum;
  out[1] = count;
}

CASE(lock_free_stack) {
  int *out = buffer<int>(2);
  first_of_stack<<<1, 1>>>();
  push<<<1, 64>>>();
  sum_of_stack<<<1, 1>>>(out);
  LAUNCHED();
  EXPECT(value(out) == 1 + 64 * 65 / 2 && value(out + 1) == 65);
  release(out);
}

struct Keyed {
  int *key;
  int value;
};

__device__ __noinline__ int find(const Keyed *table, word key) {
  for (int i = 0; i < 16; i++)
    if (*(const word *)&table[i].key == key)
      return table[i].value;
  return -1;
}

__global__ void keyed_by_address(Keyed *table, int *out) {
  __shared__ Keyed shared[16];
  for (int i = 0; i < 16; i++) {
    table[i] = Keyed{&numbers[i], i * i};
    shared[i] = Keyed{&numbers[15 - i], i};
  }
  out[0] = find(table, (word)&numbers[7]);
  out[1] = find(shared, (word)&numbers[3]);
}

CASE(table_of_addresses) {
  Keyed *table = buffer<Keyed>(16);
  int *out = buffer<int>(2);
  keyed_by_address<<<1, 1>>>(table, out);
  LAUNCHED();
  EXPECT(value(out) == 49 && value(out + 1) == 12);
  release(table), release(out);
}
