// chosen.cu: pointers that are selected at run time among arrays: shared, local, dynamic, global and mixed.
#include "case.h"

// A block's inclusive scan in two shared buffers that swap roles in every step.
template <typename T> __device__ void exchange(T *&a, T *&b) {
  T *kept = a;
  a = b;
  b = kept;
}

__global__ void scan(const int *in, int n, int shift, int *out) {
  __shared__ int even[64], odd[64];
  int *from = even, *to = odd, t = threadIdx.x;
  from[t] = in[t];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    to[t] = from[t] + (t >= step ? from[t - step] : 0);
    __syncthreads();
    exchange(from, to);
  }
  to[t + shift] = from[t]; // BUG: scan_result_shifted
  __syncthreads();
  out[t] = to[t];
}

TWINS(scan_result_shifted, int shift, 1, 0) {
  int *in = buffer<int>(64), *out = buffer<int>(64), ones[64];
  for (int &one : ones)
    one = 1;
  CU(cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice));
  scan<<<1, 64>>>(in, 64, shift, out);
  LAUNCHED();
  EXPECT(value(out + 63) == 64 && value(out + 9) == 10);
  release(in), release(out);
}

// Heat diffuses along a rod: the right neighbour of the last cell does not exist.
__global__ void diffuse(float *rod, int steps, int cells) {
  __shared__ float now[32], next[32];
  float *from = now, *to = next;
  int t = threadIdx.x;
  from[t] = rod[t];
  __syncthreads();
  for (int k = 0; k < steps; k++) {
    float left = t > 0 ? from[t - 1] : 0;
    float right = t + 1 < cells ? from[t + 1] : 0; // BUG: stencil_reads_past_end
    to[t] = (left + from[t] + right) / 2;
    __syncthreads();
    float *swapped = from;
    from = to, to = swapped;
  }
  rod[t] = from[t];
}

TWINS(stencil_reads_past_end, int cells, 33, 32) {
  float *rod = buffer<float>(32), hot = 8;
  CU(cudaMemcpy(rod + 16, &hot, sizeof hot, cudaMemcpyHostToDevice));
  diffuse<<<1, 32>>>(rod, 3, cells);
  LAUNCHED();
  EXPECT(value(rod + 16) == 7 && value(rod + 13) == 1 && value(rod + 20) == 0);
  release(rod);
}

// The edit distance of a word and a text, with two rows of the table in local memory.
__global__ void distance(const char *word, int length, const char *text, int n, int *out) {
  int first[17], second[17];
  int *above = first, *row = second;
  for (int j = 0; j < 17; j++)
    above[j] = j;
  for (int i = 1; i <= n; i++) {
    row[0] = i;
    for (int j = 1; j <= length; j++) {
      int replaced = above[j - 1] + (word[j - 1] != text[i - 1]);
      row[j] = min(replaced, 1 + min(above[j], row[j - 1])); // BUG: word_longer_than_row
    }
    exchange(above, row);
  }
  out[0] = above[16];
}

