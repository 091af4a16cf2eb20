// The host passes a one-based array as a pointer to before its first element. Live and freed buffers are on both sides.
#include "../check.h"

__global__ void fill(int *from_one, int n) {
  int i = threadIdx.x + 1;
  if (i <= n)
    from_one[i] = 3 * i;
}

__global__ void sum(const int *from_one, int n, int *result) {
  int total = 0;
  for (int i = 1; i <= n; i++)
    total += from_one[i];
  *result = total;
}

static void use(int n) {
  Array<int> before(n), values(n), after(n), result(1);
  fill<<<1, 128>>>(values.device - 1, n);
  sum<<<1, 1>>>(values.device - 1, n, result.device);
  LAUNCHED();
  result.download();
  EXPECT(result[0] == 3 * n * (n + 1) / 2);
  before.download();
  after.download();
  EXPECT(before[n - 1] == 0 && after[0] == 0);
  result.show("result");
}

int main() {
  for (int n = 60; n <= 64; n++) { // up to the whole window of the neighbours
    use(n);                        // its freed buffer precedes the buffer of the next call
    use(n);
  }
  return verdict();
}
