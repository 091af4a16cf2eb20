// misses.cu: bugs that CuSafe is known not to detect; the manifest states why. Once one is detected, it becomes a bad case.
#include "case.h"

__global__ void put(int *a, long i, int v) {
  a[i] = v;
}

CASE(pitch_padding) {
  char *a;
  size_t pitch;
  CU(cudaMallocPitch((void **)&a, &pitch, 100, 10));
  put<<<1, 1>>>((int *)a, 100 / sizeof(int), 7);
  LAUNCHED();
  CU(cudaFree(a));
}

// The program treats the second half of the buffer as another object.
CASE(own_allocator_overflow) {
  int *arena = buffer<int>(64), *first = arena;
  put<<<1, 1>>>(first, 32, 7);
  LAUNCHED();
  EXPECT(value(arena + 32) == 7);
  release(arena);
}

extern __shared__ int dynamic[];

__global__ void carve(int *out, int n, int i) {
  int *a = dynamic, *b = dynamic + n, t = threadIdx.x;
  a[t] = 1, b[t] = 2;
  __syncthreads();
  out[t] = a[i];
}

CASE(carved_overflow) {
  int *out = buffer<int>(8);
  carve<<<1, 8, 16 * sizeof(int)>>>(out, 8, 8);
  LAUNCHED();
  EXPECT(value(out) == 2);
  release(out);
}

__global__ void by_number(unsigned long long a, long long distance, int v) {
  *(int *)(a + distance) = v;
}

CASE(forged_by_integers) {
  int *a = buffer<int>(16), *b = buffer<int>(16);
  by_number<<<1, 1>>>((unsigned long long)a, (char *)b - (char *)a, 7);
  LAUNCHED();
  EXPECT(value(b) == 7);
  release(a), release(b);
}

struct Pair {
  int a[4];
  int b[4];
};

__noinline__ __device__ void write(int *p, int i, int v) {
  p[i] = v;
}

__global__ void member_lent(Pair *s, int i) {
  write(s->a, i, 7);
}

CASE(member_through_callee) {
  Pair *s = buffer<Pair>(1);
  member_lent<<<1, 1>>>(s, 5);
  LAUNCHED();
  EXPECT(value(&s->b[1]) == 7);
  release(s);
}

__global__ void member_copied(Pair *s, const int *from, int bytes) {
  memcpy(s->a, from, bytes);
}

CASE(member_by_memcpy) {
  Pair *s = buffer<Pair>(1);
  int *from = buffer<int>(8);
  member_copied<<<1, 1>>>(s, from, 20);
  LAUNCHED();
  release(s), release(from);
}

__device__ int variable[12];

// The kernel only reads: the memory after the variable belongs to another one.
__global__ void read_only(const int *p, int i, int *out) {
  out[0] = p[i];
}

CASE(symbol_address_overflow) {
  void *address;
  int *out = buffer<int>(1);
  CU(cudaGetSymbolAddress(&address, variable));
  read_only<<<1, 1>>>((int *)address, 12, out);
  LAUNCHED();
  release(out);
}

// The registered memory's host address works on the device too, and carries no tag.
CASE(registered_by_host_address) {
  int *a = (int *)calloc(64, sizeof(int)), *out = buffer<int>(1);
  CU(cudaHostRegister(a, 32 * sizeof(int), cudaHostRegisterMapped));
  read_only<<<1, 1>>>(a, 32, out);
  LAUNCHED();
  CU(cudaHostUnregister(a));
  free(a), release(out);
}

struct Argument {
  int *p;
  int n;
};

__global__ void only_counts(Argument x, int *out) {
  out[0] = x.n;
}

CASE(stale_in_struct) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  release(a);
  only_counts<<<1, 1>>>(Argument{a, 3}, out);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

// A kernel parameter read past its end.
__global__ void parameter(Pair x, int i, int *out) {
  out[0] = ((const int *)&x)[i];
}

CASE(parameter_overflow) {
  int *out = buffer<int>(1);
  parameter<<<1, 1>>>(Pair{{1, 2, 3, 4}, {5, 6, 7, 8}}, 8, out);
  LAUNCHED();
  release(out);
}

// Nothing reads the array, so the optimiser removes it. Without the pointer, clang would diagnose the index.
__global__ void dead_store(int i, int *out) {
  int a[4], *p = a;
  p[i] = 1;
  out[0] = 3;
}

CASE(dead_local_store) {
  int *out = buffer<int>(1);
  dead_store<<<1, 1>>>(4, out);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}
