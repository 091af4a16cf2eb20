// Every kind of CUDA memory is freed by the matching call.
#include "../check.h"

int main() {
  void *device, *pinned, *managed, *pitched;
  size_t pitch;
  CU(cudaMalloc(&device, 100));
  CU(cudaMallocHost(&pinned, 100));
  CU(cudaMallocManaged(&managed, 100));
  CU(cudaMallocPitch(&pitched, &pitch, 100, 3));
  CU(cudaMemset(device, 1, 100));
  CU(cudaFree(device));
  CU(cudaFreeHost(pinned));
  CU(cudaFree(managed));
  CU(cudaFree(pitched));
  puts("freed");
  return verdict();
}
