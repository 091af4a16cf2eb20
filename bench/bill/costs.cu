// costs.cu: costs outside kernels: allocations and launches. Usage: costs allocate COUNT BYTES | costs launch COUNT | costs use COUNT BYTES
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

// The timed parts are separate functions, so that a profiler can be limited to them.
#define TIMED __attribute__((noinline))

TIMED static double allocate_all(std::vector<void *> &buffers, size_t bytes) {
  double start = now_ms();
  for (void *&p : buffers)
    must(cudaMalloc(&p, bytes));
  return now_ms() - start;
}

TIMED static double free_all(const std::vector<void *> &buffers) {
  double start = now_ms();
  for (void *p : buffers)
    must(cudaFree(p));
  return now_ms() - start;
}

// One buffer at a time, like a program that frees each buffer after use.
TIMED static double in_turn(long count, size_t bytes) {
  double start = now_ms();
  for (long i = 0; i < count; i++) {
    void *p;
    must(cudaMalloc(&p, bytes));
    must(cudaFree(p));
  }
  return now_ms() - start;
}

// Prints milliseconds for all allocations, for all frees, and for the same number of buffers one at a time, from an empty heap.
static void allocate(long count, size_t bytes) {
  std::vector<void *> buffers(count);
  double allocated = allocate_all(buffers, bytes), freed = free_all(buffers);
  printf("%.3f %.3f %.3f\n", allocated, freed, in_turn(count, bytes));
}

TIMED static double launch_in_a_row(long count, int *p) {
  double start = now_ms();
  for (long i = 0; i < count; i++)
    touch<<<1, 32>>>(p);
  must(cudaDeviceSynchronize());
  return now_ms() - start;
}

TIMED static double launch_and_wait(long count, int *p) {
  double start = now_ms();
  for (long i = 0; i < count; i++) {
    touch<<<1, 32>>>(p);
    must(cudaDeviceSynchronize());
  }
  return now_ms() - start;
}

static void verify(const int *p, long count) {
  int got[32];
  must(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
  for (int value : got)
    if (value != count) {
      fprintf(stderr, "counted %d launches, expected %ld\n", value, count);
      exit(1);
    }
}

// At the thousandth launch of a small grid the CPU device compiles the kernel again (cpu/cuda/code/launch.c), or loads it from its cache.
enum { YOUNG = 900, BETWEEN = 200 };

// Prints microseconds: per launch of a new kernel; for all launches around the second compilation; then per launch without and with
// synchronisation after each.
static void launch(long count, int *p) {
  double young = launch_in_a_row(YOUNG, p), between = launch_in_a_row(BETWEEN, p);
  double in_a_row = launch_in_a_row(count, p), waited = launch_and_wait(count, p);
  printf("%.3f %.3f %.3f %.3f\n", young * 1e3 / YOUNG, between * 1e3, in_a_row * 1e3 / count, waited * 1e3 / count);
  verify(p, 1 + YOUNG + BETWEEN + 2 * count);
}

static double thread_ms() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

TIMED static double use_in_turn(long count, size_t bytes) {
  double start = thread_ms();
  for (long i = 0; i < count; i++) {
    int *p;
    must(cudaMalloc(&p, bytes));
    touch<<<1, 32>>>(p);
    must(cudaFree(p));
  }
  return thread_ms() - start;
}

// Prints microseconds of this thread's processor time for a buffer that is allocated, used by one launch and freed: the fastest of some rounds.
static void use(long count, size_t bytes) {
  double best = use_in_turn(count, bytes);
  for (int i = 0; i < 20; i++) {
    double ms = use_in_turn(count, bytes);
    best = ms < best ? ms : best;
  }
  printf("%.3f\n", best * 1e3 / count);
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
  else if (argc == 4 && !strcmp(argv[1], "use"))
    use(atol(argv[2]), (size_t)atol(argv[3]));
  else
    return 2;
  must(cudaFree(p));
  return 0;
}
