// Column-major matrices with one-based indices, as Fortran bindings pass them: the pointer is 1 + lda elements before the first.
#include "../check.h"

struct Matrix {
  double *a;
  int lda;
  __device__ double &at(int i, int j) const { return a[i + j * lda]; }
};

__global__ void multiply(Matrix x, Matrix y, Matrix z, int n) {
  int i = threadIdx.x + 1, j = threadIdx.y + 1;
  double total = 0;
  for (int k = 1; k <= n; k++)
    total += x.at(i, k) * y.at(k, j);
  z.at(i, j) = total;
}

static Matrix from_one(const Array<double> &memory, int n) {
  return Matrix{memory.device - (1 + n), n};
}

int main() {
  for (int n = 1; n <= 16; n++) {
    Array<double> x(n * n), y(n * n), z(n * n);
    for (int i = 0; i < n * n; i++) {
      x[i] = i % 7;
      y[i] = i % 5;
    }
    x.upload();
    y.upload();
    multiply<<<1, dim3(n, n)>>>(from_one(x, n), from_one(y, n), from_one(z, n), n);
    LAUNCHED();
    z.download();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double total = 0;
        for (int k = 0; k < n; k++)
          total += x[i + k * n] * y[k + j * n];
        EXPECT(z[i + j * n] == total);
      }
    z.show("product");
  }
  return verdict();
}
