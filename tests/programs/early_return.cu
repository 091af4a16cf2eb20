// Threads that return before a barrier do not take part in it: the remaining threads still synchronise.
#include "../check.h"

__global__ void some_leave(int *out, int stay) {
  __shared__ int part[128];
  int t = threadIdx.x;
  if (t >= stay)
    return;
  part[t] = t * t;
  __syncthreads();
  out[blockIdx.x * 128 + t] = part[stay - 1 - t] + blockIdx.x;
  __syncthreads();
  if (t >= stay / 2)
    return;
  part[t] = -t;
  __syncthreads();
  out[blockIdx.x * 128 + t] += part[stay / 2 - 1 - t];
}

__global__ void some_blocks_leave(int *out, int n) {
  __shared__ int part[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if ((int)blockIdx.x * 64 >= n)
    return;
  part[threadIdx.x] = i < n ? i : 0;
  __syncthreads();
  if (i < n)
    out[i] = part[63 - threadIdx.x];
}

int main() {
  Array<int> out(3 * 128), more(200);
  for (int stay : {128, 100, 64, 33}) {
    CU(cudaMemset(out.device, 0, out.bytes()));
    some_leave<<<3, 128>>>(out.device, stay);
    LAUNCHED();
    out.download();
    for (int b = 0; b < 3; b++)
      for (int t = 0; t < 128; t++) {
        int other = stay - 1 - t;
        int expected = t >= stay ? 0 : other * other + b - (t < stay / 2 ? stay / 2 - 1 - t : 0);
        EXPECT(out[b * 128 + t] == expected);
      }
    out.show("threads");
  }
  CU(cudaMemset(more.device, 0, more.bytes()));
  some_blocks_leave<<<6, 64>>>(more.device, 200);
  LAUNCHED();
  more.download();
  for (int i = 0; i < 200; i++) {
    int from = i / 64 * 64 + 63 - i % 64;
    EXPECT(more[i] == (from < 200 ? from : 0));
  }
  more.show("blocks");
  return verdict();
}
