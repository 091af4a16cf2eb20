// sample.cu: launches that are sampled. many N: a kernel that writes past its buffer, N times. each: KERNELS kernels that
// do, 20 times each, with two shapes. control FILE: how launches follow the file. mixed N: pointers that one launch stores and another one loads, all valid.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef KERNELS
#define KERNELS 12
#endif

enum { COUNT = 64 };

__global__ void past(int *p, int i) {
  p[i] = 1;
}

template <int K> __global__ void each(int *p, int i) {
  p[i + K] = K;
}
template <int K> void launch_each(int *p) {
  for (int i = 0; i < 20; i++)
    each<K><<<1 + i / 10, 1>>>(p, COUNT);
  if constexpr (K > 0)
    launch_each<K - 1>(p);
}

__device__ int variable[COUNT];
__device__ __noinline__ int sum(int *const *table) {
  return *table[0] + *table[1] + table[2][3 * COUNT];
}
__global__ void store_variables(int **table) {
  table[0] = variable;
  table[1] = variable + 1;
}
__global__ void store_outside(int **table, int *p) {
  table[2] = p - 3 * COUNT; // outside the window of p
}
__global__ void load(int **table, int *total) {
  *total += sum(table);
  int *p = table[2] + 3 * COUNT;
  if (p == table[2])
    *total = -1;
  p[threadIdx.x] = 1;
}

static int mixed(int launches, int *p) {
  int **table, *total, *others, result = 0;
  cudaMalloc(&others, COUNT * sizeof *others); // next to p
  cudaMalloc(&table, 3 * sizeof *table);
  cudaMalloc(&total, sizeof *total);
  cudaMemset(total, 0, sizeof *total);
  cudaMemset(p, 0, COUNT * sizeof *p);
  for (int i = 0; i < launches; i++) {
    store_variables<<<1, 1>>>(table);
    store_outside<<<1, 1>>>(table, p);
    load<<<1, COUNT>>>(table, total);
  }
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  return result;
}

// A write past the end takes effect in launches without checks only; other bytes of the window follow.
static int is_checked() {
  static volatile int *p;
  if (!p)
    cudaMallocManaged((void **)&p, (COUNT - 1) * sizeof *p);
  p[COUNT - 1] = 0;
  past<<<1, 1>>>((int *)p, COUNT - 1);
  cudaDeviceSynchronize();
  return !p[COUNT - 1];
}

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Writes the line, and waits until launches are checked, or are not.
static int follows(const char *file, const char *line, int checked) {
  double start = seconds();
  FILE *out = fopen(file, "w");
  fprintf(out, "%s\n", line);
  fclose(out);
  while (is_checked() != checked && seconds() - start < 3)
    usleep(10000);
  printf("%s: %s\n", line, seconds() - start < 1.5 ? "followed" : "late");
  return is_checked() == checked;
}

static int control(const char *file) {
  int right = !is_checked(); // the file says off
  right &= follows(file, "on", 1) & follows(file, "sample=0", 0) & follows(file, "sample=1", 1);
  chmod(file, 0666);
  int late = !follows(file, "off", 0);
  return right & late;
}

int main(int argc, char **argv) {
  int *p, n = argc > 2 ? atoi(argv[2]) : 1;
  cudaMalloc(&p, COUNT * sizeof *p);
  if (!strcmp(argv[1], "many"))
    for (int i = 0; i < n; i++)
      past<<<1, 1>>>(p, COUNT);
  else if (!strcmp(argv[1], "each"))
    launch_each<KERNELS - 1>(p);
  else if (!strcmp(argv[1], "control"))
    return !control(argv[2]);
  else if (mixed(n, p) < 0)
    return 1;
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}
