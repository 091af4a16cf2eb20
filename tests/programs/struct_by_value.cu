// Structures as kernel parameters: small, with padding, larger than 1 KiB, and modified inside the kernel.
#include "../check.h"

struct Mixed {
  char c;
  double d;
  short s[3];
  float *out;
};

struct Large {
  int table[300];
  unsigned char tail[5];
};

__global__ void mixed(Mixed m, char after) {
  m.out[threadIdx.x] = (float)(m.c + m.d + m.s[0] + m.s[1] + m.s[2] + after + threadIdx.x);
}

__global__ void large(Large l, int *out, int add) {
  l.table[(threadIdx.x + 1) % 300] += add; // each thread has its own copy
  int sum = 0;
  for (int i = 0; i < 300; i++)
    sum += l.table[i] * (i + 1);
  for (int i = 0; i < 5; i++)
    sum += l.tail[i];
  out[threadIdx.x] = sum + l.table[(threadIdx.x + 1) % 300];
}

__device__ Large changed(Large l, int i) {
  l.table[i] = -1;
  return l;
}

__global__ void returned(Large l, int *out) {
  Large other = changed(l, threadIdx.x);
  out[threadIdx.x] = other.table[threadIdx.x] * 1000 + l.table[threadIdx.x];
}

int main() {
  const int n = 40;
  Array<float> f(n);
  Array<int> sums(n), pairs(n);
  Mixed m = {'a', 2.5, {1, -2, 3}, f.device};
  Large l;
  for (int i = 0; i < 300; i++)
    l.table[i] = (int)(random_bits() % 100);
  for (int i = 0; i < 5; i++)
    l.tail[i] = (unsigned char)(250 + i);
  mixed<<<1, n>>>(m, 'b');
  large<<<1, n>>>(l, sums.device, 5);
  returned<<<1, n>>>(l, pairs.device);
  LAUNCHED();
  f.download();
  sums.download();
  pairs.download();
  int base = 250 + 251 + 252 + 253 + 254;
  for (int i = 0; i < 300; i++)
    base += l.table[i] * (i + 1);
  for (int t = 0; t < n; t++) {
    EXPECT(f[t] == (float)('a' + 2.5 + 2 + 'b' + t));
    EXPECT(sums[t] == base + 5 * (t + 2) + l.table[t + 1] + 5);
    EXPECT(pairs[t] == -1000 + l.table[t]);
  }
  f.show("mixed");
  sums.show("large");
  pairs.show("returned");
  return verdict();
}
