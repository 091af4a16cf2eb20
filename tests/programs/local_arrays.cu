// Local arrays: indexed at run time, of several types, in two dimensions, passed to functions by pointer.
#include "../check.h"

__device__ __noinline__ void sort(int *a, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
      int t = a[j];
      a[j] = a[j - 1];
      a[j - 1] = t;
    }
}

__global__ void work(const int *in, int *sorted, double *sums, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  int a[16];
  double square[4][4] = {};
  unsigned char counts[8] = {1, 2, 3};
  for (int i = 0; i < 16; i++) {
    a[i] = in[16 * t + i];
    counts[a[i] & 7]++;
    square[i / 4][(i + t) % 4] += a[i] * 0.5;
  }
  sort(a, 16);
  for (int i = 0; i < 16; i++)
    sorted[16 * t + i] = a[i];
  double sum = 0;
  for (int i = 0; i < 4; i++)
    sum += square[i][(t + i) % 4] * (i + 1) + counts[i] * 100 + counts[i + 4];
  sums[t] = sum;
}

int main() {
  const int n = 77;
  Array<int> in(16 * n), sorted(16 * n);
  Array<double> sums(n);
  for (size_t i = 0; i < in.count; i++)
    in[i] = (int)(random_bits() % 1000);
  in.upload();
  work<<<(n + 31) / 32, 32>>>(in.device, sorted.device, sums.device, n);
  LAUNCHED();
  sorted.download();
  sums.download();
  for (int t = 0; t < n; t++) {
    long total = 0;
    unsigned char counts[8] = {1, 2, 3};
    double square[4][4] = {}, sum = 0;
    for (int i = 0; i < 16; i++) {
      total += in[16 * t + i] - sorted[16 * t + i];
      counts[in[16 * t + i] & 7]++;
      square[i / 4][(i + t) % 4] += in[16 * t + i] * 0.5;
      EXPECT(i == 0 || sorted[16 * t + i - 1] <= sorted[16 * t + i]);
    }
    for (int i = 0; i < 4; i++)
      sum += square[i][(t + i) % 4] * (i + 1) + counts[i] * 100 + counts[i + 4];
    EXPECT(total == 0 && sums[t] == sum);
  }
  sorted.show("sorted");
  sums.show("sums");
  return verdict();
}
