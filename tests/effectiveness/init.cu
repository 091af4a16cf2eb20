// init.cu: kernels that use memory which was never written, and code that only loads or copies it (--detect=init).
#include "case.h"

enum { kCount = 64 };

// Memory that is not zeroed, unlike that of buffer().
template <typename T> static T *fresh(size_t count) {
  void *p;
  CU(cudaMalloc(&p, count * sizeof(T)));
  return (T *)p;
}

#define THREAD (int)(blockIdx.x * blockDim.x + threadIdx.x)

__global__ void number(int *a, int n) {
  int i = THREAD;
  if (i < n)
    a[i] = i;
}

// A buffer whose first n elements are their numbers.
static int *numbered(int n) {
  int *a = fresh<int>(kCount);
  number<<<1, kCount>>>(a, n);
  return a;
}

// Runs a kernel with a buffer of which `known` elements were written.
#define RUN(kernel, known)                                                                                             \
  int *in = numbered(known), *out = buffer<int>(kCount);                                                               \
  kernel<<<1, kCount>>>(in, out);                                                                                      \
  LAUNCHED();                                                                                                          \
  release(in);                                                                                                         \
  release(out)

__global__ void branch_on(const int *in, int *out) {
  int i = THREAD, v = in[i];
  if (v > 3) // BUG: branch
    out[i] = v;
}
TWINS(branch, int known, kCount - 1, kCount) {
  RUN(branch_on, known);
}

__global__ void index_by(const int *in, int *out) {
  int i = THREAD;
  atomicAdd(&out[in[i] & (kCount - 1)], 1); // BUG: address
}
TWINS(address, int known, kCount - 1, kCount) {
  RUN(index_by, known);
}

__global__ void divide_by(const int *in, int *out) {
  int i = THREAD;
  out[i] = 1000 / (in[i] | 1 << 20); // BUG: divisor
}
TWINS(divisor, int known, kCount - 1, kCount) {
  RUN(divide_by, known);
}

__global__ void sum_up(const int *in, int *out) {
  int sum = 0;
  for (int i = 0; i < kCount; i++)
    sum += in[i];
  if (sum == 17) // BUG: sum
    out[THREAD] = sum;
}
TWINS(sum, int known, kCount - 1, kCount) {
  RUN(sum_up, known);
}

__global__ void loop_to(const int *in, int *out) {
  int n = in[kCount - 1];
  for (int i = 0; i < n && i < kCount; i++) // BUG: loop_bound
    out[i] = 1;
}
TWINS(loop_bound, int known, kCount - 1, kCount) {
  RUN(loop_to, known);
}

__global__ void select_case(const int *in, int *out) {
  int i = THREAD;
  switch (in[i] % 5) { // BUG: switched
  case 0:
    out[i] = 7;
    break;
  case 1:
    out[0] = 8;
    break;
  case 2:
    atomicAdd(out, 3);
    break;
  default:
    break;
  }
}
TWINS(switched, int known, kCount - 1, kCount) {
  RUN(select_case, known);
}

__global__ void compare_float(const int *in, int *out) {
  int i = THREAD;
  float f = in[i] * 0.5f + 1;
  if (f < 9) // BUG: float_compared
    out[i] = 1;
}
TWINS(float_compared, int known, kCount - 1, kCount) {
  RUN(compare_float, known);
}

__global__ void reduce_warp(const int *in, int *out) {
  int v = in[THREAD];
  for (int s = 16; s > 0; s /= 2)
    v += __shfl_down_sync(~0u, v, s);
  if (threadIdx.x % 32 == 0 && v > 5) // BUG: shuffled
    out[threadIdx.x] = v;
}
TWINS(shuffled, int known, kCount - 1, kCount) {
  RUN(reduce_warp, known);
}

// Only with init=load: what is loaded decides nothing.
__global__ void add_number(const int *in, int *out) {
  int i = THREAD;
  out[i] = in[i] + i; // BUG: load
}
TWINS(load, int known, kCount - 1, kCount) {
  RUN(add_number, known);
}
CASE(load_quiet) {
  RUN(add_number, kCount - 1);
}

