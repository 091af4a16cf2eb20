// Bit and integer intrinsics against plain loops on the host.
#include "../check.h"

typedef unsigned long long u64;
const int RESULTS = 27;

__global__ void intrinsics(const unsigned *a, const unsigned *b, u64 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = a[i], y = b[i];
  u64 w = (u64)x << 32 | y, *r = out + RESULTS * i;
  r[0] = __popc(x);
  r[1] = __popcll(w);
  r[2] = __clz((int)x);
  r[3] = __clzll((long long)w);
  r[4] = __brev(x);
  r[5] = __brevll(w);
  r[6] = __ffs((int)x);
  r[7] = __ffsll((long long)w);
  r[8] = __byte_perm(x, y, 0x7142);
  r[9] = __funnelshift_l(x, y, y % 41);
  r[10] = __funnelshift_r(x, y, y % 41);
  r[11] = __funnelshift_lc(x, y, y % 41);
  r[12] = __funnelshift_rc(x, y, y % 41);
  r[13] = (unsigned)__mulhi((int)x, (int)y);
  r[14] = __umulhi(x, y);
  r[15] = (u64)__mul64hi((long long)w, (long long)(w ^ ~0ull));
  r[16] = __umul64hi(w, w);
  r[17] = __sad((int)x, (int)y, 10u);
  r[18] = __usad(x, y, 10u);
  r[19] = (unsigned)__hadd((int)x, (int)y);
  r[20] = __uhadd(x, y);
  r[21] = (unsigned)__float_as_int(__int_as_float((int)(x & 0x7f7fffff)));
  r[22] = (u64)__double_as_longlong(__hiloint2double((int)(x & 0x7fefffff), (int)y));
  r[23] = __byte_perm(x, y, y & 0x7777);
  // The optimiser finds reversals of 3 and 5 bits, and of 6 bytes.
  r[24] = (x & 1) << 2 | (x & 2) | (x >> 2 & 1);
  r[25] = (x & 1) << 4 | (x & 2) << 2 | (x & 4) | (x >> 2 & 2) | (x >> 4 & 1);
  r[26] = (w & 0xff) << 40 | (w & 0xff00) << 24 | (w & 0xff0000) << 8 | (w >> 8 & 0xff0000) | (w >> 24 & 0xff00) |
          (w >> 40 & 0xff);
}

static unsigned bits(u64 v) {
  return v ? (unsigned)(v & 1) + bits(v >> 1) : 0;
}
static u64 reversed(u64 v, int n) {
  u64 r = 0;
  for (int i = 0; i < n; i++)
    r |= (v >> i & 1) << (n - 1 - i);
  return r;
}
static unsigned leading(u64 v, int n) {
  int i = 0;
  while (i < n && !(v >> (n - 1 - i) & 1))
    i++;
  return (unsigned)i;
}
static unsigned first(u64 v) {
  for (int i = 0; i < 64; i++)
    if (v >> i & 1)
      return (unsigned)i + 1;
  return 0;
}
static unsigned permuted(unsigned x, unsigned y, unsigned s) {
  u64 both = (u64)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++)
    r |= (unsigned)(both >> (8 * (s >> (4 * i) & 7)) & 0xff) << (8 * i);
  return r;
}

int main() {
  const int n = 300;
  Array<unsigned> a(n), b(n);
  Array<u64> out(RESULTS * n);
  for (int i = 0; i < n; i++) {
    a[i] = i == 0 ? 0 : i == 1 ? 0x80000000u : i < 40 ? random_bits() >> (i - 8 > 0 ? i - 8 : 0) : random_bits();
    b[i] = i < 2 ? 0 : random_bits();
  }
  a.upload();
  b.upload();
  intrinsics<<<(n + 63) / 64, 64>>>(a.device, b.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++) {
    unsigned x = a[i], y = b[i], s = y % 41, wrapped = s % 32, clamped = s > 32 ? 32 : s;
    u64 w = (u64)x << 32 | y, yx = (u64)y << 32 | x;
    unsigned __int128 product = (unsigned __int128)w * w;
    __int128 signed_product = (__int128)(long long)w * (long long)~w;
    const u64 *r = &out[RESULTS * i];
    EXPECT(r[0] == bits(x) && r[1] == bits(w));
    EXPECT(r[2] == leading(x, 32) && r[3] == leading(w, 64));
    EXPECT(r[4] == reversed(x, 32) && r[5] == reversed(w, 64));
    EXPECT(r[6] == first(x) && r[7] == first(w));
    EXPECT(r[8] == permuted(x, y, 0x7142) && r[23] == permuted(x, y, y));
    EXPECT(r[9] == (unsigned)(yx << wrapped >> 32));
    EXPECT(r[10] == (unsigned)(yx >> wrapped));
    EXPECT(r[11] == (unsigned)(yx << clamped >> 32));
    EXPECT(r[12] == (unsigned)(yx >> clamped));
    EXPECT(r[13] == (unsigned)((u64)((long long)(int)x * (int)y) >> 32));
    EXPECT(r[14] == (u64)x * y >> 32);
    EXPECT(r[15] == (u64)((unsigned __int128)signed_product >> 64));
    EXPECT(r[16] == (u64)(product >> 64));
    long long difference = (long long)(int)x - (int)y;
    EXPECT(r[17] == (unsigned)((u64)(difference < 0 ? -difference : difference) + 10));
    EXPECT(r[18] == (unsigned)((x > y ? x - y : y - x) + 10));
    EXPECT(r[19] == (unsigned)(((long long)(int)x + (int)y) >> 1));
    EXPECT(r[20] == (unsigned)(((u64)x + y) >> 1));
    EXPECT(r[21] == (x & 0x7f7fffff));
    EXPECT(r[22] == ((u64)(x & 0x7fefffff) << 32 | y));
    EXPECT(r[24] == reversed(x & 7, 3) && r[25] == reversed(x & 31, 5));
    u64 swapped = 0;
    for (int byte = 0; byte < 6; byte++)
      swapped |= (w >> (8 * byte) & 0xff) << (40 - 8 * byte);
    EXPECT(r[26] == swapped);
  }
  out.show("bits");
  return verdict();
}
