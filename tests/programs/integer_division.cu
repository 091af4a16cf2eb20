// Division and remainder in 8 to 64 bits, signed and unsigned, by variables and by constants.
#include "../check.h"

const int RESULTS = 12;

__host__ __device__ void divide(unsigned long long a, unsigned long long b, long long *r) {
  unsigned d32 = (unsigned)b | 1;
  unsigned long long d64 = b | 1;
  int s32 = (int)d32;
  long long s64 = (long long)d64;
  r[0] = (unsigned)a / d32;
  r[1] = (unsigned)a % d32;
  r[2] = ((int)(a >> 1) - 1000) / (s32 == -1 ? 3 : s32);
  r[3] = ((int)(a >> 1) - 1000) % (s32 == -1 ? 3 : s32);
  r[4] = (long long)(a / d64);
  r[5] = (long long)(a % d64);
  r[6] = (long long)a / (s64 == -1 ? 3 : s64);
  r[7] = (long long)a % (s64 == -1 ? 3 : s64);
  r[8] = (int)a / 7 + (int)a % -13 + (long long)a / 1000000007ll;
  r[9] = (unsigned)a / 10 + (unsigned)a % 1000 + a % 12345678901ull;
  r[10] = (short)a / (short)(d32 % 100 + 1) + (signed char)a % (signed char)(d32 % 7 + 1);
  r[11] = (unsigned short)a % (unsigned short)(d32 % 999 + 1) + (unsigned char)a / (unsigned char)(d32 % 5 + 1);
}

__global__ void run(const unsigned long long *a, const unsigned long long *b, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    divide(a[i], b[i], out + RESULTS * i);
}

int main() {
  const int n = 500;
  Array<unsigned long long> a(n), b(n);
  Array<long long> out(RESULTS * n);
  for (int i = 0; i < n; i++) {
    a[i] = (unsigned long long)random_bits() << 32 | random_bits();
    b[i] = ((unsigned long long)random_bits() << 32 | random_bits()) >> (i % 60);
  }
  a.upload();
  b.upload();
  run<<<(n + 63) / 64, 64>>>(a.device, b.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++) {
    long long expected[RESULTS];
    divide(a[i], b[i], expected);
    EXPECT(memcmp(expected, &out[RESULTS * i], sizeof expected) == 0);
  }
  out.show("quotients");
  return verdict();
}
