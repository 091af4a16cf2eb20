// rebased.cu: pointers that a kernel moves out of their buffer and into another live one, stores, and uses with an index that leads back.
#include "case.h"

// Two buffers of 64 numbers. A kernel gets the second, and its distance from the first.
struct Pair {
  int *first = buffer<int>(64), *second = buffer<int>(64), *out = buffer<int>(64);
  long distance = second - first;
  void check() {
    EXPECT(value(second + 63) == 63 && value(first + 63) == 0);
    release(first), release(second), release(out);
  }
};

__global__ void local_table(int *a, long by, int *out, int k, int n) {
  int *table[4];
  table[k] = a - by;
  table[k ^ 1] = out;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    table[k][by + i] = i; // BUG: in_local_table
  table[k ^ 1][threadIdx.x] = k;
}

TWINS(in_local_table, int n, 65, 64) {
  Pair pair;
  local_table<<<1, 32>>>(pair.second, pair.distance, pair.out, 2, n);
  LAUNCHED();
  pair.check();
}

struct View {
  int *data;
  long first;
  __device__ int &operator[](long i) { return data[i]; }
};

__device__ void fill(View &v, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    v[v.first + i] = i; // BUG: in_local_structure in_local_structures
}

__global__ void local_structure(int *a, long by, int n) {
  View v;
  v.data = a - by, v.first = by;
  fill(v, n);
}

TWINS(in_local_structure, int n, 65, 64) {
  Pair pair;
  local_structure<<<1, 32>>>(pair.second, pair.distance, n);
  LAUNCHED();
  pair.check();
}

__global__ void local_structures(int *a, long by, int *out, int k, int n) {
  View views[2];
  views[k].data = a - by, views[k].first = by;
  views[k ^ 1].data = out, views[k ^ 1].first = 0;
  fill(views[0], n);
  fill(views[1], n);
}

TWINS(in_local_structures, int n, 65, 64) {
  Pair pair;
  local_structures<<<1, 32>>>(pair.second, pair.distance, pair.out, 1, n);
  LAUNCHED();
  pair.check();
}

__noinline__ __device__ void set(int *a, long i, int v) {
  a[i] = v; // BUG: passed_from_table
}

__global__ void table_to_callee(int *a, long by, int *out, int k, int n) {
  int *table[4];
  table[k] = a - by;
  table[k ^ 1] = out;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    set(table[k], by + i, i);
  set(table[k ^ 1], threadIdx.x, k);
}

TWINS(passed_from_table, int n, 65, 64) {
  Pair pair;
  table_to_callee<<<1, 32>>>(pair.second, pair.distance, pair.out, 2, n);
  LAUNCHED();
  pair.check();
}

__noinline__ __device__ void put(int **table, int k, int *a, long by) {
  table[k] = a - by;
}

__noinline__ __device__ void use(int **table, int k, long i, int v) {
  table[k][i] = v; // BUG: table_of_caller
}

__global__ void table_in_callees(int *a, long by, int *out, int k, int n) {
  int *table[4];
  put(table, k, a, by);
  put(table, k ^ 1, out, 0);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    use(table, k, by + i, i);
  use(table, k ^ 1, threadIdx.x, k);
}

TWINS(table_of_caller, int n, 65, 64) {
  Pair pair;
  table_in_callees<<<1, 32>>>(pair.second, pair.distance, pair.out, 2, n);
  LAUNCHED();
  pair.check();
}

__noinline__ __device__ int *moved(int *a, long by) {
  return a - by;
}

__global__ void from_callee(int *a, long by, int n) {
  int *base = moved(a, by);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    base[by + i] = i; // BUG: returned
}

TWINS(returned, int n, 65, 64) {
  Pair pair;
  from_callee<<<1, 32>>>(pair.second, pair.distance, n);
  LAUNCHED();
  pair.check();
}

__global__ void shared_table(int *a, long by, int n) {
  __shared__ int *table[32];
  table[threadIdx.x] = a - by;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    table[(threadIdx.x + 1) % 32][by + i] = i; // BUG: in_shared_table
}

TWINS(in_shared_table, int n, 65, 64) {
  Pair pair;
  shared_table<<<1, 32>>>(pair.second, pair.distance, n);
  LAUNCHED();
  pair.check();
}

__global__ void keep(int **kept, int *a, long by) {
  kept[threadIdx.x] = a - by;
}

__global__ void use_kept(int **kept, long by, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    kept[threadIdx.x][by + i] = i; // BUG: in_global_table
}

TWINS(in_global_table, int n, 65, 64) {
  Pair pair;
  int **kept = buffer<int *>(32);
  keep<<<1, 32>>>(kept, pair.second, pair.distance);
  use_kept<<<1, 32>>>(kept, pair.distance, n);
  LAUNCHED();
  pair.check();
  release(kept);
}

// Both members are written by one instruction, and read by two.
struct __align__(16) Wide {
  int *data;
  long first;
};

__global__ void keep_wide(Wide *kept, int *a, long by) {
  kept[threadIdx.x].data = a - by;
  kept[threadIdx.x].first = by;
}

__global__ void use_wide(const Wide *kept, long by, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    kept[threadIdx.x].data[by + i] = i; // BUG: written_as_vector
}

TWINS(written_as_vector, int n, 65, 64) {
  Pair pair;
  Wide *kept = buffer<Wide>(32);
  keep_wide<<<1, 32>>>(kept, pair.second, pair.distance);
  use_wide<<<1, 32>>>(kept, pair.distance, n);
  LAUNCHED();
  pair.check();
  release(kept);
}
