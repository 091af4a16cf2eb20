// 128-bit integers: arithmetic, shifts, comparisons and division; in structures, loops, local and shared memory.
#include "../check.h"

typedef unsigned __int128 U;
typedef __int128 S;
const int RESULTS = 27;
struct Pair {
  int n;
  U u;
  S s;
};

__host__ __device__ void compute(U a, U b, int k, U *r) {
  S sa = (S)a, sb = (S)b, divisor = sb == 0 || sb == -1 ? 3 : sb;
  r[0] = a + b;
  r[1] = a - b;
  r[2] = a * b;
  r[3] = (a & b) | (~a ^ b);
  r[4] = a << (k & 127);
  r[5] = a >> (k & 127);
  r[6] = (U)(sa >> (k & 127));
  r[7] = a << 65;
  r[8] = (U)(sa >> 33);
  r[9] = a / (U)divisor;
  r[10] = a % (U)divisor;
  r[11] = (U)(sa / divisor);
  r[12] = (U)(sa % divisor);
  r[13] = a < b;
  r[14] = sa < sb;
  r[15] = a == b;
  r[16] = sa >= sb;
  r[17] = a > b ? a : b;
  r[18] = (U)(sa < sb ? sa : sb);
  r[19] = (U)(S)(int)a;
  r[20] = (U)(sa < 0 ? -sa : sa);
  r[21] = a * 0xffffffffffffffffull;
  r[22] = (U)(S)(signed char)(a >> 100);
  r[23] = a;
  for (int i = 0; i < (k & 7); i++)
    r[23] = r[23] * 3 + (i & 1 ? b : a);
  Pair pairs[3] = {{1, a, sb}, {2, b, sa}, {3, a + 1, sb}};
  Pair one = pairs[k % 3];
  r[24] = one.u + (U)one.s + (U)one.n;
  r[25] = a % 1000000007u;
  switch (a >> 126) {
  case 0:
    r[26] = b;
    break;
  case 3:
    r[26] = ~a;
    break;
  default:
    r[26] = a + 7;
  }
}

__global__ void run(const U *in, U *out, int n) {
  __shared__ U tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  tile[t] = i < n ? in[2 * i] : 0;
  __syncthreads();
  U neighbour = tile[t ^ 1];
  __syncthreads();
  tile[t] = neighbour + (U)t;
  __syncthreads();
  if (i < n) {
    compute(in[2 * i], in[2 * i + 1], i, out + (RESULTS + 1) * i);
    out[(RESULTS + 1) * i + RESULTS] = tile[t ^ 1];
  }
}

static U random_wide() {
  U x = 0;
  for (int i = 0; i < 4; i++)
    x = x << 32 | random_bits();
  return x >> random_bits() % 128;
}

int main() {
  const int n = 384;
  Array<U> in(2 * n), out((RESULTS + 1) * n);
  for (int i = 0; i < 2 * n; i++)
    in[i] = i % 7 == 1 ? in[i - 1] : i % 3 ? random_wide() : ~random_wide();
  in.upload();
  run<<<n / 64, 64>>>(in.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++) {
    U expected[RESULTS + 1];
    compute(in[2 * i], in[2 * i + 1], i, expected);
    expected[RESULTS] = in[2 * i] + (U)((i & 63) ^ 1);
    EXPECT(memcmp(expected, &out[(RESULTS + 1) * i], sizeof expected) == 0);
  }
  out.show("results");
  return verdict();
}
