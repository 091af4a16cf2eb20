// elimination.cu: bugs that one check for a whole loop or a whole block must not miss, and code that such a check could wrongly
// report. Each case violates one precondition of an elimination.
#include "case.h"

static const int SIZE = 1000;

__global__ void sum_up(const float *a, float *out, int from, int to, int step) {
  float sum = 0;
  for (int i = from; i < to; i += step)
    sum += a[i]; // BUG: last_iteration jumps_over starts_below
  out[threadIdx.x] = sum;
}

static void sums(int from, int to, int step, const float *a) {
  float *out = buffer<float>(32);
  sum_up<<<1, 32>>>(a, out, from, to, step);
  LAUNCHED();
  release(out);
}

TWINS(last_iteration, int to, 1001, 1000) {
  float *a = buffer<float>(SIZE);
  sums(0, to, 1, a);
  release(a);
}

// No iteration is near the end: one is in bounds, the next far past the end.
TWINS(jumps_over, int to, 5000, 900) {
  float *a = buffer<float>(SIZE);
  sums(10, to, 100000, a), sums(10, to, 4000, a);
  release(a);
}

TWINS(starts_below, int from, -1, 0) {
  float *a = buffer<float>(SIZE);
  sums(from, 20, 3, a);
  release(a);
}

// The counter reaches the case that ends the loop only if it starts at a multiple of the step. Otherwise the loop never ends: each of the
// cases runs alone, since the manifest gives them options of their own.
__global__ void until(int *a, int first) {
  int sum = 0;
  for (int i = first;; i += 3) {
    switch (i) {
    case 30:
      goto out;
    case 5:
      sum += 1;
      break;
    case 12:
      sum -= 2;
      break;
    }
    a[i] += sum + 1; // BUG: leaps_over_case
  }
out:
  a[0] = sum;
}

__global__ void fill_until(int *a, int first) {
  __shared__ int tile[64];
  int sum = 0;
  for (int i = first & 15;; i += 3) {
    switch (i) {
    case 30:
      goto out;
    case 5:
      sum += 1;
      break;
    case 12:
      sum -= 2;
      break;
    }
    tile[i] = sum + i; // BUG: leaps_over_case_shared
  }
out:
  a[0] = tile[a[1] & 63];
}

TWINS(leaps_over_case, int first, 1, 0) {
  int *a = buffer<int>(32);
  until<<<1, 1>>>(a, first);
  LAUNCHED();
  release(a);
}

TWINS(leaps_over_case_shared, int first, 1, 0) {
  int *a = buffer<int>(2);
  fill_until<<<1, 1>>>(a, first);
  LAUNCHED();
  release(a);
}

// nvcc has no _BitInt: its loop computes in 32 bits.
#ifdef __clang__
typedef _BitInt(16) Narrow;
#else
typedef short Narrow;
#endif

// The index changes its sign with each iteration: 8, -4, 2, -1.
__global__ void divide_by_minus_two(char *a, short first) {
  for (Narrow i = first; i != 0; i /= -2)
    a[i] = 1; // BUG: changes_sign
}

TWINS(changes_sign, int from, 0, 8) {
  char *a = buffer<char>(32);
  divide_by_minus_two<<<1, 1>>>(a + from, 8);
  LAUNCHED();
  release(a);
}

// The loop runs zero iterations, so the pointer is never dereferenced.
CASE(zero_iterations) {
  sums(5, 5, 1, nullptr), sums(100000, 7, 1, nullptr), sums(0, -2000000000, 1000000000, nullptr);
}

__global__ void find(const int *a, int *out, int count, int key) {
  int i = 0;
  while (i < count && a[i] != key) // BUG: no_sentinel
    i++;
  out[threadIdx.x] = i;
}

// The count is too large, which is harmless as long as the array contains the key.
TWINS(no_sentinel, int key, 2, 1) {
  int *a = buffer<int>(SIZE), *out = buffer<int>(32), one = 1;
  CU(cudaMemcpy(a + SIZE - 1, &one, sizeof one, cudaMemcpyHostToDevice));
  find<<<1, 32>>>(a, out, 100000, key);
  LAUNCHED();
  release(a), release(out);
}

__global__ void backwards(float *a, int from) {
  for (int i = from; i >= 0; i--)
    a[i] = 1; // BUG: backwards_from_end
}

