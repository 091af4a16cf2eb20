// Sizes around every power of two: the first and the last byte of each buffer are accessible, and keep their values.
#include "../check.h"

__global__ void ends(unsigned char *p, size_t size, unsigned char v) {
  p[size - 1] = v;
  p[0] = size == 1 ? p[0] : (unsigned char)(v + 1);
}

int main() {
  const size_t sizes[] = {1, 2, 255, 256, 257, 511, 512, 513, 1000, 4095, 4096, 4097, 65536, 2097151, 2097152, 2097153};
  const int count = sizeof sizes / sizeof *sizes;
  unsigned char *p[count], result[2 * count];
  for (int i = 0; i < count; i++) {
    CU(cudaMalloc((void **)&p[i], sizes[i]));
    EXPECT((uintptr_t)p[i] % 256 == 0);
    ends<<<1, 1>>>(p[i], sizes[i], (unsigned char)(10 * i));
  }
  LAUNCHED();
  for (int i = 0; i < count; i++) {
    CU(cudaMemcpy(&result[2 * i], p[i], 1, cudaMemcpyDeviceToHost));
    CU(cudaMemcpy(&result[2 * i + 1], p[i] + sizes[i] - 1, 1, cudaMemcpyDeviceToHost));
    EXPECT(result[2 * i + 1] == (unsigned char)(10 * i));
    EXPECT(result[2 * i] == (unsigned char)(10 * i + (sizes[i] > 1)));
    CU(cudaFree(p[i]));
  }
  show("ends", result, sizeof result);
  return verdict();
}
