// pointers.cu: pointers that are null, misaligned or wild.
#include "case.h"

__global__ void get(const int *p, int *out) {
  out[0] = *p; // BUG: null_read
}

TWINS(null_read, bool null, true, false) {
  int *a = buffer<int>(4), *out = buffer<int>(1);
  get<<<1, 1>>>(null ? nullptr : a, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void put(int *p, int i, int v) {
  p[i] = v; // BUG: null_write_index
}

TWINS(null_write_index, bool null, true, false) {
  int *a = buffer<int>(400);
  put<<<1, 1>>>(null ? nullptr : a, 300, 7);
  LAUNCHED();
  EXPECT(value(a + 300) == 7);
  release(a);
}

struct Node {
  Node *next;
  int numbers[4];
};

__global__ void last_of(const Node *list, int steps, int *out) {
  for (int i = 0; i < steps; i++)
    list = list->next;
  out[0] = list->numbers[2]; // BUG: null_member
}

TWINS(null_member, int steps, 2, 1) {
  Node *a = buffer<Node>(1), *b = buffer<Node>(1);
  int *out = buffer<int>(1);
  CU(cudaMemcpy(&a->next, &b, sizeof b, cudaMemcpyHostToDevice));
  last_of<<<1, 1>>>(a, steps, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(b), release(out);
}

__global__ void count(int *p) {
  atomicAdd(p, 1); // BUG: null_atomic
}

TWINS(null_atomic, bool null, true, false) {
  int *a = buffer<int>(1);
  count<<<1, 32>>>(null ? nullptr : a);
  LAUNCHED();
  EXPECT(value(a) == 32);
  release(a);
}

__global__ void get_int(const char *a, int offset, int *out) {
  out[0] = *(const int *)(a + offset); // BUG: misaligned_int
}

TWINS(misaligned_int, int offset, 6, 8) {
  char *a = buffer<char>(64);
  int *out = buffer<int>(1);
  get_int<<<1, 1>>>(a, offset, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void put_double(float *a, int i, double v) {
  *(double *)&a[i] = v; // BUG: misaligned_double
}

TWINS(misaligned_double, int i, 3, 4) {
  float *a = buffer<float>(16);
  put_double<<<1, 1>>>(a, i, 1.5);
  LAUNCHED();
  EXPECT(value((double *)(a + 4)) == 1.5);
  release(a);
}

__global__ void get_vector(const float *a, int i, float *out) {
  float4 v = *(const float4 *)&a[i]; // BUG: misaligned_vector
  out[0] = v.x + v.y + v.z + v.w;
}

TWINS(misaligned_vector, int i, 2, 4) {
  float *a = buffer<float>(16), *out = buffer<float>(1);
  get_vector<<<1, 1>>>(a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

// A field in a packed stream, read through a cast pointer.
__global__ void shared_int(int *out, int offset, char v) {
  __shared__ alignas(8) char text[32];
  text[threadIdx.x] = v;
  __syncthreads();
  out[threadIdx.x] = *(int *)&text[offset];
}

TWINS(misaligned_shared, int offset, 5, 4) {
  int *out = buffer<int>(32);
  shared_int<<<1, 32>>>(out, offset, 0);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(out);
}

__global__ void get_at(unsigned long long address, int *out) {
  out[0] = *(const int *)address; // BUG: wild_bits
}

// One flipped bit in an address, which now points to memory that was never allocated.
TWINS(wild_bits, unsigned long long flip, 1ull << 39, 0) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  get_at<<<1, 1>>>((unsigned long long)a ^ flip, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void call_through(int *const *table, int i, int v) {
  *table[i] = v; // BUG: null_in_table
}

// The table's last entry was never set.
TWINS(null_in_table, int i, 1, 0) {
  int *a = buffer<int>(1), **table = buffer<int *>(2);
  CU(cudaMemcpy(table, &a, sizeof a, cudaMemcpyHostToDevice));
  call_through<<<1, 1>>>(table, i, 7);
  LAUNCHED();
  EXPECT(value(a) == 7);
  release(a), release(table);
}

// A type that requires more alignment than its memory has: a GPU requires only that an access is aligned to its size.
struct alignas(32) Wide {
  int v[8];
};

__global__ void overaligned(char *memory, int *out) {
  __shared__ __align__(16) char storage[16 + sizeof(Wide)];
  Wide *global = (Wide *)(memory + 16), *shared = (Wide *)(storage + 16);
  shared->v[0] = global->v[0] + 1;
  global->v[4] = shared->v[0];
  out[0] = global->v[4];
}

CASE(overaligned_type) {
  char *memory = buffer<char>(16 + sizeof(Wide));
  int *out = buffer<int>(1);
  overaligned<<<1, 1>>>(memory, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(memory), release(out);
}
