// mad24 of the device, compared with the same on the host.
#include <cstdio>

__global__ void mad24(const int *a, const int *b, int *out) {
  int i = (int)threadIdx.x, made = -1;
  asm("{ .reg .pred odd; setp.ne.s32 odd, %4, 0; @odd mad24.lo.s32 %0, %1, %2, %3; }"
      : "+r"(made)
      : "r"(a[i]), "r"(b[i]), "r"(i), "r"(i % 2));
  out[i] = made;
}

static int expected(int a, int b, int i) {
  long long product = (long long)((int)((unsigned)a << 8) >> 8) * ((int)((unsigned)b << 8) >> 8);
  return i % 2 ? (int)((unsigned)product + (unsigned)i) : -1;
}

int main() {
  enum { COUNT = 64 };
  int *a, *b, *out, wrong = 0;
  cudaMallocManaged(&a, COUNT * sizeof *a);
  cudaMallocManaged(&b, COUNT * sizeof *b);
  cudaMallocManaged(&out, COUNT * sizeof *out);
  for (int i = 0; i < COUNT; i++) {
    a[i] = i * 0x1234567;
    b[i] = 0x7fffff - i * 0x345678;
  }
  mad24<<<1, COUNT>>>(a, b, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < COUNT; i++)
    wrong += out[i] != expected(a[i], b[i], i);
  printf("%d wrong\n", wrong);
  cudaFree(a);
  cudaFree(b);
  cudaFree(out);
}