TWINS(backwards_from_end, int from, 1000, 999) {
  float *a = buffer<float>(SIZE);
  backwards<<<2, 64>>>(a, from);
  LAUNCHED();
  release(a);
}

// Counts down past zero: the unsigned index wraps to a large value.
__global__ void backwards_unsigned(float *a, unsigned from, unsigned to) {
  for (unsigned i = from; i != to; i--)
    a[i] = 1; // BUG: unsigned_wraps
}

TWINS(unsigned_wraps, unsigned to, 0xfffffffeu, 0u) {
  float *a = buffer<float>(SIZE);
  backwards_unsigned<<<1, 32>>>(a, 3, to);
  LAUNCHED();
  release(a);
}

// The product overflows 32 bits, and the index becomes negative.
__global__ void product(char *a, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    a[row * columns] = 1; // BUG: product_wraps
}

TWINS(product_wraps, int columns, 70000000, 3) {
  char *a = buffer<char>(SIZE);
  product<<<2, 32>>>(a, 64, columns);
  LAUNCHED();
  release(a);
}

__global__ void one_thread(float *a, int who, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == who)
    i += offset;
  a[i] = 1; // BUG: one_thread_outside
}

TWINS(one_thread_outside, int offset, 1 << 20, 3) {
  float *a = buffer<float>(16 * 64 + 3);
  one_thread<<<16, 64>>>(a, 777, offset);
  LAUNCHED();
  release(a);
}

// Only the last thread of the last block is out of bounds; there is no guard.
__global__ void every_thread(float *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1; // BUG: last_block
}

TWINS(last_block, int size, 64 * 96 - 1, 64 * 96) {
  float *a = buffer<float>(size);
  every_thread<<<64, 96>>>(a);
  LAUNCHED();
  release(a);
}

__global__ void triangle(float *a, int n, int more) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n + more; j++)
      a[i * n + j] = 1; // BUG: triangle_corner
}

// i * n + n is in the next row, and so in bounds except in the last row.
TWINS(triangle_corner, int more, 1, 0) {
  float *a = buffer<float>(31 * 31);
  triangle<<<1, 1>>>(a, 31, more);
  LAUNCHED();
  release(a);
}

#define TILE 16
__global__ void tiles(const float *a, float *out, int n, int from) {
  __shared__ float tile[TILE];
  float sum = 0;
  for (int at = from; at < n; at += TILE) {
    tile[threadIdx.x] = a[at + threadIdx.x]; // BUG: last_tile
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += tile[i];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// n is correct, but the last tile is partial. Barriers separate the accesses.
TWINS(last_tile, int n, 1000, 992) {
  float *a = buffer<float>(SIZE), *out = buffer<float>(TILE);
  tiles<<<3, TILE>>>(a, out, n, 0);
  LAUNCHED();
  release(a), release(out);
}

__global__ void tree(float *out, int threads) {
  __shared__ float sums[128];
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    sums[i] = 1;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half]; // BUG: tree_too_large
    __syncthreads();
  }
  out[blockIdx.x] = sums[0];
}

TWINS(tree_too_large, int threads, 256, 128) {
  float *out = buffer<float>(4);
  tree<<<4, 128>>>(out, threads);
  LAUNCHED();
  EXPECT(value(out) == 128);
  release(out);
}

// An unsigned comparison guards the access: it rejects a negative index only if count is small.
__global__ void unsigned_guard(float *a, int from, unsigned count) {
  int i = from + (int)threadIdx.x;
  if ((unsigned)i < count)
    a[i] = 1; // BUG: guard_too_wide
}

TWINS(guard_too_wide, unsigned count, 0xfffffff0u, 1000u) {
  float *a = buffer<float>(SIZE);
  unsigned_guard<<<1, 64>>>(a, -32, count);
  LAUNCHED();
  release(a);
}

struct View {
  float *data;
  int rows, columns;
};

__global__ void by_value(View view) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < view.rows)
    for (int column = 0; column < view.columns; column++)
      view.data[row * view.columns + column] = 1; // BUG: wrong_view
}

TWINS(wrong_view, int columns, 34, 33) {
  View view = {buffer<float>(30 * 33 + 10), 30, columns};
  by_value<<<2, 16>>>(view);
  LAUNCHED();
  release(view.data);
}

