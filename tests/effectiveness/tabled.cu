// tabled.cu: addresses of variables in initialisers: tables of arrays, of structures and of strings, and aggregates.
#include "case.h"

template <typename T, size_t N> static void clear(const T (&variable)[N]) {
  T zero[N] = {};
  CU(cudaMemcpyToSymbol(variable, zero, sizeof zero));
}

// Rows of a jagged table.
__device__ int row_a[8], row_b[8], row_c[12];
__device__ int *rows[3] = {row_a, row_b, row_c};

__global__ void put_row(int row, int at, int v, int *out) {
  rows[row][at] = v; // BUG: row_of_table longer_row_of_table
  out[0] = row_a[at & 7] + row_b[at & 7] + row_c[at & 7];
}

static void clear_rows() {
  clear(row_a), clear(row_b), clear(row_c);
}

static void put_in_row(int row, int at) {
  int *out = buffer<int>(1);
  clear_rows();
  put_row<<<1, 1>>>(row, at, 7, out);
  LAUNCHED();
  EXPECT(value(out) == 7);
  release(out);
}
TWINS(row_of_table, int at, 8, 7) {
  put_in_row(1, at);
}
TWINS(longer_row_of_table, int row, 0, 2) {
  int *out = buffer<int>(1);
  clear_rows();
  put_row<<<1, 1>>>(row, 11, 7, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  int last[12];
  CU(cudaMemcpyFromSymbol(last, row_c, sizeof last));
  EXPECT(last[11] == 7);
  release(out);
}

// Descriptions of pools: a pointer, a size and a name each.
struct Pool {
  float *cells;
  int count;
  const char *name;
};

__device__ float small_cells[16], large_cells[48];
__device__ Pool pools[2] = {{small_cells, 16, "small"}, {large_cells, 64, "large"}};

__device__ inline Pool *pool_for(int n) {
  for (Pool &pool : pools)
    if (n <= pool.count)
      return &pool;
  return nullptr;
}

__global__ void fill_pool(int n, float v, float *out) {
  Pool *pool = pool_for(n);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    pool->cells[i] = v; // BUG: pool_count_too_large
  __syncthreads();
  out[threadIdx.x] = pool->cells[threadIdx.x] + pool->name[0];
}

TWINS(pool_count_too_large, int n, 49, 48) {
  float *out = buffer<float>(8);
  fill_pool<<<1, 8>>>(n, 2, out);
  LAUNCHED();
  EXPECT(value(out + 7) == 2 + 'l');
  fill_pool<<<1, 8>>>(16, 3, out);
  LAUNCHED();
  EXPECT(value(out + 7) == 3 + 's');
  release(out);
}

// Names of states, for messages.
__device__ const char *const state_names[] = {"idle", "running", "done"};

__global__ void letter_of_state(int state, int at, int *out) {
  out[0] = state_names[state][at]; // BUG: letter_past_name
}

TWINS(letter_past_name, int at, 8, 6) {
  int *out = buffer<int>(1);
  letter_of_state<<<1, 1>>>(1, at, out);
  LAUNCHED();
  EXPECT(value(out) == 'g');
  release(out);
}

// Quadrature rules in constant memory, listed by order in a table in constant memory.
struct Rule {
  const float *weights;
  int order;
};

__constant__ float weights_1[1] = {2}, weights_2[2] = {1, 1}, weights_3[3] = {0.5f, 1, 0.5f};
__constant__ Rule rules[3] = {{weights_1, 1}, {weights_2, 2}, {weights_3, 3}};

__global__ void integrate(int rule, int extra, float *out) {
  float sum = 0;
  for (int i = 0; i < rules[rule].order + extra; i++)
    sum += rules[rule].weights[i]; // BUG: rule_too_long
  out[0] = sum;
}

TWINS(rule_too_long, int extra, 1, 0) {
  float *out = buffer<float>(1);
  integrate<<<1, 1>>>(1, extra, out);
  LAUNCHED();
  EXPECT(value(out) == 2);
  release(out);
}

// Filters in constant memory, selected by a table in global memory.
__constant__ int edge[3] = {-1, 2, -1}, blur[5] = {1, 2, 3, 2, 1};
__device__ const int *filters[2] = {edge, blur};

__device__ inline int apply(const int *filter, int radius, const int *in) {
  int sum = 0;
  for (int i = -radius; i <= radius; i++)
    sum += filter[radius + i] * in[i]; // BUG: filter_of_table
  return sum;
}

__global__ void filter_with(int which, int radius, const int *in, int *out) {
  out[threadIdx.x] = apply(filters[which], radius, in + 2 + threadIdx.x);
}

TWINS(filter_of_table, int which, 0, 1) {
  int host[12] = {0, 0, 0, 1}, *in = buffer<int>(12), *out = buffer<int>(8);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  filter_with<<<1, 8>>>(which, 2, in, out);
  LAUNCHED();
  EXPECT(value(out) == 2 && value(out + 1) == 3 && value(out + 7) == 0);
  release(in), release(out);
}

// A table with addresses inside arrays: each worker has its part, and the last part is short.
__device__ int storage[20];
__device__ int *const parts[3] = {storage, &storage[8], storage + 16};

__global__ void fill_parts(int each, int last, int v) {
  int t = threadIdx.x, n = t == 2 ? last : each;
  for (int i = 0; i < n; i++)
    parts[t][i] = v + i; // BUG: last_part_is_short
}

TWINS(last_part_is_short, int last, 5, 4) {
  fill_parts<<<1, 3>>>(8, last, 10);
  LAUNCHED();
  int host[20];
  CU(cudaMemcpyFromSymbol(host, storage, sizeof host));
  EXPECT(host[7] == 17 && host[8] == 10 && host[19] == 13);
}

// A one-based array: the table contains the address one element before it.
__device__ int counted[10];
__device__ int spare[10];
__device__ int *const from_one[2] = {&counted[0] - 1, &spare[0] - 1};

__global__ void sum_from_one(int first, int last, int *out) {
  int sum = 0;
  for (int i = first; i <= last; i++)
    sum += from_one[0][i] + i; // BUG: zeroth_of_table eleventh_of_table
  out[0] = sum;
}

static void sum_counted(int first, int last, int expected) {
  int *out = buffer<int>(1);
  sum_from_one<<<1, 1>>>(first, last, out);
  LAUNCHED();
  EXPECT(value(out) == expected);
  release(out);
}
TWINS(zeroth_of_table, int first, 0, 1) {
  sum_counted(first, 10, 55);
}
TWINS(eleventh_of_table, int last, 11, 10) {
  sum_counted(1, last, 55);
}

// A table of tables: levels of a pyramid, with rows of halved length.
__device__ int fine_0[8], fine_1[8], coarse_0[4], coarse_1[4];
__device__ int *fine[2] = {fine_0, fine_1}, *coarse[2] = {coarse_0, coarse_1};
__device__ int **levels[2] = {fine, coarse};

__global__ void mark_level(int level, int row, int at, int *out) {
  levels[level][row][at] = 7; // BUG: cell_of_level
  out[0] = fine_1[at] + 1;
}

TWINS(cell_of_level, int level, 1, 0) {
  int *out = buffer<int>(1);
  clear(fine_1);
  mark_level<<<1, 1>>>(level, 1, 5, out);
  LAUNCHED();
  EXPECT(value(out) == 8);
  release(out);
}

// The inner table itself ends after two rows.
__global__ void row_of_level(int level, int row, int *out) {
  int *cells = levels[level][row]; // BUG: level_has_two_rows
  out[0] = cells != nullptr;
}

TWINS(level_has_two_rows, int row, 2, 1) {
  int *out = buffer<int>(1);
  row_of_level<<<1, 1>>>(1, row, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(out);
}

// Nested aggregates: a scene with meshes, each with its own arrays.
struct Mesh {
  struct {
    const float *positions;
    int count;
  } vertices;
  const int *order[2];
};
struct Scene {
  int number;
  Mesh meshes[2];
};

__device__ const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, line[6] = {0, 0, 0, 5, 5, 5};
__device__ const int forwards[3] = {0, 1, 2}, backwards[3] = {2, 1, 0}, both[2] = {0, 1};
__device__ Scene scene = {2, {{{triangle, 3}, {forwards, backwards}}, {{line, 2}, {both, nullptr}}}};

__device__ inline float height(const Mesh &mesh, int direction, int i) {
  int vertex = mesh.order[direction][i];          // BUG: order_past_end order_is_null
  return mesh.vertices.positions[3 * vertex + 1]; // BUG: vertex_past_end
}

__global__ void heights(int mesh, int direction, int i, int last, float *out) {
  out[0] = height(scene.meshes[mesh], direction, i);
  out[1] = scene.meshes[mesh].vertices.positions[last]; // BUG: position_past_end
}

static void look_up_heights(int mesh, int direction, int i, int last, float y, float z) {
  float *out = buffer<float>(2);
  heights<<<1, 1>>>(mesh, direction, i, last, out);
  LAUNCHED();
  EXPECT(value(out) == y && value(out + 1) == z);
  release(out);
}
TWINS(order_past_end, int i, 3, 0) {
  look_up_heights(0, 1, i, 7, 1, 1);
}
TWINS(order_is_null, int direction, 1, 0) {
  look_up_heights(1, direction, 1, 5, 5, 5);
}
TWINS(position_past_end, int last, 6, 5) {
  look_up_heights(1, 0, 1, last, 5, 5);
}

// The wrong order of a mesh contains indices of vertices that the mesh does not have.
__device__ const Mesh crossed = {{line, 2}, {both, backwards}};

__global__ void crossed_heights(int direction, int i, float *out) {
  out[0] = height(crossed, direction, i);
}

TWINS(vertex_past_end, int i, 0, 1) {
  float *out = buffer<float>(1);
  crossed_heights<<<1, 1>>>(1, i, out);
  LAUNCHED();
  EXPECT(value(out) == 5);
  release(out);
}

// A table with unused entries.
__device__ int sink_a[4], sink_c[4];
__device__ int *sinks[4] = {sink_a, nullptr, sink_c};

__global__ void write_sink(int sink, int at, int *out) {
  int *to = sinks[sink];
  to[at] = 3; // BUG: unused_entry entry_after_unused
  out[0] = sink_a[at & 3] + sink_c[at & 3];
}

static void use_sink(int sink, int at) {
  int *out = buffer<int>(1);
  clear(sink_a), clear(sink_c);
  write_sink<<<1, 1>>>(sink, at, out);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}
TWINS(unused_entry, int sink, 1, 0) {
  use_sink(sink, 3);
}
TWINS(entry_after_unused, int at, 4, 3) {
  use_sink(2, at);
}

// A constant table of device arrays inside a function.
__device__ inline int digit_of(int system, int i) {
  static const int decimal[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, octal[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const int *const systems[2] = {decimal, octal};
  return systems[system][i]; // BUG: digit_of_static_table
}

__global__ void digits(int system, int i, int *out) {
  out[0] = digit_of(system, i);
}

TWINS(digit_of_static_table, int system, 1, 0) {
  int *out = buffer<int>(1);
  digits<<<1, 1>>>(system, 9, out);
  LAUNCHED();
  EXPECT(value(out) == 9);
  release(out);
}

__global__ void accumulate(int which, int at, int *out) {
  int *const targets[] = {row_a, row_b, row_c};
  for (int i = 0; i < 3; i++)
    targets[i][0] = i;
  targets[which][at] += 5; // BUG: local_table_of_device_arrays
  out[0] = row_a[0] + row_b[0] + row_c[0];
}

TWINS(local_table_of_device_arrays, int at, 12, 0) {
  int *out = buffer<int>(1);
  accumulate<<<1, 1>>>(2, at, out);
  LAUNCHED();
  EXPECT(value(out) == 8);
  release(out);
}

// A constant table of shared arrays inside a kernel, one for each kind of particle.
__global__ void sort_kinds(const int *kinds, const int *slots, int n, int *out) {
  __shared__ int electrons[8], protons[8], neutrons[8];
  int *of_kind[3] = {electrons, protons, neutrons}, t = threadIdx.x;
  if (t < 24)
    of_kind[t / 8][t % 8] = 0;
  __syncthreads();
  if (t < n)
    of_kind[kinds[t]][slots[t]] = t + 1; // BUG: slot_of_shared_table
  __syncthreads();
  if (t < 8)
    out[t] = electrons[t] + protons[t] + neutrons[t];
}

TWINS(slot_of_shared_table, int slot, 8, 7) {
  int kind[24], index[24], *kinds = buffer<int>(24), *slots = buffer<int>(24), *out = buffer<int>(8);
  for (int i = 0; i < 24; i++)
    kind[i] = i % 3, index[i] = i / 3;
  index[22] = slot;
  CU(cudaMemcpy(kinds, kind, sizeof kind, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(slots, index, sizeof index, cudaMemcpyHostToDevice));
  sort_kinds<<<1, 32>>>(kinds, slots, 24, out);
  LAUNCHED();
  EXPECT(value(out) == 6 && value(out + 7) == 22 + 23 + 24);
  release(kinds), release(slots), release(out);
}

// A constant table of local arrays: the coefficients of two polynomials.
__global__ void evaluate(int which, int degree, int x, int *out) {
  int linear[2] = {x, 1}, cubic[4] = {x, 0, 0, 2};
  const int *const polynomials[2] = {linear, cubic};
  int sum = 0;
  for (int i = degree; i >= 0; i--)
    sum = sum * x + polynomials[which][i]; // BUG: degree_of_local_table
  out[threadIdx.x] = sum;
}

TWINS(degree_of_local_table, int which, 0, 1) {
  int *out = buffer<int>(1);
  evaluate<<<1, 1>>>(which, 3, 3, out);
  LAUNCHED();
  EXPECT(value(out) == 57);
  release(out);
}

// An aggregate with a pointer to shared memory, passed on by reference.
struct Item {
  int key, payload;
};

struct Ring {
  Item *slots;
  unsigned capacity;
  __device__ void put(unsigned at, Item item) {
    slots[at % capacity] = item; // BUG: ring_too_large
  }
  __device__ Item get(unsigned at) const { return slots[at % capacity]; }
};

__global__ void use_ring(unsigned capacity, unsigned first, int *out) {
  __shared__ Item store[64];
  Ring ring{store, capacity};
  unsigned t = threadIdx.x;
  ring.put(first + t, Item{(int)t, 5});
  __syncthreads();
  Item item = ring.get(first + 31 - t);
  out[t] = item.key + item.payload;
}

TWINS(ring_too_large, unsigned capacity, 80, 64) {
  int *out = buffer<int>(32);
  use_ring<<<1, 32>>>(capacity, 48, out);
  LAUNCHED();
  EXPECT(value(out) == 36 && value(out + 31) == 5);
  release(out);
}

// An aggregate that contains only a pointer to shared memory.
struct Stack {
  Item *slots;
  __device__ int push(int top, Item item) {
    slots[top] = item; // BUG: stack_too_deep
    return top + 1;
  }
};

__global__ void use_stack(int depth, int *out) {
  __shared__ Item store[64];
  Stack stack{store};
  int top = 0;
  for (int i = 0; i < depth; i++)
    top = stack.push(top, Item{i, 5});
  out[0] = store[63].key + store[top - 1].payload;
}

TWINS(stack_too_deep, int depth, 65, 64) {
  int *out = buffer<int>(1);
  use_stack<<<1, 1>>>(depth, out);
  LAUNCHED();
  EXPECT(value(out) == 68);
  release(out);
}

// An aggregate that holds pointers to three kinds of memory, passed by value.
struct Sources {
  const int *taps;
  const int *image;
  int *scratch;
};

__noinline__ __device__ int combine(Sources from, int tap, int pixel, int cell) {
  int sum = from.taps[tap];  // BUG: aggregate_constant
  sum += from.image[pixel];  // BUG: aggregate_device
  sum += from.scratch[cell]; // BUG: aggregate_shared
  return sum;
}

__global__ void use_sources(int tap, int pixel, int cell, int *out) {
  __shared__ int scratch[16];
  scratch[threadIdx.x] = 100;
  __syncthreads();
  Sources from{blur, forwards, scratch};
  out[threadIdx.x] = combine(from, tap, pixel, cell);
}

static void combine_sources(int tap, int pixel, int cell) {
  int *out = buffer<int>(16);
  use_sources<<<1, 16>>>(tap, pixel, cell, out);
  LAUNCHED();
  EXPECT(value(out + 15) == 103);
  release(out);
}
TWINS(aggregate_constant, int tap, 5, 4) {
  combine_sources(tap, 2, 15);
}
TWINS(aggregate_device, int pixel, 3, 2) {
  combine_sources(4, pixel, 15);
}
TWINS(aggregate_shared, int cell, 16, 15) {
  combine_sources(4, 2, cell);
}

// A table in a structure passed by value.
struct Ports {
  int *lines[2];
  int lengths[2];
};

__noinline__ __device__ void drive(Ports ports, int port, int extra, int v) {
  for (int i = 0; i < ports.lengths[port] + extra; i++)
    ports.lines[port][i] = v; // BUG: port_by_value
}

__global__ void use_ports(int port, int extra, int *out) {
  Ports ports = {{row_a, row_c}, {8, 12}};
  drive(ports, port, extra, 4);
  out[0] = row_a[7] + row_c[11];
}

TWINS(port_by_value, int extra, 1, 0) {
  int *out = buffer<int>(1);
  clear_rows();
  use_ports<<<1, 1>>>(1, extra, out);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out);
}

// A variable template has a table for each type.
__device__ short shorts[6];
__device__ double doubles[3];

template <typename T> __device__ T *const slots[2] = {};
template <> __device__ short *const slots<short>[2] = {shorts, shorts + 3};
template <> __device__ double *const slots<double>[2] = {doubles, doubles + 1};

template <typename T> __global__ void register_in(int slot, int at, T v, T *out) {
  slots<T>[slot][at] = v; // BUG: slot_of_template
  out[0] = slots<T>[0][2];
}

TWINS(slot_of_template, int at, 2, 1) {
  short *narrow = buffer<short>(1);
  double *wide = buffer<double>(1);
  register_in<short><<<1, 1>>>(0, 2, (short)9, narrow);
  register_in<double><<<1, 1>>>(1, at, 2.5, wide);
  LAUNCHED();
  EXPECT(value(narrow) == 9 && value(wide) == 2.5);
  release(narrow), release(wide);
}

// A bump allocator whose next address an atomic advances.
struct Arena {
  char *next;
  char *end;
};

__device__ alignas(8) char arena_bytes[64];
__device__ Arena arena = {arena_bytes, arena_bytes + sizeof arena_bytes};

__device__ inline int *take(int count) {
  return (int *)atomicAdd((unsigned long long *)&arena.next, count * sizeof(int));
}

__global__ void take_from_arena(int n, int *out) {
  for (int i = 0; i < n; i++) {
    int *cells = take(4);
    cells[3] = i; // BUG: arena_exhausted
  }
  out[0] = arena_bytes[60];
  out[1] = (int)(arena.end - arena.next);
}

TWINS(arena_exhausted, int n, 5, 4) {
  int *out = buffer<int>(2);
  take_from_arena<<<1, 1>>>(n, out);
  LAUNCHED();
  EXPECT(value(out) == 3 && value(out + 1) == 0);
  release(out);
}
