// A pointer to before the first element is stored in memory, loaded again, and used with indices from 1.
#include "../check.h"

struct Matrix {
  double **rows; // rows[1] ... rows[n], each from 1, as in old numerical code
};

__global__ void build(Matrix *m, double **rows, double *values, int n) {
  m->rows = rows - 1;
  for (int i = 1; i <= n; i++)
    m->rows[i] = values + (i - 1) * n - 1;
}

__global__ void fill(const Matrix *m, int n) {
  int i = threadIdx.y + 1, j = threadIdx.x + 1;
  if (i <= n && j <= n)
    m->rows[i][j] = 10 * i + j;
}

int main() {
  const int n = 8;
  Array<Matrix> m(1);
  Array<double *> rows(n);
  Array<double> values(n * n);
  build<<<1, 1>>>(m.device, rows.device, values.device, n);
  fill<<<1, dim3(n, n)>>>(m.device, n);
  LAUNCHED();
  values.download();
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      EXPECT(values[(i - 1) * n + j - 1] == 10 * i + j);
  values.show("values");
  return verdict();
}
