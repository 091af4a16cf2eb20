// Device function pointers: from a table in constant memory, from a device variable that the host reads, selected at run time.
#include "../check.h"

typedef int (*Operation)(int, int);

__device__ int add(int a, int b) {
  return a + b;
}
__device__ int subtract(int a, int b) {
  return a - b;
}
__device__ int multiply(int a, int b) {
  return a * b;
}

__constant__ Operation table[3] = {add, subtract, multiply};
__device__ Operation chosen = multiply;

__global__ void from_table(const int *a, const int *b, int *out) {
  int i = threadIdx.x;
  out[i] = table[i % 3](a[i], b[i]);
}

__global__ void from_argument(Operation operation, const int *a, const int *b, int *out) {
  int i = threadIdx.x;
  out[i] = operation(a[i], b[i]);
}

int main() {
  const int n = 100;
  Array<int> a(n), b(n), x(n), y(n);
  for (int i = 0; i < n; i++) {
    a[i] = (int)(random_bits() % 1000);
    b[i] = (int)(random_bits() % 1000);
  }
  a.upload();
  b.upload();
  from_table<<<1, n>>>(a.device, b.device, x.device);
  Operation operation;
  CU(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation));
  from_argument<<<1, n>>>(operation, a.device, b.device, y.device);
  LAUNCHED();
  x.download();
  y.download();
  for (int i = 0; i < n; i++) {
    EXPECT(x[i] == (i % 3 == 0 ? a[i] + b[i] : i % 3 == 1 ? a[i] - b[i] : a[i] * b[i]));
    EXPECT(y[i] == a[i] * b[i]);
  }
  x.show("table");
  y.show("argument");
  return verdict();
}