TWINS(word_longer_than_row, int length, 17, 16) {
  char *word = buffer<char>(17), *text = buffer<char>(18);
  int *out = buffer<int>(1);
  CU(cudaMemcpy(word, "intentionally bad", 17, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(text, "attentionally sad", 17, cudaMemcpyHostToDevice));
  distance<<<1, 1>>>(word, length, text, 16, out);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(word), release(text), release(out);
}

// Two local arrays that swap after each coefficient of a product of polynomials.
__global__ void multiply_out(const int *roots, int n, int top, int *out) {
  int a[8] = {1}, b[8] = {};
  int *from = a, *to = b;
  for (int k = 0; k < n; k++) {
    to[0] = 0;
    for (int i = 1; i <= top; i++)
      to[i] = from[i - 1]; // BUG: polynomial_too_long
    for (int i = 0; i < 8; i++)
      to[i] += roots[k] * from[i];
    int *swapped = from;
    from = to, to = swapped;
  }
  out[threadIdx.x] = from[threadIdx.x];
}

TWINS(polynomial_too_long, int top, 8, 7) {
  int *roots = buffer<int>(3), *out = buffer<int>(8), host[3] = {1, 2, 3};
  CU(cudaMemcpy(roots, host, sizeof host, cudaMemcpyHostToDevice));
  multiply_out<<<1, 8>>>(roots, 3, top, out);
  LAUNCHED();
  EXPECT(value(out) == 6 && value(out + 1) == 11 && value(out + 3) == 1 && value(out + 7) == 0);
  release(roots), release(out);
}

// The last row of a tile doubles as a second staging buffer.
__global__ void staged(const int *in, int which, int at, int *out) {
  __shared__ int staging[8], tile[4][8];
  int t = threadIdx.x;
  if (t < 8)
    staging[t] = 0;
  tile[t / 8][t % 8] = 0;
  __syncthreads();
  int *rows = which ? staging : tile[3];
  if (t == 0)
    rows[at] = in[t]; // BUG: staged_past_array staged_past_row
  __syncthreads();
  out[t] = staging[t % 8] + tile[3][t % 8];
}

static void stage(int which, int at) {
  int *in = buffer<int>(1), *out = buffer<int>(32), seven = 7;
  CU(cudaMemcpy(in, &seven, sizeof seven, cudaMemcpyHostToDevice));
  staged<<<1, 32>>>(in, which, at, out);
  LAUNCHED();
  EXPECT(value(out + 5) == 7 && value(out + 31) == 0);
  release(in), release(out);
}
TWINS(staged_past_array, int at, 8, 5) {
  stage(1, at);
}
TWINS(staged_past_row, int at, 8, 5) {
  stage(0, at);
}

// Histograms of three channels; a sample of the largest value has no bin.
enum Channel { RED, GREEN, BLUE };

struct Sample {
  Channel channel;
  int level;
};

__device__ inline int *bins_of(Channel channel, int *red, int *green, int *blue) {
  switch (channel) {
  case RED:
    return red;
  case GREEN:
    return green;
  default:
    return blue;
  }
}

__global__ void histograms(const Sample *samples, int n, int *out) {
  __shared__ int red[16], green[16], blue[16];
  int t = threadIdx.x;
  if (t < 16)
    red[t] = green[t] = blue[t] = 0;
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    int *bins = bins_of(samples[i].channel, red, green, blue);
    atomicAdd(&bins[samples[i].level], 1); // BUG: channel_bin
  }
  __syncthreads();
  if (t < 16)
    out[t] = red[t] + 100 * green[t] + 10000 * blue[t];
}

TWINS(channel_bin, int level, 16, 15) {
  Sample host[96], *samples = buffer<Sample>(96);
  for (int i = 0; i < 96; i++)
    host[i] = {(Channel)(i % 3), i / 3 % 16};
  host[94].level = level;
  int *out = buffer<int>(16);
  CU(cudaMemcpy(samples, host, sizeof host, cudaMemcpyHostToDevice));
  histograms<<<1, 32>>>(samples, 96, out);
  LAUNCHED();
  EXPECT(value(out) == 20202 && value(out + 15) == 20202);
  release(samples), release(out);
}

// A quadrant is chosen by two comparisons.
__global__ void quadrants(const float2 *points, int room, int *out) {
  __shared__ int north_east[8], north_west[8], south_east[8], south_west[8];
  int t = threadIdx.x;
  if (t < 8)
    north_east[t] = north_west[t] = south_east[t] = south_west[t] = -1;
  __syncthreads();
  float2 p = points[t];
  int *cell = p.y >= 0 ? (p.x >= 0 ? north_east : north_west) : (p.x >= 0 ? south_east : south_west);
  cell[t % room] = t; // BUG: quadrant_full
  __syncthreads();
  if (t < 8)
    out[t] = north_east[t] + north_west[t] + south_east[t] + south_west[t];
}

