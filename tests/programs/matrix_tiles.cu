// A matrix product as libraries write it: tiles by cp.async in two stages, ldmatrix with and without .trans, mma.sync, stmatrix for the
// result; and movmatrix. All numbers are small integers, so that every sum is exact.
#include "../check.h"
#include <cuda_fp16.h>

const int M = 64, N = 32, K = 64, TILE = 16;

static __device__ unsigned shared_number(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// Copies 16 bytes, of which `taken` come from memory and the rest are zeros.
static __device__ void copy(void *to, const void *from, int taken) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_number(to)), "l"(from), "r"(taken));
}

static __device__ void load_4(unsigned (&r)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_number(row)));
}
static __device__ void load_2_trans(unsigned (&r)[2], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_number(row)));
}
static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four warps: warp w computes rows 16*w.. of M, and all columns. Columns of A from `columns` on are zeros.
__global__ void product(const __half *a, const __half *b, __half *d, int columns) {
  __shared__ __align__(16) __half x[2][M][TILE], y[2][TILE][N], out[4][16][8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sums[N / 8][4] = {};
  auto fetch = [&](int stage, int k) {
    int row = threadIdx.x / 2, column = threadIdx.x % 2 * 8, left = columns - k - column;
    copy(&x[stage][row][column], a + row * K + k + column, left < 0 ? 0 : left < 8 ? left * 2 : 16);
    if (threadIdx.x < TILE * N / 8)
      copy(&y[stage][threadIdx.x / 4][threadIdx.x % 4 * 8], b + (k + threadIdx.x / 4) * N + threadIdx.x % 4 * 8, 16);
    asm volatile("cp.async.commit_group;");
  };
  fetch(0, 0);
#pragma unroll 1
  for (int k = 0, stage = 0; k < K; k += TILE, stage ^= 1) {
    if (k + TILE < K)
      fetch(stage ^ 1, k + TILE);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    unsigned f[4], g[2];
    load_4(f, &x[stage][16 * warp + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < N / 8; j++) {
      load_2_trans(g, &y[stage][lane % 16][8 * j]); // only lanes 0 to 15 have an address that counts
      multiply(sums[j], f, g);
    }
    __syncthreads();
  }
  for (int j = 0; j < N / 8; j++) {
    __half2 low = __floats2half2_rn(sums[j][0], sums[j][1]), high = __floats2half2_rn(sums[j][2], sums[j][3]);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(
                     shared_number(lane < 16 ? &out[warp][lane][0] : nullptr)),
                 "r"(*(unsigned *)&low), "r"(*(unsigned *)&high)
                 : "memory");
    __syncwarp();
    for (int i = lane; i < 16 * 8; i += 32)
      d[(16 * warp + i / 8) * N + 8 * j + i % 8] = out[warp][i / 8][i % 8];
    __syncwarp();
  }
}

__global__ void transpose(const unsigned short *in, unsigned short *out) {
  __shared__ __align__(16) unsigned short s[8][8];
  int lane = threadIdx.x;
  unsigned v = in[2 * lane] | in[2 * lane + 1] << 16, moved, back;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(v));
  out[2 * lane] = (unsigned short)moved;
  out[2 * lane + 1] = (unsigned short)(moved >> 16);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_number(s[lane % 8])),
               "r"(moved)
               : "memory");
  __syncwarp();
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(back) : "l"(s[lane % 8]) : "memory");
  out[64 + 2 * lane] = (unsigned short)back;
  out[64 + 2 * lane + 1] = (unsigned short)(back >> 16);
}

// A sum that does not fit: with .satfinite the largest number, without it the lower 32 bits.
__global__ void saturate(int *out) {
  int x = 0x7ffffff0, y = x, z = x, w = x, ones = 0x01010101;
  asm volatile("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(x), "+r"(y)
               : "r"(ones), "r"(ones));
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(z), "+r"(w)
               : "r"(ones), "r"(ones));
  out[4 * threadIdx.x] = x, out[4 * threadIdx.x + 1] = y;
  out[4 * threadIdx.x + 2] = z, out[4 * threadIdx.x + 3] = w;
}

static void test_product(int columns) {
  Array<__half> a(M * K), b(K * N), d(M * N);
  for (size_t i = 0; i < a.count; i++)
    a[i] = __float2half((float)((int)(random_bits() % 7) - 3));
  for (size_t i = 0; i < b.count; i++)
    b[i] = __float2half((float)((int)(random_bits() % 7) - 3));
  a.upload(), b.upload();
  product<<<1, 128>>>(a.device, b.device, d.device, columns);
  LAUNCHED();
  d.download();
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float sum = 0;
      for (int k = 0; k < columns; k++)
        sum += __half2float(a[i * K + k]) * __half2float(b[k * N + j]);
      EXPECT(__half2float(d[i * N + j]) == sum);
    }
  d.show("product");
}

int main() {
  test_product(K);
  test_product(K - 21);
  Array<unsigned short> in(64), out(128);
  for (int i = 0; i < 64; i++)
    in[i] = (unsigned short)random_bits();
  in.upload();
  transpose<<<1, 32>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < 64; i++)
    EXPECT(out[i] == in[i % 8 * 8 + i / 8] && out[64 + i] == in[i]);
  out.show("transposed");
  Array<int> sums(128);
  saturate<<<1, 32>>>(sums.device);
  LAUNCHED();
  sums.download();
  for (int i = 0; i < 128; i++)
    EXPECT(sums[i] == (i % 4 < 2 ? 0x7fffffff : (int)0x80000000));
  return verdict();
}
