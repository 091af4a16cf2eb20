// Registers in inline PTX that are written with one %, as nvcc accepts them: special ones, and some that the PTX declares.
#include "../check.h"

#define LANE(x) asm("mov.u32 %0, %laneid;" : "=r"(x))

__device__ unsigned twice(unsigned a) {
  unsigned b;
  asm("{ .reg .u32 %half;"
      "  mov.u32 %half, %1;" // a comment with "%quotes"
      "  add.u32 %0, %half, %half; }"
      : "=r"(b)
      : "r"(a));
  return b;
}

__global__ void registers(unsigned *out) {
  unsigned lane, thread, width;
  unsigned long long before, after;
  LANE(lane);
  asm volatile("mov.u64 %0, %clock64;" : "=l"(before) : : "memory");
  asm("mov.u32 %0, %tid.x;\n\tmov.u32 %1, %%ntid.x;" : "=r"(thread), "=r"(width));
  asm volatile("mov.u64 %0, %clock64;" : "=l"(after) : : "memory");
  out[threadIdx.x] = twice(lane) + 100 * thread + 10000 * width + (after < before);
}

int main() {
  Array<unsigned> out(96);
  registers<<<1, 96>>>(out.device);
  LAUNCHED();
  out.download();
  out.show("out");
  for (unsigned t = 0; t < 96; t++)
    EXPECT(out[t] == 2 * (t % 32) + 100 * t + 960000);
  return verdict();
}