TWINS(quadrant_full, int room, 9, 8) {
  float2 *points = buffer<float2>(32), host[32];
  int *out = buffer<int>(8);
  for (int i = 0; i < 32; i++)
    host[i] = make_float2(i / 8 % 2 ? -1.f : 1.f, i / 16 ? -1.f : 1.f);
  CU(cudaMemcpy(points, host, sizeof host, cudaMemcpyHostToDevice));
  quadrants<<<1, 32>>>(points, room, out);
  LAUNCHED();
  EXPECT(value(out) == 48 && value(out + 7) == 76);
  release(points), release(out);
}

// A short and a long queue: the index is in bounds of the long one only.
__global__ void enqueue(int urgent, int at, int v, int *out) {
  __shared__ int fast[8], slow[32];
  int t = threadIdx.x;
  if (t < 8)
    fast[t] = 1;
  slow[t] = 2;
  __syncthreads();
  int *queue = urgent ? fast : slow;
  if (t == 0)
    queue[at] = v; // BUG: shorter_queue
  __syncthreads();
  out[t] = fast[t % 8] + slow[t];
}

TWINS(shorter_queue, int urgent, 1, 0) {
  int *out = buffer<int>(32);
  enqueue<<<1, 32>>>(urgent, 20, 50, out);
  LAUNCHED();
  EXPECT(value(out + 20) == 51 && value(out + 21) == 3);
  release(out);
}

// Work that fits is kept in shared memory, the rest in a global buffer.
struct Workspace {
  int *spill;
  int capacity;
};

__global__ void reverse(Workspace space, const int *in, int n, int *out) {
  __shared__ int cache[32];
  int *work = n <= space.capacity ? cache : space.spill;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    work[n - 1 - i] = in[i]; // BUG: cache_too_small
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = work[i];
}

TWINS(cache_too_small, int capacity, 64, 32) {
  int *in = buffer<int>(40), *spill = buffer<int>(40), *out = buffer<int>(40), host[40];
  for (int i = 0; i < 40; i++)
    host[i] = i;
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  for (int n : {32, 40}) {
    reverse<<<1, 16>>>(Workspace{spill, capacity}, in, n, out);
    LAUNCHED();
    EXPECT(value(out) == n - 1 && value(out + n - 1) == 0);
  }
  release(in), release(spill), release(out);
}

// The first thread totals for the block, in shared memory; all others in a local array.
__global__ void totals(const int *in, int n, int *out) {
  __shared__ int of_block[4];
  int own[4], t = threadIdx.x;
  int *sums = t == 0 ? of_block : own;
  for (int i = 0; i < 4; i++)
    sums[i] = 0;
  for (int i = 0; i < n; i++)
    sums[in[i]] += t + 1; // BUG: total_of_unknown_class
  __syncthreads();
  out[t] = sums[t % 4] + of_block[1];
}

TWINS(total_of_unknown_class, int klass, 4, 3) {
  int host[8] = {0, 1, 2, 3, 0, 1, 1, klass}, *in = buffer<int>(8), *out = buffer<int>(8);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  totals<<<1, 8>>>(in, 8, out);
  LAUNCHED();
  EXPECT(value(out) == 5 && value(out + 3) == 8 + 3 && value(out + 5) == 18 + 3);
  release(in), release(out);
}

// A message is copied to the front or the back half of a pair of buffers.
struct Message {
  int sender;
  unsigned char text[28];
};

__global__ void receive(const Message *inbox, int turn, int bytes, int *out) {
  __shared__ alignas(8) unsigned char front[32], back[32];
  if (threadIdx.x == 0) {
    unsigned char *to = turn % 2 ? front : back;
    memset(front, 0, sizeof front), memset(back, 0, sizeof back);
    memcpy(to, inbox, bytes); // BUG: message_too_long
  }
  __syncthreads();
  out[threadIdx.x] = front[threadIdx.x] + 2 * back[threadIdx.x];
}

TWINS(message_too_long, int bytes, 36, 32) {
  Message host[2] = {{3, "hello"}, {4, "again"}}, *inbox = buffer<Message>(2);
  int *out = buffer<int>(32);
  CU(cudaMemcpy(inbox, host, sizeof host, cudaMemcpyHostToDevice));
  receive<<<1, 32>>>(inbox, 4, bytes, out);
  LAUNCHED();
  EXPECT(value(out) == 6 && value(out + 4) == 2 * 'h');
  release(inbox), release(out);
}

