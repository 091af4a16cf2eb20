// init_memory.cu: uninitialised shared memory, memory that kernels allocate, local variables, and what copies do to
// uninitialised bytes (--detect=init).
#include "case.h"
#include <cooperative_groups.h>

enum { kCount = 64 };

#define THREAD (int)(blockIdx.x * blockDim.x + threadIdx.x)

template <typename T> static T *fresh(size_t count) {
  void *p;
  CU(cudaMalloc(&p, count * sizeof(T)));
  return (T *)p;
}

// Runs statements with a zeroed buffer `out`.
#define WITH_OUT(...)                                                                                                  \
  int *out = buffer<int>(4 * kCount);                                                                                  \
  __VA_ARGS__;                                                                                                         \
  LAUNCHED();                                                                                                          \
  release(out)

// ---- static shared memory

__global__ void part_of_tile(int n, int *out) {
  __shared__ int tile[kCount];
  int i = threadIdx.x;
  if (i < n)
    tile[i] = i;
  __syncthreads();
  if (tile[kCount - 1 - i] > 5) // BUG: shared_tile
    out[i] = 1;
}
TWINS(shared_tile, int n, kCount - 1, kCount) {
  WITH_OUT((part_of_tile<<<3, kCount>>>(n, out)));
}

__global__ void one_flag(int sets, int *out) {
  __shared__ bool done;
  if (threadIdx.x == 0 && sets)
    done = true;
  __syncthreads();
  if (done) // BUG: shared_flag
    out[threadIdx.x] = 1;
}
TWINS(shared_flag, int sets, 0, 1) {
  WITH_OUT((one_flag<<<2, kCount>>>(sets, out)));
}

// Each block has its own: what an earlier one has left there is no value.
__global__ void first_block_only(int blocks, int *out) {
  __shared__ int tile[kCount];
  int i = threadIdx.x;
  if ((int)blockIdx.x < blocks)
    tile[i] = i;
  __syncthreads();
  if (tile[i ^ 1] > 5) // BUG: shared_of_block
    out[i] = 1;
}
TWINS(shared_of_block, int blocks, 5, 6) {
  WITH_OUT((first_block_only<<<6, kCount>>>(blocks, out)));
}

__global__ void histogram(int n, int clears, int *out) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16 && clears)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 16], n);
  __syncthreads();
  if (threadIdx.x < 16 && bins[threadIdx.x] > 3) // BUG: shared_histogram
    out[threadIdx.x] = 1;
}
TWINS(shared_histogram, int clears, 0, 1) {
  WITH_OUT((histogram<<<2, kCount>>>(1, clears, out)));
}

// A pointer that may lead to shared or to global memory, through a call.
__device__ __noinline__ int *choose(int *shared, int *global, int is_shared) {
  return is_shared ? shared : global;
}
__global__ void chosen(int n, int is_shared, int *out) {
  __shared__ int tile[kCount];
  int i = threadIdx.x;
  if (i < n)
    tile[i] = i;
  __syncthreads();
  int *p = choose(tile, out, is_shared);
  if (p[kCount - 1 - i] > 5) // BUG: shared_pointer
    atomicAdd(&out[kCount + i], 1);
}
TWINS(shared_pointer, int n, kCount - 1, kCount) {
  WITH_OUT((chosen<<<2, kCount>>>(n, 1, out), chosen<<<2, kCount>>>(n, 0, out)));
}

__global__ void two_types(int n, int *out) {
  __shared__ union {
    double wide[kCount];
    int narrow[kCount];
  } u;
  int i = threadIdx.x;
  u.wide[i] = i;
  __syncthreads();
  double v = u.wide[kCount - 1 - i];
  __syncthreads();
  if (i < n)
    u.narrow[i] = (int)v;
  __syncthreads();
  if (u.narrow[i] > 3)
    atomicAdd(out, 1);
}
CASE(shared_union) {
  WITH_OUT((two_types<<<2, kCount>>>(kCount, out)); EXPECT(value(out) == 2 * 60));
}

struct Padded {
  char tag;
  int value;
};
__global__ void padded(int *out) {
  __shared__ Padded items[kCount];
  int i = threadIdx.x;
  Padded mine;
  mine.tag = (char)i;
  mine.value = 2 * i;
  items[i] = mine;
  __syncthreads();
  Padded other = items[i ^ 1];
  if (other.tag + other.value == 3 * (i ^ 1))
    atomicAdd(out, 1);
}
CASE(shared_padding) {
  WITH_OUT((padded<<<2, kCount>>>(out)); EXPECT(value(out) == 2 * kCount));
}

