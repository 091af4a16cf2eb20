// Copies in every direction, with cudaMemcpyDefault, asynchronous and with offsets; memsets of odd sizes.
#include "../check.h"

int main() {
  const size_t n = 10001;
  Array<unsigned char> a(n), b(n), c(n);
  for (size_t i = 0; i < n; i++)
    a[i] = (unsigned char)random_bits();
  a.upload();
  CU(cudaMemset(b.device, 0xa5, n));
  CU(cudaMemcpy(b.device + 13, a.device + 7, 5001, cudaMemcpyDeviceToDevice));
  CU(cudaMemset(b.device + 9990, 0, 11));
  CU(cudaMemcpy(b.host, b.device, n, cudaMemcpyDefault));
  for (size_t i = 0; i < n; i++)
    EXPECT(b[i] == (i >= 9990 ? 0 : i >= 13 && i < 5014 ? a[i - 6] : 0xa5));
  b.show("ranges");

  CU(cudaMemcpy(c.host, a.host, n, cudaMemcpyHostToHost));
  EXPECT(memcmp(c.host, a.host, n) == 0);
  CU(cudaMemsetAsync(c.device, 1, n, 0));
  CU(cudaMemcpyAsync(c.device, a.host, 100, cudaMemcpyHostToDevice, 0));
  CU(cudaMemcpyAsync(c.device + 200, c.device, 100, cudaMemcpyDeviceToDevice, 0));
  CU(cudaMemcpyAsync(c.host, c.device, n, cudaMemcpyDeviceToHost, 0));
  CU(cudaStreamSynchronize(0));
  for (size_t i = 0; i < n; i++)
    EXPECT(c[i] == (i < 100 ? a[i] : i >= 200 && i < 300 ? a[i - 200] : 1));
  c.show("async");
  CU(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost)); // a copy of zero bytes is valid
  CU(cudaMemset(c.device, 0, 0));
  return verdict();
}
