// Unions that reinterpret memory, and bit-fields, packed and signed.
#include "../check.h"

union Word {
  float f;
  unsigned u;
  unsigned char bytes[4];
  struct {
    unsigned mantissa : 23, exponent : 8, sign : 1;
  } parts;
};

struct Packed {
  unsigned a : 3;
  int b : 5;
  unsigned long long c : 40;
  unsigned char d : 1, e : 7;
};

__global__ void reinterpret(const float *in, unsigned *out, Packed *packed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Word w;
  w.f = in[i];
  w.parts.sign ^= 1;
  w.parts.exponent++;
  out[4 * i] = w.u;
  w.bytes[i % 4] = 0xaa;
  out[4 * i + 1] = w.u;
  Packed p = packed[i];
  p.a += 3;
  p.b -= 9;
  p.c *= 3;
  p.e = (unsigned char)(p.e + p.d);
  packed[i] = p;
  out[4 * i + 2] = p.a * 1000u + (unsigned)p.b;
  out[4 * i + 3] = (unsigned)(p.c >> 20) + p.e;
}

int main() {
  const int n = 100;
  Array<float> in(n);
  Array<unsigned> out(4 * n);
  Array<Packed> packed(n);
  Array<Packed> before(n);
  for (int i = 0; i < n; i++) {
    in[i] = (float)(int)random_bits() * 0.001f;
    memset(&packed[i], 0, sizeof(Packed));
    packed[i].a = random_bits() & 7;
    packed[i].b = (int)(random_bits() % 32) - 16;
    packed[i].c = ((unsigned long long)random_bits() << 8 | 5) & ((1ull << 40) - 1);
    packed[i].d = random_bits() & 1;
    packed[i].e = random_bits() & 127;
    before[i] = packed[i];
  }
  in.upload();
  packed.upload();
  reinterpret<<<2, 64>>>(in.device, out.device, packed.device, n);
  LAUNCHED();
  out.download();
  packed.download();
  for (int i = 0; i < n; i++) {
    unsigned u;
    memcpy(&u, &in[i], 4);
    u = (u ^ 0x80000000u) + 0x00800000u;
    EXPECT(out[4 * i] == u);
    unsigned shift = 8 * (i % 4);
    EXPECT(out[4 * i + 1] == ((u & ~(0xffu << shift)) | 0xaau << shift));
    Packed p = before[i];
    p.a += 3;
    p.b -= 9;
    p.c *= 3;
    p.e = (unsigned char)(p.e + p.d);
    EXPECT(packed[i].a == p.a && packed[i].b == p.b && packed[i].c == p.c && packed[i].d == p.d && packed[i].e == p.e);
    EXPECT(out[4 * i + 2] == p.a * 1000u + (unsigned)p.b && out[4 * i + 3] == (unsigned)(p.c >> 20) + p.e);
  }
  out.show("out");
  return verdict();
}
