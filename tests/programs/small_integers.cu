// Arrays of 8- and 16-bit integers, signed and unsigned: wrap-around, sign extension, unaligned neighbours.
#include "../check.h"

__global__ void work(unsigned char *u8, signed char *s8, unsigned short *u16, short *s16, bool *flags, int *sums,
                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  u8[i] += 200;
  s8[i] = (signed char)(s8[i] * 3);
  u16[i] = (unsigned short)(u16[i] << 3 | u16[i] >> 13);
  s16[i] = (short)(s16[i] - 30000);
  flags[i] = u8[i] > 127;
  sums[i] = u8[i] + s8[i] + u16[i] + s16[i] + flags[i];
}

int main() {
  const int n = 999;
  Array<unsigned char> u8(n);
  Array<signed char> s8(n);
  Array<unsigned short> u16(n);
  Array<short> s16(n);
  Array<bool> flags(n);
  Array<int> sums(n);
  for (int i = 0; i < n; i++) {
    u8[i] = (unsigned char)random_bits();
    s8[i] = (signed char)random_bits();
    u16[i] = (unsigned short)random_bits();
    s16[i] = (short)random_bits();
  }
  u8.upload();
  s8.upload();
  u16.upload();
  s16.upload();
  work<<<(n + 127) / 128, 128>>>(u8.device, s8.device, u16.device, s16.device, flags.device, sums.device, n);
  LAUNCHED();
  sums.download();
  flags.download();
  for (int i = 0; i < n; i++) {
    unsigned char a = (unsigned char)(u8[i] + 200);
    signed char b = (signed char)(s8[i] * 3);
    unsigned short c = (unsigned short)(u16[i] << 3 | u16[i] >> 13);
    short d = (short)(s16[i] - 30000);
    EXPECT(flags[i] == (a > 127) && sums[i] == a + b + c + d + (a > 127));
  }
  u8.download();
  u16.download();
  u8.show("u8");
  u16.show("u16");
  sums.show("sums");
  return verdict();
}
