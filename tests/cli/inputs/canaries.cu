// canaries.cu: with -DCLOSED a kernel without checks and its launch; otherwise the program around it, with checks.
#include <cstdio>
#include <cstdlib>
void poke(char *p, long first, long count);
#ifdef CLOSED
__global__ void poke_kernel(char *p, long first, long count) {
  for (long i = 0; i < count; i++)
    p[first + i] = (char)i;
}
void poke(char *p, long first, long count) {
  poke_kernel<<<1, 1>>>(p, first, count);
}
#else
__global__ void fill(char *p, long n) {
  for (long i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = (char)i;
}

// One buffer for each size and place in the slack; each is written to at that place only.
static int seed() {
  const long sizes[] = {1, 100, 255, 256, 1000, 4096, 5000, 65536, 100000, 1 << 20, (2 << 20) + 100, 5000000};
  int seeds = 0;
  for (long size : sizes) {
    long window = 256;
    while (window <= size)
      window *= 2;
    long slack = size < 2 << 20 ? window - size : ((size + (2 << 20) - 1) & ~((2l << 20) - 1)) - size;
    for (long at : {0l, 1l, 7l, 63l, 511l, 3583l, slack - 512, slack - 1})
      if (at >= 0 && at < slack && (at < 3584 || at >= slack - 512)) {
        char *p;
        if (cudaMalloc(&p, size))
          return -1;
        fill<<<1, 32>>>(p, size);
        poke(p, size + at, 1);
        cudaFree(p);
        seeds++;
      }
  }
  return seeds;
}

// A kernel without checks and one with checks use the same buffers correctly; n buffers, of `size` bytes.
static int work(int n, long size) {
  char *a, *b;
  for (int i = 0; i < n; i++) {
    if (cudaMalloc(&a, size) || cudaMalloc(&b, size))
      return -1;
    fill<<<1, 32>>>(a, size);
    poke(a, 0, size < 64 ? size : 64);
    cudaMemcpy(b, a, size, cudaMemcpyDeviceToDevice);
    poke(b, size - 1, 1);
    cudaFree(a);
    cudaFree(b);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 1)
    printf("%d seeds\n", seed());
  else
    printf("%d\n", work(atoi(argv[1]), atol(argv[2])));
  return 0;
}
#endif
