// Kernels as authors of extensions write them, with launchers that bindings.cpp calls. `over` is 0, or 1 to go one past
// an end. A line marked BUG goes out of bounds with over = 1, or with the indices that extensions.py then passes.
#include <cuda_runtime.h>

enum { BLOCK = 64 };
static int blocks(int n) {
  return (n + BLOCK - 1) / BLOCK;
}
#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)

__global__ void softmax_kernel(const float *in, float *out, int rows, int columns, int over) {
  int row = INDEX;
  if (row >= rows)
    return;
  float sum = 0, most = -1e30f;
  for (int c = 0; c < columns; c++)
    most = fmaxf(most, in[row * columns + c]);
  for (int c = 0; c < columns + over; c++)
    sum += expf(in[row * columns + c] - most); // BUG: out-of-bounds
  for (int c = 0; c < columns; c++)
    out[row * columns + c] = expf(in[row * columns + c] - most) / sum;
}
void softmax_launch(const float *in, float *out, int rows, int columns, int over, cudaStream_t stream) {
  softmax_kernel<<<blocks(rows), BLOCK, 0, stream>>>(in, out, rows, columns, over);
}

// One block for each row; the sums are in shared memory.
__global__ void layer_norm_kernel(const float *in, const float *weight, float *out, int columns, int over) {
  __shared__ float sums[BLOCK], squares[BLOCK];
  const float *row = in + blockIdx.x * columns;
  float sum = 0, square = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    sum += row[c];
    square += row[c] * row[c];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  float mean = sums[0] / columns, variance = squares[0] / columns - mean * mean;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    float scale = weight[c + over]; // BUG: out-of-bounds
    out[blockIdx.x * columns + c] = (row[c] - mean) * rsqrtf(variance + 1e-5f) * scale;
  }
}
void layer_norm_launch(const float *in, const float *weight, float *out, int rows, int columns, int over,
                       cudaStream_t stream) {
  layer_norm_kernel<<<rows, BLOCK, 0, stream>>>(in, weight, out, columns, over);
}

// Rotary embedding of [length, 2 * half]; the table has a row of `half` angles for each position.
__global__ void rope_kernel(const float *in, const float *angles, float *out, int length, int half, int over) {
  int i = INDEX;
  if (i >= length * half)
    return;
  int position = i / half, k = i % half;
  float angle = angles[(position + over) * half + k]; // BUG: out-of-bounds
  float a = in[position * 2 * half + k], b = in[position * 2 * half + half + k];
  out[position * 2 * half + k] = a * cosf(angle) - b * sinf(angle);
  out[position * 2 * half + half + k] = a * sinf(angle) + b * cosf(angle);
}
void rope_launch(const float *in, const float *angles, float *out, int length, int half, int over,
                 cudaStream_t stream) {
  rope_kernel<<<blocks(length * half), BLOCK, 0, stream>>>(in, angles, out, length, half, over);
}

__global__ void topk_kernel(const float *in, long long *out, int rows, int columns, int k, int over) {
  int row = INDEX;
  if (row >= rows)
    return;
  float below = 1e30f;
  for (int j = 0; j < k + over; j++) {
    int best = -1;
    for (int c = 0; c < columns; c++)
      if (in[row * columns + c] < below && (best < 0 || in[row * columns + c] > in[row * columns + best]))
        best = c;
    below = in[row * columns + best];
    out[row * k + j] = best; // BUG: out-of-bounds
  }
}
void topk_launch(const float *in, long long *out, int rows, int columns, int k, int over, cudaStream_t stream) {
  topk_kernel<<<blocks(rows), BLOCK, 0, stream>>>(in, out, rows, columns, k, over);
}

__global__ void scatter_kernel(const float *in, const long long *index, float *out, int n) {
  int i = INDEX;
  if (i < n)
    atomicAdd(&out[index[i]], in[i]); // BUG: out-of-bounds
}
void scatter_launch(const float *in, const long long *index, float *out, int n, cudaStream_t stream) {
  scatter_kernel<<<blocks(n), BLOCK, 0, stream>>>(in, index, out, n);
}

