// A reset of the device gives back the heap that its kernels allocated from.
#include "../check.h"

__global__ void keep(int **kept, int n) {
  *kept = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++)
    (*kept)[i] = i;
}

__global__ void sum(int **kept, int n, int *result) {
  *result = 0;
  for (int i = 0; i < n; i++)
    *result += (*kept)[i];
}

static int run(int n) {
  int **kept, *result, back;
  CU(cudaMalloc((void **)&kept, sizeof *kept));
  CU(cudaMalloc((void **)&result, sizeof *result));
  keep<<<1, 1>>>(kept, n);
  sum<<<1, 1>>>(kept, n, result);
  CU(cudaMemcpy(&back, result, sizeof back, cudaMemcpyDeviceToHost));
  CU(cudaDeviceReset());
  return back;
}

int main() {
  const size_t little = 64 << 20; // a checker may use metadata for the first time; a heap is larger
  size_t first = 0, now, total;
  for (int i = 0; i < 3; i++) {
    EXPECT(run(100 + i) == (100 + i) * (99 + i) / 2);
    CU(cudaMemGetInfo(&now, &total));
    first = i ? first : now;
    EXPECT(now + little >= first);
  }
  return verdict();
}
