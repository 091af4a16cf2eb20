// printf in a kernel: conversions, widths, strings, 64-bit values, no arguments, in the order of the launches.
// PRINTS: start
// PRINTS: hello from thread 0
// PRINTS: [   42] [00042] [42   ] [+42] [-7]
// PRINTS: 4294967295 0xdeadbeef DEAD 777
// PRINTS: -9000000000000000000 18446744073709551615
// PRINTS: 1.500000 2.25 -3.0000e+02 0.10000
// PRINTS: text: one, two, padded [  three]
// PRINTS: char Z percent %
// PRINTS: returned 9
// PRINTS: launch 0
// PRINTS: launch 1
// PRINTS: launch 2
// PRINTS: 31 threads of block 1 printed nothing
#include "../check.h"

__global__ void conversions() {
  printf("hello from thread %d\n", threadIdx.x);
  printf("[%5d] [%05d] [%-5d] [%+d] [%d]\n", 42, 42, 42, 42, -7);
  printf("%u 0x%x %X %o\n", 0xffffffffu, 0xdeadbeefu, 0xdeadu, 0777);
  printf("%lld %llu\n", -9000000000000000000ll, 18446744073709551615ull);
  printf("%f %g %.4e %.*f\n", 1.5f, 2.25, -300.0, 5, 0.1);
  printf("text: %s, %s, padded [%7s]\n", "one", "two", "three");
  printf("char %c percent %%\n", 'Z');
  int arguments = printf("%d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9);
  printf("returned %d\n", arguments);
}

__global__ void number(int i) {
  printf("launch %d\n", i);
}

__global__ void one_prints() {
  if (blockIdx.x == 1 && threadIdx.x == 31)
    printf("%d threads of block %d printed nothing\n", threadIdx.x, blockIdx.x);
}

int main() {
  puts("start");
  fflush(stdout);
  conversions<<<1, 1>>>();
  LAUNCHED();
  for (int i = 0; i < 3; i++)
    number<<<1, 1>>>(i);
  CU(cudaDeviceSynchronize());
  one_prints<<<2, 32>>>();
  LAUNCHED();
  return verdict();
}
