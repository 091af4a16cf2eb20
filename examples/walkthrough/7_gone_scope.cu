// 7: a pointer to a local array, stored in a structure that outlives the array.
#include <cstdio>

struct Window {
  const int *begin;
  int length;
};

__device__ __noinline__ void load(Window *window, const int *in, int at) {
  int copy[4];
  for (int i = 0; i < 4; i++)
    copy[i] = in[at + i];
  *window = {copy, 4};
}

__global__ void sums(const int *in, int *out) {
  Window window;
  load(&window, in, 4 * threadIdx.x);
  int sum = 0;
  for (int i = 0; i < window.length; i++)
    sum += window.begin[i];
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, 128 * sizeof(int));
  sums<<<1, 32>>>(in, out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(in);
  cudaFree(out);
}
