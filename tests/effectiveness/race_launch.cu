// race_launch.cu: data races that the arguments of a launch decide, in kernels whose checks are omitted where these show
// that there are none (--detect=race).
#include "case.h"

enum { kBlocks = 4, kThreads = 64, kAll = kBlocks * kThreads };

__device__ int index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void average(const int *in, int *out) {
  int i = index();
  if (i > 0)
    out[i] = in[i - 1] + in[i] + i + 1; // BUG: average_in_place
}
TWINS(average_in_place, bool wrong, true, false) {
  int *in = buffer<int>(kAll), *out = buffer<int>(kAll);
  average<<<kBlocks, kThreads>>>(in, wrong ? in : out);
  LAUNCHED();
  EXPECT(wrong || value(out + 9) == 10);
  release(in);
  release(out);
}

__global__ void move(const int *from, int *to, int n) {
  int i = index();
  if (i < n)
    to[i] = from[i] + i + 1; // BUG: moved_by_one
}
TWINS(moved_by_one, int distance, 1, kAll) {
  int *data = buffer<int>(2 * kAll);
  move<<<kBlocks, kThreads>>>(data, data + distance, kAll);
  LAUNCHED();
  EXPECT(distance == 1 || value(data + distance + 9) == 10);
  release(data);
}
CASE(moved_in_place) {
  int *data = buffer<int>(kAll);
  move<<<kBlocks, kThreads>>>(data, data, kAll);
  LAUNCHED();
  EXPECT(value(data + 9) == 10);
  release(data);
}

__global__ void fill_rows(int *out, int pitch, int columns, int rows) {
  int column = index(), row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < columns && row < rows)
    out[row * pitch + column] = row * columns + column + 1; // BUG: short_pitch
}
TWINS(short_pitch, int pitch, 9, 10) {
  int *out = buffer<int>(kAll);
  fill_rows<<<dim3(2, 2), dim3(8, 8)>>>(out, pitch, 10, 16);
  LAUNCHED();
  EXPECT(pitch < 10 || value(out + 15 * 10 + 9) == 160);
  release(out);
}

__global__ void number_blocks(int *out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = blockIdx.x + gridDim.x * blockIdx.y + 1; // BUG: ignored_dimension
}
TWINS(ignored_dimension, int height, 2, 1) {
  int *out = buffer<int>(kBlocks);
  number_blocks<<<dim3(kBlocks, height), kThreads>>>(out);
  LAUNCHED();
  EXPECT(height > 1 || value(out + 3) == 4);
  release(out);
}

__global__ void spread(int *out, int stride) {
  out[index() * stride] = index() + 1; // BUG: no_stride
}
TWINS(no_stride, int stride, 0, 2) {
  int *out = buffer<int>(2 * kAll);
  spread<<<kBlocks, kThreads>>>(out, stride);
  LAUNCHED();
  EXPECT(stride == 0 || value(out + 18) == 10);
  release(out);
}

__global__ void fill_columns(int *out, int n, int pitch) {
  for (int i = index(); i < n; i += blockDim.x * gridDim.x)
    for (int row = 0; row < 2; row++)
      out[row * pitch + i] = i + 1; // BUG: overlapping_rows
}
TWINS(overlapping_rows, int pitch, 100, kAll) {
  int *out = buffer<int>(2 * kAll);
  fill_columns<<<2, 32>>>(out, kAll, pitch);
  LAUNCHED();
  EXPECT(pitch < kAll || value(out + kAll + 9) == 10);
  release(out);
}

__global__ void turn(int *out) {
  __shared__ int tile[512];
  int at = threadIdx.y * 16 + threadIdx.x;
  tile[at] = threadIdx.x + 1; // BUG: wide_block
  __syncthreads();
  out[threadIdx.y * blockDim.x + threadIdx.x] = tile[at];
}
TWINS(wide_block, int width, 32, 16) {
  int *out = buffer<int>(kAll);
  turn<<<1, dim3(width, kAll / width)>>>(out);
  LAUNCHED();
  EXPECT(width == 32 || value(out + 9) == 10);
  release(out);
}

// Each thread has its own element of the variable that the code names; the other pointer may lead there, too.
__global__ void either(bool wrong, int *out) {
  __shared__ int own[kThreads], other[kThreads];
  int t = threadIdx.x;
  other[t] = t;
  __syncthreads();
  int *from = wrong ? own : other;
  own[t] = t + 1; // BUG: either_variable
  out[t] = from[kThreads - 1 - t];
}
TWINS(either_variable, bool wrong, true, false) {
  int *out = buffer<int>(kThreads);
  either<<<1, kThreads>>>(wrong, out);
  LAUNCHED();
  EXPECT(wrong || value(out) == kThreads - 1);
  release(out);
}

// One thread writes, and one reads: another one only in the bad case.
__global__ void two_threads(int reader, int *out) {
  __shared__ int word;
  if (threadIdx.x == 0)
    word = 5;
  if (threadIdx.x == reader)
    *out = word; // BUG: another_reader
}
TWINS(another_reader, int reader, 40, 0) {
  int *out = buffer<int>(1);
  two_threads<<<1, kThreads>>>(reader, out);
  LAUNCHED();
  release(out);
}

__global__ void one_after_the_other(int writer, int *out) {
  if (threadIdx.x == 0)
    *out = 1;
  if (threadIdx.x == writer)
    *out += 2; // BUG: another_writer
}
TWINS(another_writer, int writer, 40, 0) {
  int *out = buffer<int>(1);
  one_after_the_other<<<1, kThreads>>>(writer, out);
  LAUNCHED();
  release(out);
}
