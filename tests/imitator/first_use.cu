// A kernel is first launched inside a stream capture, and again after cudaDeviceReset. With an argument, it writes past the end both times.
#include "../check.h"

static const int count = 100;

__global__ void number(int *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    numbers[i] = i; // BUG
}

static void show_last(const int *numbers) {
  int last;
  CU(cudaMemcpy(&last, numbers + count - 1, sizeof last, cudaMemcpyDefault));
  printf("%d\n", last);
}

int main(int argc, char **) {
  int *numbers, n = count + (argc > 1);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CU(cudaMalloc(&numbers, count * sizeof(int)));
  CU(cudaStreamCreate(&stream));
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  number<<<1, 128, 0, stream>>>(numbers, n);
  CU(cudaStreamEndCapture(stream, &graph));
  CU(cudaGraphInstantiate(&executable, graph, 0));
  CU(cudaGraphLaunch(executable, stream));
  CU(cudaStreamSynchronize(stream));
  show_last(numbers);
  CU(cudaDeviceReset());
  CU(cudaMalloc(&numbers, count * sizeof(int)));
  number<<<1, 128>>>(numbers, n);
  CU(cudaDeviceSynchronize());
  show_last(numbers);
  return verdict();
}
