// escapes_memory.cu: correct programs that store pointers in memory and load them again, and memory whose addresses have no tag.
#include "case.h"

struct View {
  int *data;
  int count;
  int *end;
};

__global__ void make_view(View *v, int *a, int n) {
  v->data = a, v->count = n, v->end = a + n;
}

__global__ void use_view(const View *from, View *to, int *out) {
  memcpy(to, from, sizeof *to);
  int sum = 0;
  for (int *p = to->data; p != to->end; p++)
    sum += *p + 1;
  out[0] = sum;
}

CASE(struct_with_pointers) {
  int *a = buffer<int>(9), *out = buffer<int>(1);
  View *v = buffer<View>(3);
  make_view<<<1, 1>>>(v, a, 9);
  CU(cudaMemcpy(v + 1, v, sizeof(View), cudaMemcpyDeviceToDevice));
  use_view<<<1, 1>>>(v + 1, v + 2, out);
  LAUNCHED();
  EXPECT(value(out) == 9);
  release(a), release(out), release(v);
}

__global__ void view_by_value(View v, int *out) {
  out[0] = v.data[v.count - 1] + (int)(v.end - v.data);
}

CASE(struct_by_value) {
  int *a = buffer<int>(9), *out = buffer<int>(1);
  view_by_value<<<1, 1>>>(View{a, 9, a + 9}, out);
  LAUNCHED();
  EXPECT(value(out) == 9);
  release(a), release(out);
}

// The device passes a host pointer on without dereferencing it.
__global__ void carry(void *const *from, void **to) {
  to[0] = from[0];
  to[1] = (char *)from[0] + 1;
}

CASE(host_pointer_carried) {
  int local = 5;
  void *p = &local, **a = buffer<void *>(1), **b = buffer<void *>(2);
  CU(cudaMemcpy(a, &p, sizeof p, cudaMemcpyHostToDevice));
  carry<<<1, 1>>>(a, b);
  LAUNCHED();
  EXPECT(value(b) == p && value(b + 1) == (char *)p + 1);
  release(a), release(b);
}

// -1 and other sentinel values that are not addresses.
__global__ void sentinel(int **box, int *a, int *out) {
  box[0] = (int *)-1;
  box[1] = a;
  box[2] = (int *)0xdeadbeefdeadbeefull;
  int sum = 0;
  for (int i = 0; i < 3; i++)
    if (box[i] != (int *)-1 && box[i] != (int *)0xdeadbeefdeadbeefull)
      sum += *box[i] + 1;
  out[0] = sum;
}

CASE(sentinel_pointers) {
  int *a = buffer<int>(1), *out = buffer<int>(1), **box = buffer<int *>(3);
  sentinel<<<1, 1>>>(box, a, out);
  LAUNCHED();
  EXPECT(value(out) == 1 && value(box) == (int *)-1);
  release(a), release(out), release(box);
}

__global__ void vectors(const float4 *a, float4 *b, int n) {
  int i = threadIdx.x;
  if (i < n) {
    float4 v = a[i];
    b[i] = make_float4(v.w, v.z, v.y, v.x + 1);
  }
}

CASE(vector_loads) {
  float4 *a = buffer<float4>(17), *b = buffer<float4>(17);
  vectors<<<1, 32>>>(a, b, 17);
  LAUNCHED();
  EXPECT(value(b + 16).w == 1);
  release(a), release(b);
}

// Four adjacent loads that the compiler may merge.
__global__ void neighbours(const int *a, int *out) {
  int i = 4 * threadIdx.x;
  out[threadIdx.x] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
}

CASE(merged_loads) {
  int *a = buffer<int>(64), *out = buffer<int>(16);
  neighbours<<<1, 16>>>(a, out);
  LAUNCHED();
  EXPECT(value(out + 15) == 0);
  release(a), release(out);
}

// Pointers to three kinds of memory in one array, selected at run time.
__device__ int variable[4];

__global__ void mixed(int *a, int which, int i, int *out) {
  __shared__ int shared[4];
  int local[4], *all[4] = {a, shared, local, variable};
  for (int k = 0; k < 4; k++)
    shared[k] = 10 + k, local[k] = 20 + k, variable[k] = 30 + k;
  out[0] = all[which][i];
}

