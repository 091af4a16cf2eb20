// Sums integers in each block by a tree reduction in shared memory.
#include "../check.h"

__global__ void block_sums(const int *in, int *out, int n) {
  __shared__ int part[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half)
      part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

int main() {
  const int n = 5000, block = 256, blocks = (n + block - 1) / block;
  Array<int> in(n), out(blocks);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 2001) - 1000;
  in.upload();
  block_sums<<<blocks, block>>>(in.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int b = 0; b < blocks; b++) {
    int sum = 0;
    for (int i = b * block; i < n && i < (b + 1) * block; i++)
      sum += in[i];
    EXPECT(out[b] == sum);
  }
  out.show("sums");
  return verdict();
}
