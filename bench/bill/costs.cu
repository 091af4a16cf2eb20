// costs.cu: what is paid outside kernels: allocations and launches. Usage: costs allocate COUNT BYTES | costs launch COUNT
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
#include <vector>

static void must(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

// BENCH_CLOCK as in bench.h.
static double now_ms() {
  static const char *const kind = getenv("BENCH_CLOCK");
  timespec t;
  clock_gettime(kind && !strcmp(kind, "cpu") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

__global__ void touch(int *p) {
  p[threadIdx.x] += 1;
}

// Milliseconds for all allocations, and for all frees.
static void allocate(long count, size_t bytes) {
  std::vector<void *> buffers(count);
  double start = now_ms();
  for (void *&p : buffers)
    must(cudaMalloc(&p, bytes));
  double middle = now_ms();
  for (void *p : buffers)
    must(cudaFree(p));
  printf("%.3f %.3f\n", middle - start, now_ms() - middle);
}

// Launches a second, one after the other, and each waited for.
static void launch(long count, int *p) {
  double start = now_ms();
  for (long i = 0; i < count; i++)
    touch<<<1, 32>>>(p);
  must(cudaDeviceSynchronize());
  double middle = now_ms();
  for (long i = 0; i < count; i++) {
    touch<<<1, 32>>>(p);
    must(cudaDeviceSynchronize());
  }
  printf("%.1f %.1f\n", count * 1e3 / (middle - start), count * 1e3 / (now_ms() - middle));
  int got[32];
  must(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
  for (int value : got)
    if (value != 2 * count + 1) {
      fprintf(stderr, "%d launches have been counted\n", value);
      exit(1);
    }
}

int main(int argc, char **argv) {
  int *p;
  must(cudaMalloc(&p, 32 * sizeof *p));
  must(cudaMemset(p, 0, 32 * sizeof *p));
  touch<<<1, 32>>>(p); // loads the module
  must(cudaDeviceSynchronize());
  if (argc == 4 && !strcmp(argv[1], "allocate"))
    allocate(atol(argv[2]), (size_t)atol(argv[3]));
  else if (argc == 3 && !strcmp(argv[1], "launch"))
    launch(atol(argv[2]), p);
  else
    return 2;
  must(cudaFree(p));
  return 0;
}