// Clears the buffer that the next step fills.
__global__ void clear_next(int step, int bytes, int *out) {
  __shared__ int even[16], odd[16];
  int t = threadIdx.x;
  even[t] = 1, odd[t] = 2;
  __syncthreads();
  int *next = step % 2 ? even : odd;
  if (t == 0)
    memset(next, 0, bytes); // BUG: cleared_too_much
  __syncthreads();
  out[t] = even[t] + odd[t];
}

TWINS(cleared_too_much, int bytes, 68, 64) {
  int *out = buffer<int>(16);
  clear_next<<<1, 16>>>(3, bytes, out);
  LAUNCHED();
  EXPECT(value(out) == 2 && value(out + 15) == 2);
  release(out);
}

// Tiles are loaded as float4.
__global__ void load_tiles(const float4 *in, int k, int first, float *out) {
  __shared__ float4 a[8], b[8];
  int t = threadIdx.x;
  a[t] = b[t] = make_float4(0, 0, 0, 0);
  __syncthreads();
  float4 *tile = k & 1 ? a : b;
  tile[first + t] = in[t]; // BUG: vector_tile
  __syncthreads();
  const float *sums = (const float *)(k & 1 ? a : b);
  out[t] = sums[4 * t] + sums[4 * t + 3];
}

TWINS(vector_tile, int first, 1, 0) {
  float4 *in = buffer<float4>(8), host[8];
  float *out = buffer<float>(8);
  for (int i = 0; i < 8; i++)
    host[i] = make_float4(i, 1, 1, 10);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  load_tiles<<<1, 8>>>(in, 1, first, out);
  LAUNCHED();
  EXPECT(value(out + 7) == 17);
  release(in), release(out);
}

// The selected pointer is passed to functions that are not inlined.
__noinline__ __device__ void append(int *list, int at, int v) {
  list[at] = v; // BUG: append_in_callee
}

__noinline__ __device__ int *larger_of(int *a, int count_a, int *b, int count_b) {
  return count_a > count_b ? a : b;
}

__global__ void split(const int *in, int n, int first, int *out) {
  int evens[6], odds[6], count[2] = {first, 0};
  for (int i = 0; i < 6; i++)
    evens[i] = odds[i] = -1;
  for (int i = 0; i < n; i++) {
    int odd = in[i] & 1;
    append(odd ? odds : evens, count[odd]++, in[i]);
  }
  int *most = larger_of(evens, count[0], odds, count[1]);
  out[0] = most[count[0] - 1]; // BUG: chosen_in_callee
  out[1] = odds[0];
}

TWINS(append_in_callee, int n, 11, 10) {
  int host[12] = {2, 4, 1, 6, 8, 3, 10, 5, 7, 12, 14, 9}, *in = buffer<int>(12), *out = buffer<int>(2);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  split<<<1, 1>>>(in, n, 0, out);
  LAUNCHED();
  EXPECT(value(out) == 12 && value(out + 1) == 1);
  release(in), release(out);
}

TWINS(chosen_in_callee, int first, 0, 1) {
  int host[2] = {1, 3}, *in = buffer<int>(2), *out = buffer<int>(2);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  split<<<1, 1>>>(in, 2, first, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(in), release(out);
}

// A trace is recorded only on request.
__global__ void iterate(float x, int steps, bool traced, float *out) {
  __shared__ float history[16];
  float *trace = traced ? history : nullptr;
  for (int i = 0; i < steps; i++) {
    x = x / 2;
    if (trace)
      trace[i] = x; // BUG: trace_too_long
  }
  out[0] = traced ? history[3] : x;
}

TWINS(trace_too_long, int steps, 17, 16) {
  float *out = buffer<float>(1);
  iterate<<<1, 1>>>(64, 20, false, out);
  iterate<<<1, 1>>>(64, steps, true, out);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out);
}

