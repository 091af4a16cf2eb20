/* identity.cu: 20 errors, of which those of a function differ by their lines only. The arguments select them, in their
 * order. */
#include <cstdlib>
#include <cuda_runtime.h>

static __device__ void store(int *p, int which) {
  if (which == 0)
    p[100] = 1;
  if (which == 1)
    p[100] = 2;
  if (which == 2)
    p[100] = 3;
  if (which == 3)
    p[100] = 4;
}

static __global__ void store_all(int *p, int which) {
  store(p, which);
}

template <typename T> static __global__ void fill(T *p, int which) {
  if (which == 4)
    p[100] = 1;
  if (which == 5)
    p[100] = 2;
  if (which == 6)
    p[100] = p[-1];
}

namespace {
__device__ int table[4];

__global__ void hidden(int which, int index) {
  if (which == 7)
    table[index] = 1;
  if (which == 8)
    table[index] = 2;
}
} // namespace

static void drop(int *p, int which) {
  if (which == 9)
    cudaFree(p + 1);
  if (which == 10)
    cudaFree(p + 1);
  if (which == 11)
    cudaFree(p + 1);
}

static void copy(int *p) {
  static int from[101];
  cudaMemcpy(p, from, sizeof from, cudaMemcpyHostToDevice);
}

static void copy_all(int *p, int which) {
  if (which == 12)
    copy(p);
  if (which == 13)
    copy(p);
  if (which == 14)
    copy(p);
}

static void clear(cudaError_t (*set)(void *, int, size_t), int *p, int which) {
  if (which == 15)
    set(p, 0, 401);
  if (which == 16)
    set(p, 0, 401);
}

static void leak(int which) {
  int *p;
  if (which == 17)
    cudaMalloc(&p, 100);
  if (which == 18)
    cudaMalloc(&p, 100);
  if (which == 19)
    cudaMalloc(&p, 100);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int which = atoi(argv[i]), *p;
    cudaMalloc(&p, 400);
    if (which < 4)
      store_all<<<1, 1>>>(p, which);
    else if (which < 7)
      fill<<<1, 1>>>(p, which);
    else if (which < 9)
      hidden<<<1, 1>>>(which, 4);
    drop(p, which);
    copy_all(p, which);
    clear(cudaMemset, p, which);
    leak(which);
    cudaDeviceSynchronize();
    cudaFree(p);
  }
  return 0;
}