__global__ void adam_kernel(float *parameter, const float *gradient, float *first, float *second, int n, float rate,
                            int over) {
  int i = INDEX;
  if (i >= n + over)
    return;
  float g = gradient[i];                                           // BUG: out-of-bounds
  float m = 0.9f * first[i] + 0.1f * g;                            // BUG: out-of-bounds
  float v = 0.999f * second[i] + 0.001f * g * g;                   // BUG: out-of-bounds
  first[i] = m;                                                    // BUG: out-of-bounds
  second[i] = v;                                                   // BUG: out-of-bounds
  parameter[i] -= rate * (m / 0.1f) / (sqrtf(v / 0.001f) + 1e-8f); // BUG: out-of-bounds
}
void adam_launch(float *parameter, const float *gradient, float *first, float *second, int n, float rate, int over,
                 cudaStream_t stream) {
  adam_kernel<<<blocks(n + 1), BLOCK, 0, stream>>>(parameter, gradient, first, second, n, rate, over);
}

// in [rows, depth] times weight [columns, depth] of bytes, with a scale for each group of a row of weights.
__global__ void quantised_kernel(const float *in, const signed char *weight, const float *scales, float *out, int rows,
                                 int columns, int depth, int group, int over) {
  int i = INDEX;
  if (i >= rows * columns)
    return;
  int row = i / columns, column = i % columns;
  float sum = 0;
  for (int d = 0; d < depth; d++) {
    float scale = scales[column * (depth / group) + (d + over) / group]; // BUG: out-of-bounds
    sum += in[row * depth + d] * scale * weight[column * depth + d];
  }
  out[i] = sum;
}
void quantised_launch(const float *in, const signed char *weight, const float *scales, float *out, int rows,
                      int columns, int depth, int group, int over, cudaStream_t stream) {
  quantised_kernel<<<blocks(rows * columns), BLOCK, 0, stream>>>(in, weight, scales, out, rows, columns, depth, group,
                                                                 over);
}

// One query; keys and values are in pages, and a table has the page of each block of positions.
__global__ void paged_kernel(const float *query, const float *keys, const float *values, const int *table, float *out,
                             int length, int page, int features) {
  int f = threadIdx.x;
  float sum = 0, total = 0;
  for (int p = 0; p < length; p++) {
    int row = table[p / page] * page + p % page;
    float score = 0;
    for (int k = 0; k < features; k++)
      score += query[k] * keys[row * features + k]; // BUG: out-of-bounds
    float weight = expf(score * rsqrtf((float)features));
    total += weight;
    sum += weight * values[row * features + f]; // BUG: out-of-bounds
  }
  out[f] = sum / total;
}
void paged_launch(const float *query, const float *keys, const float *values, const int *table, float *out, int length,
                  int page, int features, cudaStream_t stream) {
  paged_kernel<<<1, features, 0, stream>>>(query, keys, values, table, out, length, page, features);
}

// Draws a column for each row: the first at which the cumulative probability reaches the number of the row.
__global__ void sample_kernel(const float *probability, const float *number, long long *out, int rows, int columns) {
  int row = INDEX;
  if (row >= rows)
    return;
  float sum = 0;
  int c = -1;
  while (sum < number[row] && c < 2 * columns) {
    c++;
    sum += probability[row * columns + c]; // BUG: out-of-bounds
  }
  out[row] = c;
}
void sample_launch(const float *probability, const float *number, long long *out, int rows, int columns,
                   cudaStream_t stream) {
  sample_kernel<<<blocks(rows), BLOCK, 0, stream>>>(probability, number, out, rows, columns);
}

__global__ void square_kernel(const float *in, float *out, int n) {
  int i = INDEX;
  if (i < n)
    out[i] = in[i] * in[i];
}
__global__ void square_backward_kernel(const float *gradient, const float *in, float *out, int n, int over) {
  int i = INDEX;
  if (i < n)
    out[i] = 2 * in[i] * gradient[i + over]; // BUG: out-of-bounds
}
void square_launch(const float *in, float *out, int n, cudaStream_t stream) {
  square_kernel<<<blocks(n), BLOCK, 0, stream>>>(in, out, n);
}
void square_backward_launch(const float *gradient, const float *in, float *out, int n, int over, cudaStream_t stream) {
  square_backward_kernel<<<blocks(n), BLOCK, 0, stream>>>(gradient, in, out, n, over);
}
