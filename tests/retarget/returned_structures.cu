// Recursive functions that return structures by value, with arrays in them.
#include "../check.h"

struct Matrix {
  double a[2][2];
};
struct Mixed {
  char tag;
  short numbers[3];
  struct {
    int left, right;
  } inner;
};

__host__ __device__ __noinline__ Matrix fibonacci(Matrix start, int n) {
  if (n == 0)
    return start;
  Matrix m = fibonacci(start, n - 1);
  double next = m.a[n & 1][0] + m.a[n & 1][1];
  m.a[1 - (n & 1)][0] = m.a[n & 1][1];
  m.a[1 - (n & 1)][1] = next;
  return m;
}

__host__ __device__ __noinline__ Mixed count(int n) {
  if (n == 0)
    return Mixed{'a', {1, 2, 3}, {4, 5}};
  Mixed m = count(n - 1);
  m.tag++;
  m.numbers[n % 3] += (short)n;
  (n & 1 ? m.inner.left : m.inner.right) += n;
  return m;
}

__global__ void run(Matrix m, Matrix *numbers, int *counts) {
  int i = threadIdx.x;
  numbers[i] = fibonacci(m, i);
  Mixed c = count(i);
  counts[i] = c.tag + c.numbers[0] * 3 + c.numbers[1] * 5 + c.numbers[2] * 7 + c.inner.left * 11 + c.inner.right * 13;
}

int main() {
  const int threads = 20;
  Array<Matrix> numbers(threads);
  Array<int> counts(threads);
  Matrix m = {{{0, 1}, {0, 1}}};
  run<<<1, threads>>>(m, numbers.device, counts.device);
  LAUNCHED();
  numbers.download(), counts.download();
  for (int i = 0; i < threads; i++) {
    Matrix p = fibonacci(m, i);
    Mixed c = count(i);
    EXPECT(memcmp(&p, &numbers[i], sizeof p) == 0);
    EXPECT(counts[i] ==
           c.tag + c.numbers[0] * 3 + c.numbers[1] * 5 + c.numbers[2] * 7 + c.inner.left * 11 + c.inner.right * 13);
  }
  EXPECT(numbers[10].a[1][1] == 89);
  numbers.show("numbers"), counts.show("counts");
  return verdict();
}
