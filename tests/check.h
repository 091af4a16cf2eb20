// check.h: shared by all test programs: error checks, reproducible data, a checksum of all bits, and the verdict.
#ifndef CUSAFE_TESTS_CHECK_H
#define CUSAFE_TESTS_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A CUDA call that must succeed. The message goes to stdout, which the runner compares between the checked and the bare
// program.
#define CU(call) check_cuda((call), #call, __LINE__)
static inline void check_cuda(cudaError_t error, const char *call, int line) {
  if (error == cudaSuccess)
    return;
  printf("line %d: %s: error %d, %s\n", line, call, (int)error, cudaGetErrorString(error));
  fflush(stdout);
  exit(1);
}

// After a launch: checks that it started and completed without an error.
#define LAUNCHED()                                                                                                     \
  do {                                                                                                                 \
    CU(cudaGetLastError());                                                                                            \
    CU(cudaDeviceSynchronize());                                                                                       \
  } while (0)

static int failures;
#define EXPECT(condition) expect((condition), #condition, __LINE__)
static inline void expect(bool ok, const char *condition, int line) {
  if (ok)
    return;
  if (failures++ < 10)
    printf("line %d: expected %s\n", line, condition);
}

// Prints a name and a checksum (FNV-1a) of the bytes, which differs if any bit differs between two runs.
static inline void show(const char *name, const void *data, size_t bytes) {
  uint64_t sum = 14695981039346656037ull;
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
  printf("%s %016llx\n", name, (unsigned long long)sum);
}

static inline int verdict(void) {
  puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}

// A generator with a fixed seed: the same numbers in every run.
static uint32_t random_state = 0x2545f491u;
static inline uint32_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

// An array on the device with a copy on the host; the destructor frees both.
template <typename T> struct Array {
  size_t count;
  T *host, *device;
  explicit Array(size_t n) : count(n), host((T *)calloc(n, sizeof(T))), device(nullptr) {
    CU(cudaMalloc((void **)&device, n * sizeof(T)));
  }
  Array(const Array &) = delete;
  ~Array() {
    CU(cudaFree(device));
    free(host);
  }
  T &operator[](size_t i) { return host[i]; }
  size_t bytes() const { return count * sizeof(T); }
  void upload() { CU(cudaMemcpy(device, host, bytes(), cudaMemcpyHostToDevice)); }
  void download() { CU(cudaMemcpy(host, device, bytes(), cudaMemcpyDeviceToHost)); }
  void show(const char *name) const { ::show(name, host, bytes()); }
};

#endif
