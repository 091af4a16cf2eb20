// widths.cu: accesses of every width and kind that reach past the end of cudaMalloc's memory.
#include "case.h"

__global__ void get_vector(const float4 *a, int i, float *out) {
  float4 v = a[i]; // BUG: vector_straddles
  out[0] = v.x + v.y + v.z + v.w;
}

// 24 bytes: half of the second float4 is in bounds.
TWINS(vector_straddles, int i, 1, 0) {
  float *a = buffer<float>(6), *out = buffer<float>(1);
  get_vector<<<1, 1>>>((float4 *)a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void put_double(double *a, int i, double v) {
  a[i] = v; // BUG: double_straddles
}

TWINS(double_straddles, int i, 3, 2) {
  float *a = buffer<float>(7);
  put_double<<<1, 1>>>((double *)a, i, 1.5);
  LAUNCHED();
  EXPECT(value((double *)a + 2) == 1.5);
  release(a);
}

__global__ void put_byte(char *a, int i, char v) {
  a[i] = v; // BUG: byte_past_odd_size byte_past_megabytes
}

TWINS(byte_past_odd_size, int i, 13, 12) {
  char *a = buffer<char>(13);
  put_byte<<<1, 1>>>(a, i, 'x');
  LAUNCHED();
  EXPECT(value(a + 12) == 'x');
  release(a);
}

TWINS(byte_past_megabytes, int i, 2 << 20, (2 << 20) - 1) {
  char *a = buffer<char>(2 << 20);
  put_byte<<<1, 1>>>(a, i, 'x');
  LAUNCHED();
  EXPECT(value(a + (2 << 20) - 1) == 'x');
  release(a);
}

struct Record {
  int v[12];
};

__global__ void copy_record(Record *to, const Record *from, int i) {
  to[0] = from[i]; // BUG: struct_copy
}

TWINS(struct_copy, int i, 5, 4) {
  Record *from = buffer<Record>(5), *to = buffer<Record>(1);
  copy_record<<<1, 1>>>(to, from, i);
  LAUNCHED();
  EXPECT(value(&to->v[11]) == 0);
  release(from), release(to);
}

__global__ void add(int *a, int i) {
  atomicAdd(&a[i], 1); // BUG: atomic_past_end
}

TWINS(atomic_past_end, int i, 10, 9) {
  int *a = buffer<int>(10);
  add<<<1, 32>>>(a, i);
  LAUNCHED();
  EXPECT(value(a + 9) == 32);
  release(a);
}

__global__ void swap(unsigned long long *a, int i, unsigned long long v, unsigned long long *out) {
  out[0] = atomicCAS(&a[i], 0, v); // BUG: atomic_before_start
}

TWINS(atomic_before_start, int i, -1, 0) {
  unsigned long long *a = buffer<unsigned long long>(4), *out = buffer<unsigned long long>(1);
  swap<<<1, 1>>>(a, i, 9, out);
  LAUNCHED();
  EXPECT(value(a) == 9);
  release(a), release(out);
}

__global__ void clear(char *a, size_t bytes) {
  memset(a, 1, bytes); // BUG: device_memset
}

TWINS(device_memset, size_t bytes, 101, 100) {
  char *a = buffer<char>(100);
  clear<<<1, 1>>>(a, bytes);
  LAUNCHED();
  EXPECT(value(a + 99) == 1);
  release(a);
}

__global__ void copy(char *to, const char *from, size_t bytes) {
  memcpy(to, from, bytes); // BUG: device_memcpy_from device_memcpy_to
}

TWINS(device_memcpy_from, size_t bytes, 100, 60) {
  char *from = buffer<char>(60), *to = buffer<char>(100);
  copy<<<1, 1>>>(to, from, bytes);
  LAUNCHED();
  release(from), release(to);
}

TWINS(device_memcpy_to, size_t bytes, 100, 60) {
  char *from = buffer<char>(100), *to = buffer<char>(60);
  copy<<<1, 1>>>(to, from, bytes);
  LAUNCHED();
  release(from), release(to);
}

// Three of four members: LLVM merges their accesses into one with a gap. The last element ends after its third member.
__global__ void three_of_four(const float4 *a, int i, float *out) {
  const float4 *p = &a[i];
  out[0] = p->x + p->y * p->z; // BUG: vector_with_gap
}

TWINS(vector_with_gap, int i, 2, 1) {
  char *a = buffer<char>(28);
  float *out = buffer<float>(1);
  three_of_four<<<1, 1>>>((float4 *)a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void three_of_four_written(float4 *a, int i, float v) {
  float4 *p = &a[i];
  p->x = v, p->y = v, p->w = v; // BUG: written_with_gap
}

TWINS(written_with_gap, int i, 2, 1) {
  char *a = buffer<char>(32);
  three_of_four_written<<<1, 1>>>((float4 *)a, i, 3);
  LAUNCHED();
  EXPECT(value((float *)(a + 28)) == 3 && value((float *)(a + 24)) == 0);
  release(a);
}