__noinline__ __device__ void keep(int *sums, int at, int v) {
  sums[at] = v; // BUG: choice_is_null
}

__global__ void carry(bool enabled, int at, int *out) {
  __shared__ int kept[4];
  kept[at] = 0;
  keep(enabled ? kept : nullptr, at, 5);
  out[0] = kept[at] + 1;
}

TWINS(choice_is_null, bool enabled, false, true) {
  int *out = buffer<int>(1);
  carry<<<1, 1>>>(enabled, 3, out);
  LAUNCHED();
  EXPECT(value(out) == 6);
  release(out);
}

// Merges two sorted local lists: each step takes an element from one of them.
__global__ void merge(const int *in, int n, int *out) {
  int a[8], b[8], from_a = 0, from_b = 0, last = 0;
  for (int i = 0; i < 8; i++)
    a[i] = in[i], b[i] = in[8 + i];
  for (int k = 0; k < n; k++) {
    bool left = from_b == 8 || (from_a < 8 && a[from_a] <= b[from_b]);
    int *list = left ? a : b;
    int at = left ? from_a++ : from_b++;
    last = last * 2 + list[at]; // BUG: merged_too_many
  }
  out[0] = last;
}

TWINS(merged_too_many, int n, 17, 16) {
  int host[16], *in = buffer<int>(16), *out = buffer<int>(1), expected = 0;
  for (int i = 0; i < 16; i++)
    host[i / 2 + i % 2 * 8] = i, expected = expected * 2 + i;
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  merge<<<1, 1>>>(in, n, out);
  LAUNCHED();
  EXPECT(value(out) == expected);
  release(in), release(out);
}

// One thread publishes its choice, the others use it.
struct View {
  int *data;
  int count;
};

__global__ void publish(int which, int extra, int *out) {
  __shared__ int left[8], right[8];
  __shared__ View view;
  int t = threadIdx.x;
  left[t] = t, right[t] = 10 * t;
  if (t == 0)
    view = {which ? left : right, 8};
  __syncthreads();
  out[t] = view.data[view.count - 1 - t + extra]; // BUG: published_choice
}

TWINS(published_choice, int extra, 1, 0) {
  int *out = buffer<int>(8);
  publish<<<1, 8>>>(0, extra, out);
  LAUNCHED();
  EXPECT(value(out) == 70 && value(out + 7) == 0);
  release(out);
}

// The selection is between whole structures that contain pointers.
struct Panel {
  float *cells;
  int width;
};

__device__ inline const Panel &wider(const Panel &a, const Panel &b) {
  return a.width > b.width ? a : b;
}

__global__ void fill_panel(int left, int right, float v, float *out) {
  __shared__ float narrow[12], wide[20];
  int t = threadIdx.x;
  wide[t] = 1;
  if (t < 12)
    narrow[t] = 2;
  __syncthreads();
  Panel a{narrow, left}, b{wide, right};
  Panel to = wider(a, b);
  if (t < to.width)
    to.cells[t] = v; // BUG: panel_by_value
  __syncthreads();
  out[t] = wide[t];
}

TWINS(panel_by_value, int left, 20, 12) {
  float *out = buffer<float>(20);
  fill_panel<<<1, 20>>>(left, 16, 5, out);
  LAUNCHED();
  EXPECT(value(out) == 5 && value(out + 15) == 5 && value(out + 16) == 1);
  release(out);
}

// Dynamic shared memory if the launch provides some, otherwise a static array: the block's first thread decides.
extern __shared__ int dynamic_part[];

__global__ void either_part(int dynamic, int at, int *out) {
  __shared__ int fixed[16], *part;
  int t = threadIdx.x;
  if (t == 0)
    part = dynamic ? dynamic_part : fixed;
  __syncthreads();
  part[t] = t;
  __syncthreads();
  if (t == 0)
    part[at] += 7; // BUG: past_dynamic_part past_fixed_part
  __syncthreads();
  out[t] = part[t];
}

