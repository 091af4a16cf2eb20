// Host functions in streams run after the work before them and before the work after them.
#include "../check.h"

__global__ void add(int *p, int v) {
  *p += v;
}

static int *pinned, seen[2], order;

static void CUDART_CB first(void *data) {
  seen[0] = *pinned;
  order = order * 10 + 1;
  *(int *)data = 100;
}
static void CUDART_CB second(cudaStream_t, cudaError_t status, void *data) {
  seen[1] = *pinned;
  order = order * 10 + 2;
  *(int *)data += status == cudaSuccess;
}

int main() {
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  CU(cudaMallocHost((void **)&pinned, sizeof(int)));
  Array<int> value(1);
  value.upload();
  int flag = 0;
  add<<<1, 1, 0, stream>>>(value.device, 5);
  CU(cudaMemcpyAsync(pinned, value.device, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CU(cudaLaunchHostFunc(stream, first, &flag));
  add<<<1, 1, 0, stream>>>(value.device, 20);
  CU(cudaMemcpyAsync(pinned, value.device, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CU(cudaStreamAddCallback(stream, second, &flag, 0));
  CU(cudaStreamSynchronize(stream));
  EXPECT(seen[0] == 5 && seen[1] == 25 && order == 12 && flag == 101);
  printf("%d %d %d %d\n", seen[0], seen[1], order, flag);
  CU(cudaFreeHost(pinned));
  CU(cudaStreamDestroy(stream));
  return verdict();
}
