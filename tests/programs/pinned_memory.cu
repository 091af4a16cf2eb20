// Pinned host memory: for copies, mapped into the device, and registered after its allocation; pointer attributes.
#include "../check.h"

__global__ void square(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * in[i];
}

int main() {
  const int n = 3000;
  const size_t bytes = n * sizeof(int);
  int *pinned, *mapped, *mapped_device, *registered_device;
  int *registered = (int *)aligned_alloc(4096, 16384);
  CU(cudaMallocHost((void **)&pinned, bytes));
  CU(cudaHostAlloc((void **)&mapped, bytes, cudaHostAllocMapped));
  CU(cudaHostGetDevicePointer((void **)&mapped_device, mapped, 0));
  CU(cudaHostRegister(registered, 16384, cudaHostRegisterMapped));
  CU(cudaHostGetDevicePointer((void **)&registered_device, registered, 0));
  Array<int> in(n);
  for (int i = 0; i < n; i++)
    pinned[i] = in[i] = (int)(random_bits() % 1000);
  CU(cudaMemcpy(in.device, pinned, bytes, cudaMemcpyHostToDevice));
  square<<<(n + 127) / 128, 128>>>(in.device, mapped_device, n);
  LAUNCHED();
  square<<<(n + 127) / 128, 128>>>(mapped_device, registered_device, n);
  LAUNCHED();
  for (int i = 0; i < n; i++) {
    EXPECT(mapped[i] == in[i] * in[i]);
    EXPECT(registered[i] == (int)((unsigned)mapped[i] * (unsigned)mapped[i]));
  }
  show("mapped", mapped, bytes);
  show("registered", registered, bytes);

  cudaPointerAttributes attributes;
  CU(cudaPointerGetAttributes(&attributes, in.device));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == in.device);
  CU(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
  CU(cudaPointerGetAttributes(&attributes, &bytes));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  CU(cudaHostUnregister(registered));
  CU(cudaFreeHost(pinned));
  CU(cudaFreeHost(mapped));
  free(registered);
  return verdict();
}
