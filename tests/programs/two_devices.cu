// Two CPU devices (CUSAFE_CPU_DEVICES): peer access, copies between them, a kernel on each, events across devices, per-device state.
#include "../check.h"

__device__ int visits;

__global__ void twice(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] *= 2;
  if (i == 0)
    visits++;
}

static const int n = 3000;

int main() {
  setenv("CUSAFE_CPU_DEVICES", "2", 1);
  int devices = 0, can = 0, *p[2], host[n], out[n], seen;
  cudaStream_t stream[2];
  cudaEvent_t ready;
  CU(cudaGetDeviceCount(&devices));
  EXPECT(devices == 2);
  CU(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT(can == 1);
  for (int i = 0; i < n; i++)
    host[i] = i;
  for (int d = 0; d < 2; d++) {
    CU(cudaSetDevice(d));
    CU(cudaDeviceEnablePeerAccess(1 - d, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1 - d, 0) == cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    CU(cudaMalloc((void **)&p[d], sizeof host));
    CU(cudaStreamCreate(&stream[d]));
    cudaPointerAttributes known;
    CU(cudaPointerGetAttributes(&known, p[d]));
    EXPECT(known.device == d && known.type == cudaMemoryTypeDevice);
  }
  CU(cudaSetDevice(0));
  CU(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CU(cudaMemcpyAsync(p[0], host, sizeof host, cudaMemcpyHostToDevice, stream[0]));
  twice<<<(n + 255) / 256, 256, 0, stream[0]>>>(p[0], n);
  CU(cudaMemcpyPeerAsync(p[1], 1, p[0], 0, sizeof host, stream[0]));
  CU(cudaEventRecord(ready, stream[0]));
  CU(cudaSetDevice(1));
  CU(cudaStreamWaitEvent(stream[1], ready, 0));
  twice<<<(n + 255) / 256, 256, 0, stream[1]>>>(p[1], n);
  twice<<<(n + 255) / 256, 256, 0, stream[1]>>>(p[0], n); // the peer's memory
  CU(cudaStreamSynchronize(stream[1]));
  CU(cudaMemcpyFromSymbol(&seen, visits, sizeof seen));
  EXPECT(seen == 2);
  CU(cudaMemcpy(out, p[1], sizeof out, cudaMemcpyDefault));
  for (int i = 0; i < n; i++)
    EXPECT(out[i] == 4 * i);
  show("copied", out, sizeof out);
  CU(cudaMemcpy(out, p[0], sizeof out, cudaMemcpyDefault));
  for (int i = 0; i < n; i++)
    EXPECT(out[i] == 4 * i);
  show("reached", out, sizeof out);
  CU(cudaDeviceDisablePeerAccess(0));
  CU(cudaSetDevice(0));
  CU(cudaMemcpyFromSymbol(&seen, visits, sizeof seen));
  EXPECT(seen == 1);
  for (int d = 0; d < 2; d++) {
    CU(cudaSetDevice(d));
    CU(cudaStreamDestroy(stream[d]));
    CU(cudaFree(p[d]));
  }
  CU(cudaSetDevice(0));
  CU(cudaEventDestroy(ready));
  return verdict();
}
