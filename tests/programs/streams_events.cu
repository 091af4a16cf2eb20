// Several streams: copies and kernels are ordered within a stream, events order streams and measure time.
#include "../check.h"

__global__ void scale(int *data, int n, int factor, int add) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    data[i] = data[i] * factor + add;
}

__global__ void combine(const int *a, const int *b, int *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = a[i] - b[i];
}

int main() {
  const int n = 4096, streams = 4;
  cudaStream_t stream[streams], low;
  cudaEvent_t done[streams], start, stop;
  int *host, *device[streams];
  CU(cudaMallocHost((void **)&host, n * sizeof(int)));
  for (int i = 0; i < n; i++)
    host[i] = i;
  for (int s = 0; s < streams; s++) {
    CU(cudaStreamCreate(&stream[s]));
    CU(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
    CU(cudaMalloc((void **)&device[s], n * sizeof(int)));
  }
  CU(cudaStreamCreateWithFlags(&low, cudaStreamNonBlocking));
  CU(cudaEventCreate(&start));
  CU(cudaEventCreate(&stop));
  CU(cudaEventRecord(start, stream[0]));
  for (int s = 0; s < streams; s++) {
    CU(cudaMemcpyAsync(device[s], host, n * sizeof(int), cudaMemcpyHostToDevice, stream[s]));
    scale<<<8, 64, 0, stream[s]>>>(device[s], n, s + 2, s);
    scale<<<8, 64, 0, stream[s]>>>(device[s], n, 3, -1);
    CU(cudaEventRecord(done[s], stream[s]));
  }
  CU(cudaStreamWaitEvent(stream[0], done[3], 0));
  combine<<<8, 64, 0, stream[0]>>>(device[3], device[0], device[0], n);
  CU(cudaEventRecord(stop, stream[0]));
  CU(cudaEventSynchronize(stop));
  for (int s = 1; s < streams; s++)
    CU(cudaStreamSynchronize(stream[s]));
  EXPECT(cudaEventQuery(done[2]) == cudaSuccess);
  EXPECT(cudaStreamQuery(stream[1]) == cudaSuccess);
  EXPECT(cudaStreamQuery(low) == cudaSuccess);
  float milliseconds = -1;
  CU(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds >= 0);

  Array<int> result(n);
  CU(cudaMemcpy(result.host, device[0], result.bytes(), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    EXPECT(result[i] == ((i * 5 + 3) * 3 - 1) - (i * 2 * 3 - 1));
  result.show("combined");
  for (int s = 0; s < streams; s++) {
    CU(cudaFree(device[s]));
    CU(cudaEventDestroy(done[s]));
    CU(cudaStreamDestroy(stream[s]));
  }
  CU(cudaStreamDestroy(low));
  CU(cudaEventDestroy(start));
  CU(cudaEventDestroy(stop));
  CU(cudaFreeHost(host));
  return verdict();
}
