// poison.cu: ranges of buffers that a program poisons and unpoisons (cusafe/cusafe.h).
#include "case.h"
#include <cusafe/cusafe.h>

__global__ void put(int *a, long i) {
  a[i] = 1; // BUG: write twice poisoned_again of_carved whole_buffer first_byte last_byte after_release one_of_two
}
__global__ void take(const int *a, long i, int *to) {
  *to = a[i]; // BUG: read
}
__global__ void add(int *a, long i) {
  atomicAdd(a + i, 1); // BUG: atomic
}
__global__ void put_wide(int4 *a) {
  a[0] = make_int4(1, 2, 3, 4); // BUG: wide
}
__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = i; // BUG: grid
}
__global__ void sum(const int *a, int n, int *to) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += a[i]; // BUG: loop
  *to = s;
}
__global__ void put_byte(char *a, long i) {
  a[i] = 1; // BUG: byte
}
struct Row {
  int *cells;
};
__global__ void put_row(Row *rows, int i) {
  rows[0].cells[i] = 7; // BUG: loaded_pointer
}
__global__ void clear(char *a, long n) {
  memset(a, 0, n); // BUG: set_in_kernel
}

// Ints 64 to 127 of 256 are poisoned.
static int *poisoned() {
  int *a = buffer<int>(256);
  cusafe_poison(a + 64, 256);
  return a;
}

__global__ void put_in_graph(char *p, long i) {
  p[i] = 1; // BUG: graph_after_part
}

TWINS(write, long i, 64, 63) {
  int *a = poisoned();
  put<<<1, 1>>>(a, i);
  LAUNCHED();
  EXPECT(value(a + 63) == 1);
  release(a);
}
TWINS(last_byte, long i, 127, 128) {
  int *a = poisoned();
  put<<<1, 1>>>(a, i);
  LAUNCHED();
  release(a);
}
TWINS(read, long i, 100, 200) {
  int *a = poisoned(), *to = buffer<int>(1);
  take<<<1, 1>>>(a, i, to);
  LAUNCHED();
  release(a);
  release(to);
}
TWINS(atomic, long i, 100, 200) {
  int *a = poisoned();
  add<<<1, 1>>>(a, i);
  LAUNCHED();
  release(a);
}
TWINS(first_byte, int offset, 1, 0) {
  int *a = buffer<int>(256);
  cusafe_poison((char *)(a + 65) - offset, 64);
  put<<<1, 1>>>(a, 64);
  LAUNCHED();
  release(a);
}
TWINS(byte, long i, 1001, 1000) {
  char *a = buffer<char>(4000);
  cusafe_poison(a + 1001, 1);
  put_byte<<<1, 1>>>(a, i);
  LAUNCHED();
  release(a);
}
TWINS(wide, int first, 63, 64) {
  int *a = buffer<int>(256);
  cusafe_poison(a + first, 4);
  put_wide<<<1, 1>>>((int4 *)(a + 60));
  LAUNCHED();
  release(a);
}
TWINS(grid, int n, 65, 64) {
  int *a = poisoned();
  fill<<<2, 128>>>(a, n);
  LAUNCHED();
  release(a);
}
TWINS(loop, int n, 65, 64) {
  int *a = poisoned(), *to = buffer<int>(1);
  sum<<<1, 1>>>(a, n, to);
  LAUNCHED();
  release(a);
  release(to);
}
TWINS(set_in_kernel, long n, 257, 256) {
  int *a = poisoned();
  clear<<<1, 1>>>((char *)a, n);
  LAUNCHED();
  release(a);
}
TWINS(loaded_pointer, int i, 64, 63) {
  Row row = {poisoned()}, *rows = buffer<Row>(1);
  CU(cudaMemcpy(rows, &row, sizeof row, cudaMemcpyHostToDevice));
  put_row<<<1, 1>>>(rows, i);
  LAUNCHED();
  release(row.cells);
  release(rows);
}
TWINS(twice, bool both, false, true) {
  int *a = poisoned();
  cusafe_poison(a + 200, 16);
  cusafe_unpoison(a + 64, 256);
  if (both)
    cusafe_unpoison(a + 200, 16);
  put<<<1, 1>>>(a, 64);
  put<<<1, 1>>>(a, 200);
  LAUNCHED();
  release(a);
}
TWINS(poisoned_again, bool again, true, false) {
  int *a = poisoned();
  cusafe_unpoison(a + 64, 256);
  put<<<1, 1>>>(a, 64);
  if (again)
    cusafe_poison(a + 64, 4);
  put<<<1, 1>>>(a, 64);
  LAUNCHED();
  release(a);
}
TWINS(whole_buffer, bool all, true, false) {
  int *a = buffer<int>(1 << 20);
  cusafe_poison(a, 4 << 20);
  if (!all)
    cusafe_unpoison(a + 1000, 4);
  put<<<1, 1>>>(a, 1000);
  LAUNCHED();
  release(a);
}
TWINS(one_of_two, bool other, false, true) {
  int *a = poisoned(), *b = buffer<int>(256);
  put<<<1, 1>>>(other ? b : a, 64);
  LAUNCHED();
  release(a);
  release(b);
}
TWINS(of_carved, long i, 10, 9) {
  char *base = buffer<char>(2 << 20);
  int *a = (int *)cusafe_carve(base + 512, 512);
  cusafe_poison(a + 10, 40);
  put<<<1, 1>>>(a, i);
  put<<<1, 1>>>((int *)(base + 512), 10); // the buffer's own pointer
  LAUNCHED();
  release(base);
}
// A buffer at the same address, and at any other, starts without poison.
TWINS(after_release, bool late, true, false) {
  for (int i = 0; i < 50; i++) {
    int *a = poisoned();
    if (late && i == 49)
      put<<<1, 1>>>(a, 64);
    LAUNCHED();
    release(a);
    int *b = buffer<int>(256);
    put<<<1, 1>>>(b, 64);
    LAUNCHED();
    release(b);
  }
}
TWINS(copy, size_t bytes, 257, 256) {
  static char host[1024];
  int *a = poisoned();
  CU(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice)); // BUG: copy
  release(a);
}
TWINS(fill_call, size_t bytes, 512, 256) {
  int *a = poisoned();
  CU(cudaMemset(a, 0, bytes)); // BUG: fill_call
  release(a);
}
TWINS(outside, size_t bytes, 513, 512) {
  int *a = buffer<int>(256);
  cusafe_poison(a + 128, bytes); // BUG: outside
  release(a);
}