__global__ void reverse_of(const int *in, int *out) {
  __shared__ int tile[kCount];
  int i = THREAD;
  if (i < in[0])
    tile[i] = in[i];
  __syncthreads();
  out[i] = tile[kCount - 1 - i]; // BUG: load_of_shared
}
TWINS(load_of_shared, int written, kCount - 2, kCount) {
  int *in = numbered(kCount), *out = buffer<int>(kCount);
  CU(cudaMemcpy(in, &written, sizeof written, cudaMemcpyHostToDevice));
  reverse_of<<<1, kCount>>>(in, out);
  LAUNCHED();
  release(in);
  release(out);
}

// Copying is no use, and the copy is as uninitialised as its source.
__global__ void copy_all(const int *in, int *copy) {
  copy[THREAD] = in[THREAD];
}
__global__ void branch_on_copy(const int *copy, int *out) {
  int i = THREAD;
  if (copy[i] > 3) // BUG: copied
    out[i] = 1;
}
TWINS(copied, int known, kCount - 1, kCount) {
  int *in = numbered(known), *copy = fresh<int>(kCount), *out = buffer<int>(kCount);
  copy_all<<<1, kCount>>>(in, copy);
  branch_on_copy<<<1, kCount>>>(copy, out);
  LAUNCHED();
  release(in);
  release(copy);
  release(out);
}

__global__ void count_into(int *sums) {
  atomicAdd(&sums[THREAD % 4], 1);
}
__global__ void judge_counts(const int *sums, int *out) {
  if (sums[THREAD % 4] > 3) // BUG: accumulator
    out[THREAD] = 1;
}
TWINS(accumulator, bool cleared, false, true) {
  int *sums = fresh<int>(4), *out = buffer<int>(kCount);
  if (cleared)
    CU(cudaMemset(sums, 0, 4 * sizeof(int)));
  count_into<<<1, kCount>>>(sums);
  judge_counts<<<1, kCount>>>(sums, out);
  LAUNCHED();
  release(sums);
  release(out);
}

struct Item {
  char tag;
  int value;
  double weight;
};
__global__ void write_items(Item *items, bool all) {
  Item *item = &items[THREAD];
  item->tag = 'a';
  item->weight = 2;
  if (all)
    item->value = 3;
}
__global__ void use_items(const Item *items, int *out) {
  Item item = items[THREAD]; // the padding is copied along
  if (item.tag == 'a' && item.weight > 1)
    out[THREAD] = 1;
  if (item.value > 2) // BUG: member
    out[THREAD] = 2;
}
TWINS(member, bool all, false, true) {
  Item *items = fresh<Item>(kCount);
  int *out = buffer<int>(kCount);
  write_items<<<1, kCount>>>(items, all);
  use_items<<<1, kCount>>>(items, out);
  LAUNCHED();
  release(items);
  release(out);
}

__global__ void take_lock(int *lock, int *out) {
  if (atomicCAS(lock, 0, 1) == 0) // BUG: lock
    out[0] = 1;
}
TWINS(lock, bool cleared, false, true) {
  int *word = fresh<int>(1), *out = buffer<int>(1);
  if (cleared)
    CU(cudaMemset(word, 0, sizeof(int)));
  take_lock<<<1, kCount>>>(word, out);
  LAUNCHED();
  release(word);
  release(out);
}

__global__ void print_one(const int *in) {
  printf("%d\n", in[kCount - 1]); // BUG: printed
}
TWINS(printed, int known, kCount - 1, kCount) {
  int *in = numbered(known);
  print_one<<<1, 1>>>(in);
  LAUNCHED();
  release(in);
}