// Each row is a separate buffer; the third is short.
__global__ void rows_of_pointers(float **rows, int count, int columns) {
  for (int r = 0; r < count; r++)
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      rows[r][c] = 1; // BUG: short_row
}

TWINS(short_row, int size, 99, 100) {
  float *host[4], **rows = buffer<float *>(4);
  for (int r = 0; r < 4; r++)
    host[r] = buffer<float>(r == 2 ? size : 100);
  CU(cudaMemcpy(rows, host, sizeof host, cudaMemcpyHostToDevice));
  rows_of_pointers<<<1, 32>>>(rows, 4, 100);
  LAUNCHED();
  for (float *row : host)
    release(row);
  release(rows);
}

__global__ void moving_pointer(const float *a, float *out, int count, int stride) {
  float sum = 0;
  for (const float *p = a + threadIdx.x; count > 0; count--, p += stride)
    sum += *p; // BUG: pointer_moves_out
  out[threadIdx.x] = sum;
}

TWINS(pointer_moves_out, int stride, -33, 33) {
  float *a = buffer<float>(SIZE), *out = buffer<float>(32);
  moving_pointer<<<1, 32>>>(a, out, 30, stride);
  LAUNCHED();
  release(a), release(out);
}

// Freed before the launch: the loop's single load of the metadata word must see it.
__global__ void fill(float *a, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    a[i] = 1; // BUG: freed_before_loop
}

TWINS(freed_before_loop, bool first, true, false) {
  float *a = buffer<float>(SIZE);
  if (first)
    release(a);
  fill<<<1, 32>>>(a, SIZE);
  LAUNCHED();
  if (!first)
    release(a);
}

// Every iteration accesses four bytes at a misaligned address.
__global__ void misaligned_ints(char *bytes, int count) {
  int *a = (int *)bytes;
  for (int i = 0; i < count; i++)
    a[i] = 1; // BUG: misaligned_base
}

TWINS(misaligned_base, int from, 2, 4) {
  char *bytes = buffer<char>(SIZE);
  misaligned_ints<<<1, 32>>>(bytes + from, 100);
  LAUNCHED();
  release(bytes);
}

// An index loaded from memory.
__global__ void gather(const float *a, const int *where, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = a[where[i]]; // BUG: index_from_memory
}

TWINS(index_from_memory, int last, SIZE, SIZE - 1) {
  float *a = buffer<float>(SIZE), *out = buffer<float>(256);
  int *where = buffer<int>(256);
  CU(cudaMemcpy(where + 200, &last, sizeof last, cudaMemcpyHostToDevice));
  gather<<<2, 128>>>(a, where, out, 256);
  LAUNCHED();
  release(a), release(where), release(out);
}

// A byte as an index: only an array of 256 elements has every index in bounds.
__global__ void histogram(const unsigned char *data, int *bins, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    atomicAdd(&bins[data[i]], 1); // BUG: too_few_bins
}

TWINS(too_few_bins, int value, 200, 199) {
  unsigned char *data = buffer<unsigned char>(SIZE), byte = (unsigned char)value;
  int *bins = buffer<int>(200);
  CU(cudaMemcpy(data + 500, &byte, 1, cudaMemcpyHostToDevice));
  histogram<<<1, 64>>>(data, bins, SIZE);
  LAUNCHED();
  release(data), release(bins);
}

// A function that is not inlined: the pass knows nothing about its arguments.
__device__ __noinline__ float callee(const float *a, int from, int to) {
  float sum = 0;
  for (int i = from; i < to; i++)
    sum += a[i]; // BUG: in_a_callee
  return sum;
}
__global__ void caller(const float *a, float *out, int count) {
  out[threadIdx.x] = callee(a, (int)threadIdx.x * 10, (int)threadIdx.x * 10 + count);
}

TWINS(in_a_callee, int count, 11, 10) {
  float *a = buffer<float>(320), *out = buffer<float>(32);
  caller<<<1, 32>>>(a, out, count);
  LAUNCHED();
  release(a), release(out);
}

// An unsigned index from memory, through an interior pointer: as a signed number it would be in bounds.
__global__ void gather_unsigned(const float *a, const unsigned *where, float *out) {
  out[threadIdx.x] = a[where[threadIdx.x]]; // BUG: huge_unsigned
}

