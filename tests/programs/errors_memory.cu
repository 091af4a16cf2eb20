// Memory calls that must fail, each with CUDA's own error code; none of them is sticky.
#include "../check.h"

static int not_a_symbol;

static void fails(const char *name, cudaError_t error, cudaError_t expected) {
  printf("%s: %s\n", name, cudaGetErrorName(error));
  EXPECT(error == expected);
  EXPECT(cudaGetLastError() == expected);
  EXPECT(cudaGetLastError() == cudaSuccess);
}

int main() {
  size_t available = 0, total = 0;
  CU(cudaMemGetInfo(&available, &total));
  EXPECT(available > 0 && available <= total);
  int *p = (int *)0x1234, host[4] = {1, 2, 3, 4};
  fails("more than the device has", cudaMalloc((void **)&p, 4 * total), cudaErrorMemoryAllocation);
  fails("no pointer", cudaMalloc((void **)nullptr, 4), cudaErrorInvalidValue);
  CU(cudaMalloc((void **)&p, sizeof host));
  fails("copy to null", cudaMemcpy(nullptr, host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  fails("copy from null", cudaMemcpy(p, nullptr, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  fails("direction", cudaMemcpy(p, host, sizeof host, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
  fails("set nothing", cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  fails("symbol", cudaMemcpyToSymbol(not_a_symbol, host, 4), cudaErrorInvalidSymbol);
  CU(cudaFree(nullptr));
  CU(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  memset(host, 0, sizeof host);
  CU(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[3] == 4);
  CU(cudaFree(p));
  return verdict();
}
