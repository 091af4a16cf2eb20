// options.cu: errors that CuSafe detects only if an option enables it: leaks at exit, and invalid pointer arguments.
#include "case.h"

TWINS(leak, bool lost, true, false) {
  void *a;
  CU(cudaMalloc(&a, 100)); // BUG: leak
  if (!lost)
    CU(cudaFree(a));
}

// A template of the toolkit's header is between the program and the call.
TWINS(leak_by_template, bool lost, true, false) {
  int *a;
  CU(cudaMalloc(&a, 100)); // BUG: leak_by_template
  if (!lost)
    CU(cudaFree(a));
}

TWINS(leak_in_loop, bool lost, true, false) {
  void *a = nullptr;
  for (int i = 0; i < 5; i++) {
    if (!lost)
      CU(cudaFree(a));
    CU(cudaMalloc(&a, 100)); // BUG: leak_in_loop
  }
  CU(cudaFree(a));
}

TWINS(leak_pinned, bool lost, true, false) {
  void *a;
  CU(cudaMallocHost(&a, 100)); // BUG: leak_pinned
  if (!lost)
    CU(cudaFreeHost(a));
}

TWINS(leak_managed, bool lost, true, false) {
  void *a;
  CU(cudaMallocManaged(&a, 100)); // BUG: leak_managed
  if (!lost)
    CU(cudaFree(a));
}

TWINS(leak_stream, bool lost, true, false) {
  void *a;
  CU(cudaMallocAsync(&a, 100, 0)); // BUG: leak_stream
  if (!lost)
    CU(cudaFreeAsync(a, 0));
  CU(cudaDeviceSynchronize());
}

// The same without the option.
CASE(leak_check_off) {
  void *a;
  CU(cudaMalloc(&a, 100));
}

// The pointer is only compared, never dereferenced.
__global__ void compare(const int *p, int *out) {
  out[0] = p == out;
}

TWINS(stale_argument, bool early, true, false) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  if (early)
    release(a);
  compare<<<1, 1>>>(a, out); // BUG: stale_argument
  LAUNCHED();
  if (!early)
    release(a);
  release(out);
}

TWINS(stale_interior_argument, bool early, true, false) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  if (early)
    release(a);
  churn(10, 64);
  compare<<<1, 1>>>(a + 5, out); // BUG: stale_interior_argument
  LAUNCHED();
  if (!early)
    release(a);
  release(out);
}

TWINS(host_heap_argument, bool wrong, true, false) {
  int *a = (int *)malloc(64), *b = buffer<int>(16), *out = buffer<int>(1);
  compare<<<1, 1>>>(wrong ? a : b, out); // BUG: host_heap_argument
  LAUNCHED();
  free(a), release(b), release(out);
}

TWINS(host_stack_argument, bool wrong, true, false) {
  int a[16] = {}, *b = buffer<int>(16), *out = buffer<int>(1);
  compare<<<1, 1>>>(wrong ? a : b, out); // BUG: host_stack_argument
  LAUNCHED();
  release(b), release(out);
}

// Valid arguments: null, one past the end, pinned, managed, and a module variable.
__device__ int variable;

CASE(argument_kinds) {
  int *out = buffer<int>(4), *pinned, *managed;
  void *address;
  CU(cudaMallocHost((void **)&pinned, 64));
  CU(cudaMallocManaged((void **)&managed, 64));
  CU(cudaGetSymbolAddress(&address, variable));
  compare<<<1, 1>>>(nullptr, out);
  compare<<<1, 1>>>(out + 4, out);
  compare<<<1, 1>>>(pinned, out);
  compare<<<1, 1>>>(managed + 3, out);
  compare<<<1, 1>>>((int *)address, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  CU(cudaFreeHost(pinned)), CU(cudaFree(managed)), release(out);
}

// The same without the option.
CASE(stale_check_off) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  release(a);
  compare<<<1, 1>>>(a, out);
  LAUNCHED();
  release(out);
}