static void fill_part(int dynamic, int at) {
  int *out = buffer<int>(16);
  either_part<<<1, 16, dynamic * sizeof(int)>>>(dynamic, at, out);
  LAUNCHED();
  EXPECT(value(out + 9) == 16 && value(out + 15) == 15);
  release(out);
}
TWINS(past_dynamic_part, int at, 24, 9) {
  fill_part(24, at);
}
TWINS(past_fixed_part, int at, 16, 9) {
  fill_part(0, at);
}

// Two __device__ arrays hold the generations and alternate between launches.
__device__ int generation_a[10], generation_b[10];

__global__ void evolve(int generation, int reach) {
  int *now = generation % 2 ? generation_b : generation_a, *next = generation % 2 ? generation_a : generation_b;
  int t = threadIdx.x;
  next[t] = now[t] + (t + 1 < reach ? now[t + 1] : 1); // BUG: generation_past_end
}

TWINS(generation_past_end, int reach, 11, 10) {
  int zero[10] = {}, last[10];
  CU(cudaMemcpyToSymbol(generation_a, zero, sizeof zero));
  for (int generation = 0; generation < 4; generation++)
    evolve<<<1, 10>>>(generation, reach);
  LAUNCHED();
  CU(cudaMemcpyFromSymbol(last, generation_a, sizeof last));
  EXPECT(last[9] == 4 && last[8] == 6 && last[5] == 0);
}

// Filters of different lengths in constant memory.
__constant__ int sharp[3] = {-1, 3, -1}, smooth[5] = {1, 2, 4, 2, 1};

__global__ void convolve(const int *in, bool blur, int taps, int *out) {
  const int *filter = blur ? smooth : sharp;
  int sum = 0;
  for (int i = 0; i < taps; i++)
    sum += filter[i] * in[threadIdx.x + i]; // BUG: filter_too_short
  out[threadIdx.x] = sum;
}

TWINS(filter_too_short, bool blur, false, true) {
  int host[12] = {0, 0, 0, 0, 1}, *in = buffer<int>(12), *out = buffer<int>(8);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  convolve<<<1, 8>>>(in, blur, 5, out);
  LAUNCHED();
  EXPECT(value(out) == 1 && value(out + 2) == 4 && value(out + 7) == 0);
  release(in), release(out);
}

// Values without a bin have a separate counter.
__global__ void tally(const int *in, int bins, int *out) {
  __shared__ int counts[12], overflow;
  int t = threadIdx.x;
  if (t < 12)
    counts[t] = 0;
  if (t == 12)
    overflow = 0;
  __syncthreads();
  atomicAdd(in[t] < bins ? &counts[in[t]] : &overflow, 1); // BUG: one_bin_too_many
  __syncthreads();
  if (t < 12)
    out[t] = counts[t] + 100 * overflow;
}

TWINS(one_bin_too_many, int bins, 13, 12) {
  int host[32], *in = buffer<int>(32), *out = buffer<int>(12);
  for (int i = 0; i < 32; i++)
    host[i] = i % 16;
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  tally<<<1, 32>>>(in, bins, out);
  LAUNCHED();
  EXPECT(value(out) == 802 && value(out + 11) == 802);
  release(in), release(out);
}

// A few numbers fit into a local array; more are kept on the device heap.
__global__ void small_or_heap(int n, int room, int *out) {
  int few[8];
  int *data = n <= room ? few : (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++)
    data[i] = i * i; // BUG: small_buffer
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += data[i];
  out[0] = sum;
  if (data != few)
    free(data);
}

TWINS(small_buffer, int room, 9, 8) {
  int *out = buffer<int>(2);
  small_or_heap<<<1, 1>>>(8, room, out);
  small_or_heap<<<1, 1>>>(9, room, out + 1);
  LAUNCHED();
  EXPECT(value(out) == 140 && value(out + 1) == 204);
  release(out);
}

