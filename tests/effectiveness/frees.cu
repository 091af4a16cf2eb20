// frees.cu: pointers freed twice, and freed pointers that no allocation call has returned.
#include "case.h"

TWINS(inside, int offset, 1, 0) {
  int *a = buffer<int>(16);
  CU(cudaFree(a + offset)); // BUG: inside
}

TWINS(never_allocated, bool wrong, true, false) {
  int local = 0, *a = buffer<int>(16);
  CU(cudaFree(wrong ? &local : a)); // BUG: never_allocated
}

TWINS(one_past_end, int offset, 64, 0) {
  int *a = buffer<int>(64);
  CU(cudaFree(a + offset)); // BUG: one_past_end
}

TWINS(host_memory, bool wrong, true, false) {
  void *a = malloc(64), *b = buffer<int>(16);
  CU(cudaFree(wrong ? a : b)); // BUG: host_memory
  free(a);
}

// cudaFreeHost, not cudaFree, frees pinned memory.
TWINS(pinned_by_wrong_call, bool wrong, true, false) {
  void *a;
  CU(cudaMallocHost(&a, 64));
  if (wrong)
    CU(cudaFree(a)); // BUG: pinned_by_wrong_call
  else
    CU(cudaFreeHost(a));
}

TWINS(device_by_host_call, bool wrong, true, false) {
  void *a = buffer<int>(16);
  if (wrong)
    CU(cudaFreeHost(a)); // BUG: device_by_host_call
  else
    CU(cudaFree(a));
}

// Freeing a null pointer is valid.
CASE(null_pointer) {
  CU(cudaFree(nullptr));
  CU(cudaFreeHost(nullptr));
}

TWINS(at_once, bool twice, true, false) {
  int *a = buffer<int>(16);
  CU(cudaFree(a));
  if (twice)
    CU(cudaFree(a)); // BUG: at_once
}

TWINS(by_copy, bool twice, true, false) {
  int *a = buffer<int>(16), *copy = a;
  CU(cudaFree(a));
  if (twice)
    CU(cudaFree(copy)); // BUG: by_copy
}

// The second free must not free the allocation that has reused the address.
TWINS(delayed, bool twice, true, false) {
  int *a = buffer<int>(16);
  CU(cudaFree(a));
  int *b = buffer<int>(16);
  if (twice)
    CU(cudaFree(a)); // BUG: delayed
  EXPECT(value(b) == 0);
  CU(cudaFree(b));
}

TWINS(delayed_1000, bool twice, true, false) {
  int *a = buffer<int>(16);
  CU(cudaFree(a));
  churn(1000, 64);
  if (twice)
    CU(cudaFree(a)); // BUG: delayed_1000
}

TWINS(host_twice, bool twice, true, false) {
  void *a;
  CU(cudaMallocHost(&a, 64));
  CU(cudaFreeHost(a));
  if (twice)
    CU(cudaFreeHost(a)); // BUG: host_twice
}

TWINS(managed_twice, bool twice, true, false) {
  void *a;
  CU(cudaMallocManaged(&a, 64));
  CU(cudaFree(a));
  if (twice)
    CU(cudaFree(a)); // BUG: managed_twice
}

TWINS(stream_twice, bool twice, true, false) {
  void *a;
  CU(cudaMallocAsync(&a, 64, 0));
  CU(cudaFreeAsync(a, 0));
  if (twice)
    CU(cudaFreeAsync(a, 0)); // BUG: stream_twice
  CU(cudaDeviceSynchronize());
}

// The free is a function's last statement: the function must still be in the call stack.
static __attribute__((noinline)) void let_go(char *a) {
  cudaFree(a); // BUG: free_as_last_statement
}

TWINS(free_as_last_statement, int times, 2, 1) {
  char *a = buffer<char>(100);
  for (int i = 0; i < times; i++)
    let_go(a);
}
