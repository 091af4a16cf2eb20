// The matrices of the good program, accessed with one row too many: the last column leaves the buffer.
// EXPECT: out-of-bounds write of 8 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 968-byte buffer
#include "../check.h"

struct Matrix {
  double *a;
  int lda;
  __device__ double &at(int i, int j) const { return a[i + j * lda]; }
};

__global__ void clear(Matrix m, int rows) {
  int i = threadIdx.x + 1, j = threadIdx.y + 1;
  if (i <= rows)
    m.at(i, j) = 0; // BUG
}

int main() {
  const int n = 11;
  Array<double> before(n * n), a(n * n), after(n * n);
  Matrix m{a.device - (1 + n), n};
  clear<<<1, dim3(n, n)>>>(m, n);
  LAUNCHED();
  clear<<<1, dim3(n + 1, n)>>>(m, n + 1);
  LAUNCHED();
  return verdict();
}