TWINS(huge_unsigned, unsigned index, 0xffffffceu, 50u) {
  float *a = buffer<float>(SIZE), *out = buffer<float>(32);
  unsigned *where = buffer<unsigned>(32);
  CU(cudaMemcpy(where + 7, &index, sizeof index, cudaMemcpyHostToDevice));
  gather_unsigned<<<1, 32>>>(a + 500, where, out);
  LAUNCHED();
  release(a), release(where), release(out);
}

// The signed index is in bounds down to the start of the buffer.
__global__ void gather_signed(const float *a, const int *where, float *out) {
  out[threadIdx.x] = a[where[threadIdx.x]]; // BUG: too_far_back
}

TWINS(too_far_back, int index, -501, -500) {
  float *a = buffer<float>(SIZE), *out = buffer<float>(32);
  int *where = buffer<int>(32);
  CU(cudaMemcpy(where + 7, &index, sizeof index, cudaMemcpyHostToDevice));
  gather_signed<<<1, 32>>>(a + 500, where, out);
  LAUNCHED();
  release(a), release(where), release(out);
}

// Walks from item to item by pointer; each item stores its number of values.
struct Item {
  int values[3], count, next;
};

__global__ void walk(const Item *items, int first, int *out) {
  int sum = 0;
  const Item *p = items + first;
  for (;;) {
    const int *values = p->values;
#pragma unroll 1
    for (int i = 0, count = p->count; i < count; i++)
      sum += values[i]; // BUG: last_item_too_long
    if (p->next < 0)
      break;
    p = items + p->next;
  }
  out[threadIdx.x] = sum;
}

TWINS(last_item_too_long, int count, 6, 5) {
  Item made[3] = {{{1, 2, 3}, 3, 1}, {{4, 5, 6}, 2, 2}, {{7, 8, 9}, count, -1}}, *items = buffer<Item>(3);
  int *out = buffer<int>(32);
  CU(cudaMemcpy(items, made, sizeof made, cudaMemcpyHostToDevice));
  walk<<<1, 32>>>(items, 0, out);
  LAUNCHED();
  release(items), release(out);
}

// Walks by bytes: from the second item on, the pointer is misaligned for an int.
__global__ void walk_bytes(const char *bytes, int by, int *out) {
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 3; k++, bytes += by)
#pragma unroll 1
    for (int i = 0; i < k; i++)
      sum += ((const int *)bytes)[i]; // BUG: between_items
  out[threadIdx.x] = sum;
}

TWINS(between_items, int by, 18, 16) {
  char *bytes = buffer<char>(SIZE);
  int *out = buffer<int>(32);
  walk_bytes<<<1, 32>>>(bytes, by, out);
  LAUNCHED();
  release(bytes), release(out);
}

// The bound of i ^ distance is the next power of two, which is past the end.
__global__ void partners(float *a, int distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i ^ distance] = 1; // BUG: partner_outside
}

TWINS(partner_outside, int distance, 1024, 512) {
  float *a = buffer<float>(SIZE);
  partners<<<2, 64>>>(a, distance);
  LAUNCHED();
  release(a);
}

// Only one thread of many blocks is out of bounds.
__global__ void many_blocks(float *a, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    a[i] = 1; // BUG: last_of_many
}

TWINS(last_of_many, int count, 8193, 8192) {
  float *a = buffer<float>(8192);
  many_blocks<<<300, 32>>>(a, count);
  LAUNCHED();
  release(a);
}

// The loop-invariant width bounds the index, and exceeds the field.
struct Row {
  int width, cells[6], more;
};

__global__ void row_sums(const Row *rows, int *out) {
  const Row &row = rows[threadIdx.x];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < row.width; i++)
    sum += row.cells[i]; // BUG: width_past_cells
  out[threadIdx.x] = sum;
}

TWINS(width_past_cells, int width, 7, 6) {
  Row *rows = buffer<Row>(32);
  int *out = buffer<int>(32);
  CU(cudaMemcpy(&rows[5].width, &width, sizeof width, cudaMemcpyHostToDevice));
  row_sums<<<1, 32>>>(rows, out);
  LAUNCHED();
  release(rows), release(out);
}