// Earlier work may use what is poisoned after it.
__global__ void wait_and_put(int *a, long turns) {
  long n = 0;
  for (long i = 0; i < turns; i++)
    n += *(volatile int *)a;
  a[100] = (int)n + 1;
}
CASE(earlier_work) {
  int *a = buffer<int>(256);
  wait_and_put<<<1, 1>>>(a, 3000000);
  cusafe_poison(a + 64, 256);
  LAUNCHED();
  cusafe_unpoison(a + 64, 256);
  EXPECT(value(a + 100) == 1);
  release(a);
}

// A graph ends the regions of NVTX heaps; what is poisoned stays so, and what was unpoisoned in part, too.
TWINS(graph_after_part, long i, 600, 511) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  char *p = buffer<char>(4096);
  CU(cudaStreamCreate(&s));
  cusafe_poison(p, 1024);
  cusafe_unpoison(p, 512);
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  put_in_graph<<<1, 1, 0, s>>>(p, 2000);
  CU(cudaStreamEndCapture(s, &graph));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaGraphLaunch(exec, s));
  CU(cudaStreamSynchronize(s));
  put_in_graph<<<1, 1>>>(p, 511);
  put_in_graph<<<1, 1>>>(p, i);
  LAUNCHED();
  release(p);
}

// Rows of 512 bytes whose second half is poisoned.
TWINS(rows, size_t width, 257, 256) {
  char *a = buffer<char>(4096);
  for (int row = 0; row < 8; row++)
    cusafe_poison(a + 512 * row + 256, 256);
  CU(cudaMemset2D(a, 512, 1, width, 8)); // BUG: rows
  release(a);
}

__global__ void wait(const int *a, long turns, int *to) {
  int s = 0;
  for (long i = 0; i < turns; i++)
    s += *(const volatile int *)a;
  *to = s;
}

// Poison waits for kernels that were launched before it; a launch elsewhere brings it to the device.
CASE(kernels_before) {
  cudaStream_t other;
  int *a = buffer<int>(256), *b = buffer<int>(2);
  Row row = {a}, *rows = buffer<Row>(1);
  CU(cudaMemcpy(rows, &row, sizeof row, cudaMemcpyHostToDevice));
  CU(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  put<<<1, 1, 0, other>>>(b, 0); // loads the code
  LAUNCHED();
  wait<<<1, 1>>>(b, 20000000, b + 1);
  put_row<<<1, 1>>>(rows, 100);
  cusafe_poison(a + 64, 256);
  put<<<1, 1, 0, other>>>(b, 0);
  LAUNCHED();
  cusafe_unpoison(a + 64, 256);
  EXPECT(value(a + 100) == 7);
  CU(cudaStreamDestroy(other));
  release(a);
  release(b);
  release(rows);
}