__global__ void branch_on_copied_from_host(const int *in, int *out) {
  if (in[THREAD] > 3) // BUG: short_copy
    out[THREAD] = 1;
}
TWINS(short_copy, int count, kCount - 2, kCount) {
  int host[kCount] = {1, 2, 3}, *in = fresh<int>(kCount), *out = buffer<int>(kCount);
  CU(cudaMemcpy(in, host, count * sizeof(int), cudaMemcpyHostToDevice));
  branch_on_copied_from_host<<<1, kCount>>>(in, out);
  LAUNCHED();
  release(in);
  release(out);
}

__global__ void branch_on_old(const int *in, int *out) {
  if (in[THREAD] > 3) // BUG: allocated_again
    out[THREAD] = 1;
}
TWINS(allocated_again, bool filled, false, true) {
  int *out = buffer<int>(kCount), *in = nullptr;
  for (int i = 0; i < 3; i++) {
    CU(cudaMallocAsync((void **)&in, kCount * sizeof(int), 0));
    if (i < 2 || filled)
      CU(cudaMemsetAsync(in, 1, kCount * sizeof(int), 0));
    branch_on_old<<<1, kCount>>>(in, out);
    CU(cudaFreeAsync(in, 0));
  }
  LAUNCHED();
  release(out);
}

// A whole tile is loaded, and what is not valid is replaced later, by a condition, a mask or a factor.
__global__ void masked_tile(const int *in, int *out, int n) {
  int i = THREAD, v = in[i], w = in[kCount - 1 - i];
  v = i < n ? v : 0;
  w &= -(int)(kCount - 1 - i < n);
  if (v + w > 60)
    atomicAdd(out, 1);
}
CASE(tile) {
  int *in = numbered(40), *out = buffer<int>(1);
  masked_tile<<<1, kCount>>>(in, out, 40);
  LAUNCHED();
  EXPECT(value(out) == 16);
  release(in);
  release(out);
}

__global__ void scale_add(const float *a, float *c, float beta) {
  int i = THREAD;
  c[i] = beta == 0 ? a[i] : a[i] + beta * c[i];
}
__global__ void judge_all(const float *c, int *out) {
  if (c[THREAD] == 0)
    atomicAdd(out, 1);
}
CASE(beta_is_zero) {
  float *a = buffer<float>(kCount), *c = fresh<float>(kCount);
  int *out = buffer<int>(1);
  scale_add<<<1, kCount>>>(a, c, 0);
  judge_all<<<1, kCount>>>(c, out);
  LAUNCHED();
  EXPECT(value(out) == kCount);
  release(a);
  release(c);
  release(out);
}

__global__ void one_lane(const int4 *in, int *out) {
  int4 v = in[THREAD];
  if (v.y == 1)
    atomicAdd(out, 1);
}
__global__ void write_lane(int4 *in) {
  in[THREAD].y = 1;
}
CASE(lane_of_vector) {
  int4 *in = fresh<int4>(kCount);
  int *out = buffer<int>(1);
  write_lane<<<1, kCount>>>(in);
  one_lane<<<1, kCount>>>(in, out);
  LAUNCHED();
  EXPECT(value(out) == kCount);
  release(in);
  release(out);
}

struct Flags {
  unsigned low : 3, middle : 7, high : 11;
};
__global__ void set_flags(Flags *flags) {
  flags[THREAD].middle = 5;
}
__global__ void use_flags(const Flags *flags, int *out) {
  if (flags[THREAD].middle == 5)
    atomicAdd(out, 1);
}
CASE(bit_field) {
  Flags *flags = fresh<Flags>(kCount);
  int *out = buffer<int>(1);
  set_flags<<<1, kCount>>>(flags);
  use_flags<<<1, kCount>>>(flags, out);
  LAUNCHED();
  EXPECT(value(out) == kCount);
  release(flags);
  release(out);
}

CASE(used_part) {
  int *a = fresh<int>(1 << 20), *b = fresh<int>(1 << 20), *out = buffer<int>(kCount), host[kCount] = {};
  CU(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(b, a, (1 << 20) * sizeof(int), cudaMemcpyDeviceToDevice));
  branch_on<<<1, kCount>>>(b, out);
  LAUNCHED();
  release(a);
  release(b);
  release(out);
}

