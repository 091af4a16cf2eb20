// Switch statements: dense, sparse, with fall-through, on 64-bit values, inside loops.
#include "../check.h"

__host__ __device__ int dense(int v) {
  switch (v % 8) {
  case 0:
    return 11;
  case 1:
  case 2:
    v += 5; // falls through
  case 3:
    v *= 3;
    break;
  case 5:
    return -v;
  case 6:
    v ^= 0x55;
    break;
  default:
    v = 1;
  }
  return v;
}

__host__ __device__ int sparse(long long v) {
  switch (v) {
  case -5000000000ll:
    return 1;
  case 17:
    return 2;
  case 1000000:
    return 3;
  case 4000000000ll:
    return 4;
  }
  return 5;
}

__host__ __device__ int machine(unsigned input) {
  enum { A, B, C, END } state = A;
  int steps = 0;
  for (; state != END && steps < 100; steps++, input = input * 1664525u + 1013904223u)
    switch (state) {
    case A:
      state = input >> 31 ? B : C;
      break;
    case B:
      state = input >> 28 == 3 ? END : A;
      break;
    case C:
      if (input % 3 == 0)
        continue;
      state = B;
      break;
    default:
      return -1;
    }
  return steps;
}

__global__ void run(const int *in, const long long *wide, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[3 * i] = dense(in[i]);
    out[3 * i + 1] = sparse(wide[i]);
    out[3 * i + 2] = machine((unsigned)in[i]);
  }
}

int main() {
  const int n = 600;
  const long long values[] = {-5000000000ll, 17, 1000000, 4000000000ll, 18};
  Array<int> in(n), out(3 * n);
  Array<long long> wide(n);
  for (int i = 0; i < n; i++) {
    in[i] = (int)(random_bits() >> 1);
    wide[i] = values[random_bits() % 5];
  }
  in.upload();
  wide.upload();
  run<<<(n + 63) / 64, 64>>>(in.device, wide.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++)
    EXPECT(out[3 * i] == dense(in[i]) && out[3 * i + 1] == sparse(wide[i]) &&
           out[3 * i + 2] == machine((unsigned)in[i]));
  out.show("out");
  return verdict();
}
