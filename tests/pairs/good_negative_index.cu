// Negative indices from a pointer to the middle of a buffer.
#include "../check.h"

__global__ void mirror(int *middle, int n) {
  int i = threadIdx.x;
  middle[i] = i;
  middle[-i - 1] = -i - 1;
  (void)n;
}

int main() {
  const int n = 40;
  Array<int> a(2 * n);
  mirror<<<1, n>>>(a.device + n, n);
  LAUNCHED();
  a.download();
  for (int i = 0; i < 2 * n; i++)
    EXPECT(a[i] == i - n);
  a.show("mirrored");
  return verdict();
}