CASE(written_by_host) {
  int *managed, *pinned, *out = buffer<int>(kCount);
  CU(cudaMallocManaged(&managed, kCount * sizeof(int)));
  CU(cudaMallocHost(&pinned, kCount * sizeof(int)));
  branch_on<<<1, kCount>>>(managed, out);
  branch_on<<<1, kCount>>>(pinned, out);
  LAUNCHED();
  release(managed);
  CU(cudaFreeHost(pinned));
  release(out);
}

__global__ void seed(unsigned *state) {
  state[THREAD] = THREAD * 2654435761u + 1;
}
__global__ void draw(unsigned *state, int *out) {
  unsigned s = state[THREAD];
  for (int i = 0; i < 8; i++) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    if (s % 3 == 0)
      atomicAdd(&out[s % kCount], 1);
  }
  state[THREAD] = s;
}
CASE(seeds_in_memory) {
  unsigned *state = fresh<unsigned>(kCount);
  int *out = buffer<int>(kCount);
  seed<<<1, kCount>>>(state);
  draw<<<1, kCount>>>(state, out);
  draw<<<1, kCount>>>(state, out);
  LAUNCHED();
  release(state);
  release(out);
}

__global__ void through_shared(const int *in, int *out) {
  __shared__ int tile[kCount];
  int i = THREAD;
  tile[i] = in[i];
  __syncthreads();
  if (tile[kCount - 1 - i] > 3)
    out[i] = 1;
}
CASE(shared_memory) {
  RUN(through_shared, kCount);
}

// Whatever the host writes may coincide with what a new buffer contains: each value of a byte, alone and in longer loads.
template <typename T> __global__ void count(const T *in, int n, int *out) {
  for (int i = THREAD; i < n; i += kCount)
    if ((in[i] >> 3) % 5 == 1)
      atomicAdd(out, 1);
}
CASE(any_value_of_the_host) {
  const int bytes = (64 << 10) + 1;
  unsigned char *host = (unsigned char *)malloc(bytes), *in = fresh<unsigned char>(bytes);
  unsigned random = 1;
  for (int i = 0; i < bytes; i++)
    host[i] = (unsigned char)((random = random * 1664525u + 1013904223u) >> 24);
  int *out = buffer<int>(kCount);
  CU(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
  count<<<1, kCount>>>(in, bytes, out);
  CU(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
  count<<<1, kCount>>>((unsigned short *)in, bytes / 2, out);
  LAUNCHED();
  release(in);
  in = fresh<unsigned char>(bytes);
  CU(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
  count<<<1, kCount>>>((unsigned long long *)in, bytes / 8, out);
  LAUNCHED();
  release(in);
  release(out);
  free(host);
}

// 6 and 3 bytes, and rotations of 16 bits.
struct Triple {
  short x, y, z;
};
__global__ void triples(const Triple *in, uchar3 *bytes, unsigned short *out) {
  Triple t = in[THREAD];
  unsigned short r = (unsigned short)(t.x << 3 | (unsigned short)t.x >> 13);
  bytes[THREAD] = make_uchar3(t.x, t.y, t.z);
  if (bytes[THREAD].y == t.y % 256)
    out[THREAD] = (unsigned short)(r + t.y + t.z);
}
CASE(short_structures) {
  Triple *in = fresh<Triple>(kCount), host[kCount];
  uchar3 *bytes = fresh<uchar3>(kCount);
  unsigned short *out = (unsigned short *)buffer<int>(kCount);
  for (int i = 0; i < kCount; i++)
    host[i] = {(short)i, (short)(3 * i), (short)-i};
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  triples<<<1, kCount>>>(in, bytes, out);
  LAUNCHED();
  release(in);
  release(bytes);
  release(out);
}