// The lanes of a warp, in lock step: all lanes read, also those whose value is not used.
__global__ void scan_warp(int *out) {
  __shared__ int values[32 + kCount];
  int i = threadIdx.x;
  values[32 + i] = 1;
  __syncwarp();
  for (int step = 1; step < 32; step *= 2) {
    int lower = values[32 + i - step], lane = i % 32;
    __syncwarp();
    values[32 + i] += lane >= step ? lower : 0;
    __syncwarp();
  }
  int total = __shfl_sync(~0u, values[32 + i], 31);
  if (total == 32)
    atomicAdd(out, 1);
}
CASE(shared_warp) {
  WITH_OUT((scan_warp<<<2, kCount>>>(out)); EXPECT(value(out) == 2 * kCount));
}

// Written through inline PTX, which has no shadow.
__global__ void by_ptx(int *out) {
  __shared__ int tile[kCount];
  int i = threadIdx.x;
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[i]);
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(i) : "memory");
  __syncthreads();
  if (tile[kCount - 1 - i] > 5)
    atomicAdd(out, 1);
}
CASE(shared_by_ptx) {
  WITH_OUT((by_ptx<<<2, kCount>>>(out)); EXPECT(value(out) == 2 * 58));
}

__global__ void over_grid(int n, int *out) {
  __shared__ int tile[kCount];
  int i = threadIdx.x;
  if (i < n)
    tile[i] = i;
  cooperative_groups::this_grid().sync();
  if (tile[kCount - 1 - i] > 5) // BUG: shared_over_grid
    atomicAdd(out, 1);
}
TWINS(shared_over_grid, int n, kCount - 1, kCount) {
  int *out = buffer<int>(1);
  void *arguments[] = {&n, &out};
  CU(cudaLaunchCooperativeKernel((void *)over_grid, dim3(3), dim3(kCount), arguments, 0, 0));
  LAUNCHED();
  release(out);
}

// ---- dynamic shared memory

extern __shared__ int pieces[];

__global__ void two_pieces(int n, int *out) {
  int *first = pieces;
  float *second = (float *)(pieces + kCount);
  int i = threadIdx.x;
  first[i] = i;
  if (i < n)
    second[i] = i * 0.5f;
  __syncthreads();
  if (first[kCount - 1 - i] + second[i ^ 1] > 9) // BUG: shared_dynamic
    out[i] = 1;
}
TWINS(shared_dynamic, int n, kCount - 2, kCount) {
  WITH_OUT((two_pieces<<<2, kCount, 2 * kCount * sizeof(int)>>>(n, out)));
}

// ---- memory that kernels allocate

__global__ void by_malloc(int n, int *out) {
  int *list = (int *)malloc(kCount * sizeof(int));
  for (int i = 0; i < n; i++)
    list[i] = i;
  for (int i = 0; i < kCount; i++)
    if (list[i] == 5) // BUG: heap_malloc
      out[threadIdx.x] = 1;
  free(list);
}
TWINS(heap_malloc, int n, kCount - 1, kCount) {
  WITH_OUT((by_malloc<<<1, 4>>>(n, out)));
}

struct Node {
  Node *next;
  int key;
};
__global__ void by_new(int links, int *out) {
  Node *node = new Node;
  node->key = 3;
  if (links)
    node->next = nullptr;
  for (Node *n = node; n; n = n->next) // BUG: heap_new
    out[threadIdx.x] += n->key;
  delete node;
}
TWINS(heap_new, int links, 0, 1) {
  WITH_OUT((by_new<<<1, 2>>>(links, out)));
}

__global__ void again(int n, int *out) {
  for (int round = 0; round < 3; round++) {
    int *list = new int[kCount];
    for (int i = 0; i < (round == 2 ? n : kCount); i++)
      list[i] = i;
    if (list[kCount - 1] == 5) // BUG: heap_again
      out[threadIdx.x] = 1;
    delete[] list;
  }
}
TWINS(heap_again, int n, kCount - 1, kCount) {
  WITH_OUT((again<<<1, 4>>>(n, out)));
}

// ---- local variables

__global__ void local_ring(int n, int start, int *out) {
  int ring[8];
  for (int i = 0; i < n; i++)
    ring[(start + i) % 8] = i;
  if (ring[threadIdx.x % 8] == 3) // BUG: local_array
    out[threadIdx.x] = 1;
}
TWINS(local_array, int n, 7, 8) {
  WITH_OUT((local_ring<<<2, kCount>>>(n, 5, out)));
}

__global__ void local_index(int n, int start, const int *in, int *out) {
  int order[8];
  for (int i = 0; i < n; i++)
    order[(start + i) % 8] = i;
  out[threadIdx.x] = in[order[threadIdx.x % 8] & 7]; // BUG: local_index
}
TWINS(local_index, int n, 7, 8) {
  WITH_OUT((local_index<<<1, kCount>>>(n, 5, out + kCount, out)));
}

