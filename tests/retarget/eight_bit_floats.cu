// Conversions of pairs of 8-bit floats: the toolkit's header is inline PTX from sm_89 on, and C++ on the host, which is the reference.
#include "../check.h"
#include <cuda_fp8.h>

enum { COUNT = 1 << 16 };

struct result {
  unsigned short from_floats[2], from_halves[2], positive[2];
  unsigned halves[2];
};

#define CONVERT(r, k, name)                                                                                            \
  asm("cvt.rn.satfinite." name ".f32 %0, %1, %2;" : "=h"((r)->from_floats[k]) : "f"(high), "f"(low));                  \
  asm("cvt.rn.satfinite.relu." name ".f32 %0, %1, %2;" : "=h"((r)->positive[k]) : "f"(high), "f"(low));                \
  asm("cvt.rn.satfinite." name ".f16x2 %0, %1;" : "=h"((r)->from_halves[k]) : "r"(halves));                            \
  asm("cvt.rn.f16x2." name " %0, %1;" : "=r"((r)->halves[k]) : "h"((unsigned short)t));

/* Each thread has the bits of one half, and of a float near it that has more digits. */
__device__ float near(unsigned t) {
  return __uint_as_float(t << 16 | (t * 40503u & 0xffff));
}

__global__ void convert(struct result *results) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, halves = t << 16 | (t ^ 0x8001);
  float high = near(t), low = near(t ^ 0x8001);
  CONVERT(results + t, 0, "e4m3x2")
  CONVERT(results + t, 1, "e5m2x2")
}

static float host_near(unsigned t) {
  unsigned bits = t << 16 | (t * 40503u & 0xffff);
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static unsigned encoded(float x, __nv_fp8_interpretation_t k) {
  return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, k);
}

static unsigned encoded_half(unsigned bits, __nv_fp8_interpretation_t k) {
  __half_raw h;
  h.x = (unsigned short)bits;
  return __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, k);
}

static unsigned positive(unsigned code) {
  return code & 0x80 ? 0 : code;
}

static unsigned decoded(unsigned code, __nv_fp8_interpretation_t k) {
  return __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)code, k).x;
}

static void compare(const struct result *r, unsigned t, int i, __nv_fp8_interpretation_t k) {
  unsigned other = t ^ 0x8001, high = encoded(host_near(t), k), low = encoded(host_near(other), k);
  EXPECT(r->from_floats[i] == (high << 8 | low));
  EXPECT(r->positive[i] == (positive(high) << 8 | positive(low)));
  EXPECT(r->from_halves[i] == (encoded_half(t, k) << 8 | encoded_half(other, k)));
  EXPECT(r->halves[i] == (decoded(t >> 8, k) << 16 | decoded(t & 0xff, k)));
}

int main() {
  Array<struct result> results(COUNT);
  convert<<<COUNT / 128, 128>>>(results.device);
  LAUNCHED();
  results.download();
  for (unsigned t = 0; t < COUNT; t++) {
    compare(&results[t], t, 0, __NV_E4M3);
    compare(&results[t], t, 1, __NV_E5M2);
  }
  results.show("eight bits");
  return verdict();
}