CASE(mixed_kinds) {
  int *a = buffer<int>(4), *out = buffer<int>(4);
  for (int which = 0; which < 4; which++)
    mixed<<<1, 1>>>(a, which, 3, out + which);
  LAUNCHED();
  EXPECT(value(out) == 0 && value(out + 1) == 13 && value(out + 2) == 23 && value(out + 3) == 33);
  release(a), release(out);
}

// The host passes the address of a module variable.
__global__ void put(int *p, int i, int v) {
  p[i] = v;
}

CASE(symbol_address) {
  void *address;
  int host[4];
  CU(cudaGetSymbolAddress(&address, variable));
  put<<<1, 1>>>((int *)address, 3, 99);
  LAUNCHED();
  CU(cudaMemcpyFromSymbol(host, variable, sizeof host));
  EXPECT(host[3] == 99);
}

// A lock-free stack: 64-bit compare-and-swap exchanges the pointers.
struct Cell {
  Cell *next;
  int number;
};

__global__ void push(unsigned long long *top, Cell *cells) {
  Cell *mine = &cells[blockIdx.x * blockDim.x + threadIdx.x];
  mine->number = 1;
  unsigned long long old = *top, seen;
  do {
    seen = old;
    mine->next = (Cell *)seen;
    old = atomicCAS(top, seen, (unsigned long long)mine);
  } while (old != seen);
}

__global__ void count(const unsigned long long *top, int *out) {
  for (Cell *c = (Cell *)*top; c; c = c->next)
    out[0] += c->number;
}

CASE(lock_free_stack) {
  unsigned long long *top = buffer<unsigned long long>(1);
  Cell *cells = buffer<Cell>(256);
  int *out = buffer<int>(1);
  push<<<4, 64>>>(top, cells);
  count<<<1, 1>>>(top, out);
  LAUNCHED();
  EXPECT(value(out) == 256);
  release(top), release(cells), release(out);
}

// Lock-free lists mark a node as deleted in the lowest bit of its link, even if the link is null.
__global__ void mark(Cell *cells) {
  int t = threadIdx.x;
  cells[t].next = (Cell *)((uintptr_t)(t % 2 ? &cells[t - 1] : nullptr) | 1);
}

__global__ void follow(Cell *cells, int *out) {
  int t = threadIdx.x;
  Cell *before = (Cell *)((uintptr_t)cells[t].next & ~(uintptr_t)1);
  out[t] = before ? before - cells : -1;
}

CASE(marked_links) {
  Cell *cells = buffer<Cell>(64);
  int *out = buffer<int>(64);
  mark<<<1, 64>>>(cells);
  follow<<<1, 64>>>(cells, out);
  LAUNCHED();
  EXPECT(value(out) == -1 && value(out + 63) == 62);
  release(cells), release(out);
}

// The program's own allocator: sub-allocations of one buffer.
__global__ void take(char *arena, unsigned *used, int **box) {
  unsigned at = atomicAdd(used, 16u);
  int *p = (int *)(arena + at);
  for (int k = 0; k < 4; k++)
    p[k] = threadIdx.x;
  box[threadIdx.x] = p;
}

CASE(own_allocator) {
  char *arena = buffer<char>(64 * 16);
  unsigned *used = buffer<unsigned>(1);
  int **box = buffer<int *>(64);
  take<<<1, 64>>>(arena, used, box);
  LAUNCHED();
  EXPECT(value(value(box + 63) + 3) == 63);
  release(arena), release(used), release(box);
}

// Dynamic shared memory carved into three arrays of different types.
extern __shared__ double carved[];

__global__ void carve(int n, double *out) {
  double *a = carved;
  int *b = (int *)(a + n);
  char *c = (char *)(b + n);
  int t = threadIdx.x;
  a[t] = t, b[t] = 2 * t, c[t] = 1;
  __syncthreads();
  out[t] = a[n - 1 - t] + b[t] + c[t];
}

CASE(carved_shared) {
  double *out = buffer<double>(30);
  carve<<<1, 30, 30 * (8 + 4 + 1)>>>(30, out);
  LAUNCHED();
  EXPECT(value(out + 29) == 0 + 58 + 1);
  release(out);
}

// A stale pointer is compared, but never dereferenced, while a new buffer is in use.
__global__ void is_same(const int *p, const int *q, int *out) {
  out[0] = p == q;
}

CASE(stale_pointer_compared) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  release(a);
  int *b = buffer<int>(16);
  is_same<<<1, 1>>>(a, b, out);
  LAUNCHED();
  release(b), release(out);
}