// The value of a parameter is in memory without optimisation, and LLVM folds it otherwise.
__global__ void local_scalar(int sets, const int *in, int *out) {
  int x;
  if (sets)
    x = in[0];
  if (x == 3) // BUG: local_scalar
    out[threadIdx.x] = 1;
}
TWINS(local_scalar, int sets, 0, 1) {
  WITH_OUT((local_scalar<<<1, kCount>>>(sets, out + kCount, out)));
}

// A local array is used as a whole after each element was written, by loops that the compiler does not unroll.
__global__ void local_sort(const int *in, int n, int *out) {
  int list[16];
  for (int i = 0; i < n; i++) {
    int v = in[(threadIdx.x + i * 7) % kCount], at = i;
    for (; at > 0 && list[at - 1] > v; at--)
      list[at] = list[at - 1];
    list[at] = v;
  }
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += list[i] * i;
  if (sum > 3)
    atomicAdd(out, 1);
}
CASE(local_filled) {
  WITH_OUT((local_sort<<<1, kCount>>>(out + kCount, 16, out)));
}

struct Options {
  unsigned low : 4, flag : 1, high : 11;
  short other;
};
__global__ void local_bits(int n, int *out) {
  Options all[4];
  for (int i = 0; i < 4; i++)
    all[(i + n) % 4].flag = i & 1;
  if (all[threadIdx.x % 4].flag)
    atomicAdd(out, 1);
}
CASE(local_bit_field) {
  WITH_OUT((local_bits<<<1, kCount>>>(1, out)); EXPECT(value(out) == kCount / 2));
}

// Padding between the arguments of printf, and a structure that only a callee fills.
struct Filled {
  int a[4];
  __device__ __noinline__ void fill(int v) {
    for (int i = 0; i < 4; i++)
      a[i] = v + i;
  }
};
__global__ void local_filled_by_callee(int *out) {
  Filled f;
  f.fill(threadIdx.x);
  if (f.a[threadIdx.x % 4] > 3)
    atomicAdd(out, 1);
  if (threadIdx.x == 0)
    printf("%d %f %c\n", f.a[1], 0.5, 'x');
}
CASE(local_of_callee) {
  WITH_OUT((local_filled_by_callee<<<1, kCount>>>(out)));
}

// ---- copies and fills of what a kernel has written with uninitialised values

__global__ void copy_all(const int *in, int *copy) {
  copy[THREAD] = in[THREAD];
}
__global__ void branch_on(const int *in, int *out) {
  if (in[THREAD] > 3) // BUG: device_copy
    out[THREAD] = 1;
}
TWINS(device_copy, bool fills, false, true) {
  int *in = fresh<int>(kCount), *copy = fresh<int>(kCount), host[kCount] = {};
  if (fills)
    CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(copy, in, sizeof host, cudaMemcpyDeviceToDevice));
  WITH_OUT((branch_on<<<1, kCount>>>(copy, out)));
  release(in);
  release(copy);
}

CASE(overwritten_by_host) {
  int *in = fresh<int>(kCount), *copy = fresh<int>(kCount), host[kCount] = {1, 7};
  copy_all<<<1, kCount>>>(in, copy);
  CU(cudaMemcpy(copy, host, sizeof host, cudaMemcpyHostToDevice));
  WITH_OUT((branch_on<<<1, kCount>>>(copy, out)));
  release(in);
  release(copy);
}

CASE(overwritten_by_fill) {
  int *in = fresh<int>(kCount), *copy = fresh<int>(kCount);
  copy_all<<<1, kCount>>>(in, copy);
  CU(cudaMemset2DAsync(copy, 16, 0, 16, kCount * sizeof(int) / 16, 0));
  WITH_OUT((branch_on<<<1, kCount>>>(copy, out)));
  release(in);
  release(copy);
}

CASE(overwritten_in_managed) {
  int *in = fresh<int>(kCount), *managed;
  CU(cudaMallocManaged(&managed, kCount * sizeof(int)));
  copy_all<<<1, kCount>>>(in, managed);
  CU(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; i++)
    managed[i] = i;
  WITH_OUT((branch_on<<<1, kCount>>>(managed, out)));
  release(in);
  release(managed);
}

// A host function has the place of a library, whose writes CuSafe does not see.
static void CUDART_CB overwrite(void *data) {
  for (int i = 0; i < kCount; i++)
    ((volatile int *)data)[i] = 5;
}
CASE(overwritten_by_library) {
  int *in = fresh<int>(kCount), *copy = fresh<int>(kCount);
  copy_all<<<1, kCount>>>(in, copy);
  CU(cudaLaunchHostFunc(0, overwrite, copy));
  WITH_OUT((branch_on<<<1, kCount>>>(copy, out)));
  release(in);
  release(copy);
}