// The pointer walks through one array, and then through the other.
__global__ void chain(const int *in, int n, int *out) {
  __shared__ int head[8], tail[8];
  head[threadIdx.x] = in[threadIdx.x], tail[threadIdx.x] = in[8 + threadIdx.x];
  __syncthreads();
  int sum = 0;
  const int *at = head;
  for (int i = 0; i < n; i++) {
    sum = sum * 3 + *at; // BUG: walked_off_second
    at = i == 7 ? tail : at + 1;
  }
  out[threadIdx.x] = sum;
}

TWINS(walked_off_second, int n, 17, 16) {
  int host[16], *in = buffer<int>(16), *out = buffer<int>(8), expected = 0;
  for (int i = 0; i < 16; i++)
    host[i] = i % 3, expected = expected * 3 + i % 3;
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  chain<<<1, 8>>>(in, n, out);
  LAUNCHED();
  EXPECT(value(out + 7) == expected);
  release(in), release(out);
}

// The scope of one of the two arrays has ended.
__global__ void outlived(bool inner, int v, int *out) {
  int kept[4] = {v, v, v, v};
  int *last = kept;
  {
    int brief[4] = {v + 1, v + 1, v + 1, v + 1};
    if (inner)
      last = brief;
    last[v & 3] += 2;
  }
  out[0] = last[v & 3]; // BUG: choice_outlived
}

TWINS(choice_outlived, bool inner, true, false) {
  int *out = buffer<int>(1);
  outlived<<<1, 1>>>(inner, 6, out);
  LAUNCHED();
  EXPECT(value(out) == 8);
  release(out);
}

// A small block uses the static array, a larger one the dynamic shared memory that the launch provides.
__global__ void sum_in_part(int large, int last, int *out) {
  extern __shared__ int provided[];
  __shared__ int fixed_part[16];
  int *sums = large ? provided : fixed_part;
  sums[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 1; i <= last; i++)
      sums[0] += sums[i]; // BUG: provided_part_direct fixed_part_direct
  __syncthreads();
  out[threadIdx.x] = sums[0];
}

static void sum_parts(int large, int last) {
  int *out = buffer<int>(32), threads = large ? 32 : 16;
  sum_in_part<<<1, threads, large ? 32 * sizeof(int) : 0>>>(large, last, out);
  LAUNCHED();
  EXPECT(value(out) == last + 1);
  release(out);
}
TWINS(provided_part_direct, int last, 32, 31) {
  sum_parts(1, last);
}
TWINS(fixed_part_direct, int last, 16, 15) {
  sum_parts(0, last);
}

// Two windows on dynamic shared memory that swap roles.
__global__ void relax(int steps, int n, int *out) {
  extern __shared__ int cells[];
  int *from = cells, *to = cells + n, t = threadIdx.x;
  from[t] = t;
  to[t] = 0;
  __syncthreads();
  for (int step = 0; step < steps; step++) {
    to[t] = from[(t + 1) % n] + from[t];
    __syncthreads();
    int *spare = from;
    from = to;
    to = spare;
  }
  out[t] = from[t + n * (steps % 2)]; // BUG: window_of_cells
}

TWINS(window_of_cells, int steps, 3, 2) {
  int *out = buffer<int>(16);
  relax<<<1, 16, 32 * sizeof(int)>>>(steps, 16, out);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out);
}

// One of four queues by priority: the optimiser turns the switch into a table.
__global__ void enqueue(int priority, int at, int *out) {
  __shared__ int urgent[4], normal[8], low[8], idle[16];
  int *queue;
  switch (priority) {
  case 0:
    queue = urgent;
    break;
  case 1:
    queue = normal;
    break;
  case 2:
    queue = low;
    break;
  default:
    queue = idle;
  }
  queue[at] = priority + 5; // BUG: queue_of_priority last_queue
  out[0] = priority == 1 ? normal[7] : idle[15];
}

static void enqueue_at(int priority, int at) {
  int *out = buffer<int>(1);
  enqueue<<<1, 1>>>(priority, at, out);
  LAUNCHED();
  EXPECT(value(out) == priority + 5);
  release(out);
}
TWINS(queue_of_priority, int at, 8, 7) {
  enqueue_at(1, at);
}
TWINS(last_queue, int at, 17, 15) {
  enqueue_at(3, at);
}
