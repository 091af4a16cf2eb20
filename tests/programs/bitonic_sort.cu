// Bitonic sort: in shared memory within a block for small strides, in global memory with one launch per step for large ones.
#include "../check.h"

const int BLOCK = 128;

__device__ void order(int &a, int &b, bool up) {
  if (a > b == up) {
    int t = a;
    a = b;
    b = t;
  }
}

__global__ void global_step(int *data, int stage, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ stride;
  if (partner > i)
    order(data[i], data[partner], (i & stage) == 0);
}

__global__ void shared_steps(int *data, int stage, int stride) {
  __shared__ int part[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  part[t] = data[i];
  __syncthreads();
  for (; stride > 0; stride /= 2) {
    int partner = t ^ stride;
    if (partner > t)
      order(part[t], part[partner], (i & stage) == 0);
    __syncthreads();
  }
  data[i] = part[t];
}

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

int main() {
  const int n = 1024;
  Array<int> data(n);
  int *expected = (int *)malloc(data.bytes());
  for (int i = 0; i < n; i++)
    expected[i] = data[i] = (int)random_bits();
  qsort(expected, n, sizeof(int), compare);
  data.upload();
  for (int stage = 2; stage <= n; stage *= 2)
    for (int stride = stage / 2; stride > 0; stride /= 2) {
      if (stride < BLOCK) {
        shared_steps<<<n / BLOCK, BLOCK>>>(data.device, stage, stride);
        break;
      }
      global_step<<<n / BLOCK, BLOCK>>>(data.device, stage, stride);
    }
  LAUNCHED();
  data.download();
  EXPECT(memcmp(expected, data.host, data.bytes()) == 0);
  data.show("sorted");
  free(expected);
  return verdict();
}
