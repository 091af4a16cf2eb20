// Relaxed vector accesses are single-copy atomic: a block never reads half of a pair that another writes, as decoupled look-back
// expects.
#include "../check.h"

constexpr int iterations = 400000;
typedef unsigned long long u64;

// Block 0 writes multiples of one number; block 1 counts the vectors that do not fit together.
__global__ void pairs_of_64(ulonglong2 *shared, unsigned *torn) {
  if (blockIdx.x == 0) {
    for (u64 i = 1; i <= iterations; i++)
      asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" ::"l"(shared), "l"(i), "l"(i * 3) : "memory");
    return;
  }
  for (int i = 0; i < iterations; i++) {
    u64 x, y;
    asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(shared) : "memory");
    *torn += y != x * 3;
  }
}

__global__ void pairs_of_32(uint2 *shared, unsigned *torn) {
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= iterations; i++)
      asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %2};" ::"l"(shared), "r"(i), "r"(i * 3) : "memory");
    return;
  }
  for (int i = 0; i < iterations; i++) {
    unsigned x, y;
    asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(shared) : "memory");
    *torn += y != x * 3;
  }
}

__global__ void fours_of_32(uint4 *shared, unsigned *torn) {
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= iterations; i++)
      asm volatile("st.relaxed.gpu.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(shared), "r"(i), "r"(i * 3), "r"(i * 5),
                   "r"(i * 7)
                   : "memory");
    return;
  }
  for (int i = 0; i < iterations; i++) {
    uint4 v;
    asm volatile("ld.relaxed.gpu.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(shared)
                 : "memory");
    *torn += v.y != v.x * 3 || v.z != v.x * 5 || v.w != v.x * 7;
  }
}

__global__ void fours_of_16(ushort4 *shared, unsigned *torn) {
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= iterations; i++) {
      unsigned short a = (unsigned short)i, b = (unsigned short)(a * 3), c = (unsigned short)(a * 5),
                     d = (unsigned short)(a * 7);
      asm volatile("st.relaxed.gpu.v4.u16 [%0], {%1, %2, %3, %4};" ::"l"(shared), "h"(a), "h"(b), "h"(c), "h"(d)
                   : "memory");
    }
    return;
  }
  for (int i = 0; i < iterations; i++) {
    unsigned short a, b, c, d;
    asm volatile("ld.relaxed.gpu.v4.u16 {%0, %1, %2, %3}, [%4];"
                 : "=h"(a), "=h"(b), "=h"(c), "=h"(d)
                 : "l"(shared)
                 : "memory");
    *torn += b != (unsigned short)(a * 3) || c != (unsigned short)(a * 5) || d != (unsigned short)(a * 7);
  }
}

template <typename V> static unsigned torn(void (*kernel)(V *, unsigned *)) {
  Array<V> shared(1);
  Array<unsigned> count(1);
  shared.upload();
  count.upload();
  kernel<<<2, 1>>>(shared.device, count.device);
  LAUNCHED();
  count.download();
  return count[0];
}

int main() {
  EXPECT(torn(pairs_of_64) == 0);
  EXPECT(torn(pairs_of_32) == 0);
  EXPECT(torn(fours_of_32) == 0);
  EXPECT(torn(fours_of_16) == 0);
  return verdict();
}
