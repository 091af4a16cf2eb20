// Out-of-bounds copies of constant and of variable length: with containment they read 0.
#include <cstdio>
#include <cstring>

struct four {
  unsigned words[4];
};

__global__ void copies(const unsigned *a, unsigned *out, int i, int bytes) {
  four fixed = {{9, 9, 9, 9}}, variable = fixed;
  memcpy(&fixed, &a[i], sizeof fixed);
  memcpy(&variable, &a[i], bytes);
  for (int w = 0; w < 4; w++) {
    out[w] = fixed.words[w];
    out[4 + w] = variable.words[w];
  }
}

int main() {
  unsigned *a, *out, host[8];
  cudaMalloc(&a, 16 * sizeof *a);
  cudaMalloc(&out, sizeof host);
  copies<<<1, 1>>>(a, out, 14, 12);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%u %u %u %u, %u %u %u %u\n", host[0], host[1], host[2], host[3], host[4], host[5], host[6], host[7]);
}
