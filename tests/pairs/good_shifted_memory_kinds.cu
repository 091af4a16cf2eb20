// Pointers before their buffers, in memory from every allocation call.
#include "../check.h"

enum { COUNT = 250 };

__global__ void add(int *from_one, int n) {
  int i = threadIdx.x + 1;
  if (i <= n)
    from_one[i] += i;
}

template <typename Allocate, typename Free> static void use(Allocate allocate, Free release) {
  int *memory[3];
  for (int k = 0; k < 3; k++) {
    allocate((void **)&memory[k]);
    CU(cudaMemset(memory[k], 0, COUNT * sizeof(int)));
  }
  release(memory[0]);
  for (int k = 1; k < 3; k++)
    add<<<1, 256>>>(memory[k] - 1, COUNT);
  LAUNCHED();
  int result[COUNT];
  for (int k = 1; k < 3; k++) {
    CU(cudaMemcpy(result, memory[k], sizeof result, cudaMemcpyDefault));
    for (int i = 0; i < COUNT; i++)
      EXPECT(result[i] == i + 1);
    release(memory[k]);
  }
}

int main() {
  const size_t bytes = COUNT * sizeof(int);
  use([&](void **p) { CU(cudaMalloc(p, bytes)); }, [](void *p) { CU(cudaFree(p)); });
  use([&](void **p) { CU(cudaMallocManaged(p, bytes)); }, [](void *p) { CU(cudaFree(p)); });
  use([&](void **p) { CU(cudaMallocHost(p, bytes)); }, [](void *p) { CU(cudaFreeHost(p)); });
  use([&](void **p) { CU(cudaMallocAsync(p, bytes, 0)); }, [](void *p) { CU(cudaFreeAsync(p, 0)); });
  return verdict();
}
