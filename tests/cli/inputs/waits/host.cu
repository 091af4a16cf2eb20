// host.cu: a kernel waits for a flag that the host sets after its pool has taken back a block, and then still writes to it.
#include "../../../nvtx_pool.h"

__global__ void spin(volatile int *flag, int *p) {
  while (!*flag)
    ;
  p[0] = 1;
}
__global__ void touch(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  char *pool;
  int *flag;
  cudaStream_t s, t;
  CU(cudaMalloc(&pool, 1 << 20));
  CU(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
  *flag = 0;
  CU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CU(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  Registered::segment(pool, 1 << 20);
  Registered::handed_out(pool, 512);
  Registered::handed_out(pool + 512, 512);
  touch<<<1, 32, 0, t>>>((int *)pool);
  CU(cudaStreamSynchronize(t));
  spin<<<1, 1, 0, s>>>(flag, (int *)pool);
  Registered::given_back(pool, s);
  cusafe_poison(pool + 768, 256);
  touch<<<1, 32, 0, t>>>((int *)(pool + 512));
  *(volatile int *)flag = 1;
  CU(cudaDeviceSynchronize());
  printf("done\n");
}
