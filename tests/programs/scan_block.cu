// Prefix sums within a block, twice: by doubling steps (inclusive) and by an up and a down sweep (exclusive).
#include "../check.h"

const int N = 512;

__global__ void inclusive(int *data) {
  __shared__ int buffer[2][N];
  int t = threadIdx.x, from = 0;
  buffer[0][t] = data[t];
  __syncthreads();
  for (int d = 1; d < N; d *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  data[t] = buffer[from][t];
}

__global__ void exclusive(int *data) {
  __shared__ int tree[N];
  int t = threadIdx.x;
  tree[2 * t] = data[2 * t];
  tree[2 * t + 1] = data[2 * t + 1];
  int offset = 1;
  for (int d = N / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d)
      tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0)
    tree[N - 1] = 0;
  for (int d = 1; d < N; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, keep = tree[left];
      tree[left] = tree[right];
      tree[right] += keep;
    }
  }
  __syncthreads();
  data[2 * t] = tree[2 * t];
  data[2 * t + 1] = tree[2 * t + 1];
}

int main() {
  Array<int> a(N), b(N);
  int input[N];
  for (int i = 0; i < N; i++)
    input[i] = a[i] = b[i] = (int)(random_bits() % 201) - 100;
  a.upload();
  b.upload();
  inclusive<<<1, N>>>(a.device);
  LAUNCHED();
  exclusive<<<1, N / 2>>>(b.device);
  LAUNCHED();
  a.download();
  b.download();
  int sum = 0;
  for (int i = 0; i < N; i++) {
    EXPECT(b[i] == sum);
    sum += input[i];
    EXPECT(a[i] == sum);
  }
  a.show("inclusive");
  b.show("exclusive");
  return verdict();
}
