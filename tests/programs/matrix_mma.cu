// mma.sync in inline PTX: every shape and type against a host computation. Fragments are filled as the tables of the PTX manual specify.
//
// Bounds: integers are exact. Products of f16, bf16 and tf32 are exact in f32, and the manual leaves the order and the rounding of their sum open:
// the result may differ from the exact one by one rounding for each of the k+1 terms, of the sum of their absolute values. f64: the same
// with its precision. A result in f16 is rounded once more.
#include "../check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

// --- Layouts, in the words of the manual: g is groupID = lane / 4, t is threadID_in_group = lane % 4 ---
struct HalfK16 {
  static __device__ int row_a(int i, int g) { return (i < 2 || (i >= 4 && i < 6)) ? g : g + 8; }
  static __device__ int col_a(int i, int t) { return t * 2 + (i & 1) + (i < 4 ? 0 : 8); }
  static __device__ int row_b(int i, int t) { return t * 2 + (i & 1) + (i < 2 ? 0 : 8); }
};
struct HalfK8 {
  static __device__ int row_a(int i, int g) { return i < 2 ? g : g + 8; }
  static __device__ int col_a(int i, int t) { return t * 2 + (i & 1); }
  static __device__ int row_b(int i, int t) { return t * 2 + i; }
};
struct WordK8 { // tf32, and f64
  static __device__ int row_a(int i, int g) { return i == 0 || i == 2 ? g : g + 8; }
  static __device__ int col_a(int i, int t) { return i < 2 ? t : t + 4; }
  static __device__ int row_b(int i, int t) { return i == 0 ? t : t + 4; }
};
struct WordK4 {
  static __device__ int row_a(int i, int g) { return i == 0 ? g : g + 8; }
  static __device__ int col_a(int, int t) { return t; }
  static __device__ int row_b(int, int t) { return t; }
};
struct DoubleK16 {
  static __device__ int row_a(int i, int g) { return i % 2 == 0 ? g : g + 8; }
  static __device__ int col_a(int i, int t) { return t + 4 * (i / 2); }
  static __device__ int row_b(int i, int t) { return t + 4 * i; }
};
struct ByteK16 {
  static __device__ int row_a(int i, int g) { return i < 4 ? g : g + 8; }
  static __device__ int col_a(int i, int t) { return t * 4 + (i & 3); }
  static __device__ int row_b(int i, int t) { return t * 4 + (i & 3); }
};
struct ByteK32 {
  static __device__ int row_a(int i, int g) { return i < 4 || (i >= 8 && i < 12) ? g : g + 8; }
  static __device__ int col_a(int i, int t) { return t * 4 + (i & 3) + (i < 8 ? 0 : 16); }
  static __device__ int row_b(int i, int t) { return t * 4 + (i & 3) + (i < 4 ? 0 : 16); }
};

// --- The instructions: opcode, and the registers of D and C, A and B ---
#define MMA_4_4_2(name, opcode, C, A)                                                                                  \
  inline __device__ void name(void *d, const void *a, const void *b) {                                                 \
    auto x = (C *)d;                                                                                                   \
    auto y = (const A *)a, z = (const A *)b;                                                                           \
    asm volatile(opcode " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                       \
                 : LETTER_##C(x[0]), LETTER_##C(x[1]), LETTER_##C(x[2]), LETTER_##C(x[3])                              \
                 : INPUT_##A(y[0]), INPUT_##A(y[1]), INPUT_##A(y[2]), INPUT_##A(y[3]), INPUT_##A(z[0]),                \
                   INPUT_##A(z[1]));                                                                                   \
  }
#define MMA_4_2_1(name, opcode, C, A)                                                                                  \
  inline __device__ void name(void *d, const void *a, const void *b) {                                                 \
    auto x = (C *)d;                                                                                                   \
    auto y = (const A *)a, z = (const A *)b;                                                                           \
    asm volatile(opcode " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                                                \
                 : LETTER_##C(x[0]), LETTER_##C(x[1]), LETTER_##C(x[2]), LETTER_##C(x[3])                              \
                 : INPUT_##A(y[0]), INPUT_##A(y[1]), INPUT_##A(z[0]));                                                 \
  }
#define MMA_4_8_4(name, opcode, C, A)                                                                                  \
  inline __device__ void name(void *d, const void *a, const void *b) {                                                 \
    auto x = (C *)d;                                                                                                   \
    auto y = (const A *)a, z = (const A *)b;                                                                           \
    asm volatile(opcode " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"               \
                 : LETTER_##C(x[0]), LETTER_##C(x[1]), LETTER_##C(x[2]), LETTER_##C(x[3])                              \
                 : INPUT_##A(y[0]), INPUT_##A(y[1]), INPUT_##A(y[2]), INPUT_##A(y[3]), INPUT_##A(y[4]),                \
                   INPUT_##A(y[5]), INPUT_##A(y[6]), INPUT_##A(y[7]), INPUT_##A(z[0]), INPUT_##A(z[1]),                \
                   INPUT_##A(z[2]), INPUT_##A(z[3]));                                                                  \
  }
#define MMA_2_4_2(name, opcode, C, A)                                                                                  \
  inline __device__ void name(void *d, const void *a, const void *b) {                                                 \
    auto x = (C *)d;                                                                                                   \
    auto y = (const A *)a, z = (const A *)b;                                                                           \
    asm volatile(opcode " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"                                                   \
                 : LETTER_##C(x[0]), LETTER_##C(x[1])                                                                  \
                 : INPUT_##A(y[0]), INPUT_##A(y[1]), INPUT_##A(y[2]), INPUT_##A(y[3]), INPUT_##A(z[0]),                \
                   INPUT_##A(z[1]));                                                                                   \
  }
#define MMA_2_2_1(name, opcode, C, A)                                                                                  \
  inline __device__ void name(void *d, const void *a, const void *b) {                                                 \
    auto x = (C *)d;                                                                                                   \
    auto y = (const A *)a, z = (const A *)b;                                                                           \
    asm volatile(opcode " {%0,%1}, {%2,%3}, {%4}, {%0,%1};"                                                            \
                 : LETTER_##C(x[0]), LETTER_##C(x[1])                                                                  \
                 : INPUT_##A(y[0]), INPUT_##A(y[1]), INPUT_##A(z[0]));                                                 \
  }
#define MMA_2_1_1(name, opcode, C, A)                                                                                  \
  inline __device__ void name(void *d, const void *a, const void *b) {                                                 \
    auto x = (C *)d;                                                                                                   \
    auto y = (const A *)a, z = (const A *)b;                                                                           \
    asm volatile(opcode " {%0,%1}, {%2}, {%3}, {%0,%1};"                                                               \
                 : LETTER_##C(x[0]), LETTER_##C(x[1])                                                                  \
                 : INPUT_##A(y[0]), INPUT_##A(z[0]));                                                                  \
  }
#define LETTER_float "+f"
#define LETTER_unsigned "+r"
#define LETTER_int "+r"
#define LETTER_double "+d"
#define INPUT_unsigned "r"
#define INPUT_double "d"

// tf32 is the upper part of a float.
struct tf32 {
  float value;
};
static double number(tf32 x) {
  return x.value;
}
static double number(__half x) {
  return __half2float(x);
}
static double number(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
static double number(double x) {
  return x;
}
static double number(float x) {
  return x;
}
static double number(int x) {
  return x;
}
static double number(signed char x) {
  return x;
}
static double number(unsigned char x) {
  return x;
}

static void choose(tf32 &x) {
  uint32_t bits;
  float f = (float)(int)(random_bits() % 20001 - 10000) / 4096;
  memcpy(&bits, &f, 4);
  bits &= 0xffffe000u;
  memcpy(&x.value, &bits, 4);
}
static void choose(__half &x) {
  x = __float2half((float)((int)(random_bits() % 2001) - 1000) / 512);
}
static void choose(__nv_bfloat16 &x) {
  x = __float2bfloat16((float)((int)(random_bits() % 2001) - 1000) / 512);
}
static void choose(double &x) {
  x = (double)(int)random_bits() / 1e9;
}
static void choose(float &x) {
  x = (float)((int)(random_bits() % 20001) - 10000) / 4096;
}
static void choose(int &x) {
  x = (int)random_bits() >> 8;
}
static void choose(signed char &x) {
  x = (signed char)random_bits();
}
static void choose(unsigned char &x) {
  x = (unsigned char)random_bits();
}

// The rounding of one sum, and of the result's type.
static double sum_rounding(double) {
  return ldexp(1, -53);
}
static double sum_rounding(float) {
  return ldexp(1, -24);
}
static double sum_rounding(__half) {
  return ldexp(1, -24);
}
static double sum_rounding(int) {
  return 0;
}
template <typename C> static double rounded(C, double) {
  return 0;
}
static double rounded(__half, double exact) {
  return ldexp(fabs(exact), -11) + ldexp(1, -25);
}

template <int M, int N, int K, typename Layout, typename A, typename B, typename C,
          void (*Multiply)(void *, const void *, const void *)>
__global__ void multiply(const A *a, const B *b, const C *c, C *d) {
  int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  A x[M * K / 32];
  B y[K * N / 32];
  C z[M * N / 32];
  a += threadIdx.x / 32 * M * K, b += threadIdx.x / 32 * K * N;
  c += threadIdx.x / 32 * M * N, d += threadIdx.x / 32 * M * N;
  for (int i = 0; i < M * K / 32; i++)
    x[i] = a[(M == 8 ? g : Layout::row_a(i, g)) * K + Layout::col_a(i, t)];
  for (int i = 0; i < K * N / 32; i++)
    y[i] = b[Layout::row_b(i, t) * N + g];
  for (int i = 0; i < M * N / 32; i++)
    z[i] = c[(i < 2 ? g : g + 8) * N + t * 2 + (i & 1)];
  Multiply(z, x, y);
  for (int i = 0; i < M * N / 32; i++)
    d[(i < 2 ? g : g + 8) * N + t * 2 + (i & 1)] = z[i];
}

const int WARPS = 2;

template <int M, int N, int K, typename Layout, typename A, typename B, typename C,
          void (*Multiply)(void *, const void *, const void *)>
static void test(const char *name) {
  Array<A> a(WARPS * M * K);
  Array<B> b(WARPS * K * N);
  Array<C> c(WARPS * M * N), d(WARPS * M * N);
  for (size_t i = 0; i < a.count; i++)
    choose(a[i]);
  for (size_t i = 0; i < b.count; i++)
    choose(b[i]);
  for (size_t i = 0; i < c.count; i++)
    choose(c[i]);
  a.upload(), b.upload(), c.upload();
  multiply<M, N, K, Layout, A, B, C, Multiply><<<1, 32 * WARPS>>>(a.device, b.device, c.device, d.device);
  LAUNCHED();
  d.download();
  int wrong = 0;
  for (int w = 0; w < WARPS; w++)
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        double exact = number(c[(w * M + i) * N + j]), sum = fabs(exact);
        for (int k = 0; k < K; k++) {
          double product = number(a[(w * M + i) * K + k]) * number(b[(w * K + k) * N + j]);
          exact += product;
          sum += fabs(product);
        }
        double bound = (K + 1) * sum_rounding(C{}) * sum + rounded(C{}, exact);
        wrong += !(fabs(number(d[(w * M + i) * N + j]) - exact) <= bound);
      }
  if (wrong)
    printf("%s: %d results are wrong\n", name, wrong);
  EXPECT(wrong == 0);
  d.show(name);
}

// The engine takes a second or more for each kernel, so most of them run only at night. These are last: neighbours share a module, which the engine
// compiles as a whole.
enum { NIGHTLY, ALWAYS };

// name, when it runs, instruction, registers of D, A and B, m, n, k, layout, types of the elements and of the registers
#define TABLE(ROW)                                                                                                     \
  ROW(f16_k16, ALWAYS, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4_4_2, 16, 8, 16, HalfK16, __half, __half, \
      float, float, unsigned)                                                                                          \
  ROW(f16_k8_sum, ALWAYS, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2_2_1, 16, 8, 8, HalfK8, __half, __half, \
      __half, unsigned, unsigned)                                                                                      \
  ROW(bf16_k8, ALWAYS, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 4_2_1, 16, 8, 8, HalfK8, __nv_bfloat16,   \
      __nv_bfloat16, float, float, unsigned)                                                                           \
  ROW(tf32_k8, ALWAYS, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4_4_2, 16, 8, 8, WordK8, tf32, tf32,      \
      float, float, unsigned)                                                                                          \
  ROW(f64_k16, ALWAYS, "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 4_8_4, 16, 8, 16, DoubleK16, double,       \
      double, double, double, double)                                                                                  \
  ROW(s8_k32, ALWAYS, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4_4_2, 16, 8, 32, ByteK32, signed char,       \
      signed char, int, int, unsigned)                                                                                 \
  ROW(u8_s8, ALWAYS, "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 4_2_1, 16, 8, 16, ByteK16, unsigned char,      \
      signed char, int, int, unsigned)                                                                                 \
  ROW(f16_k8, NIGHTLY, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4_2_1, 16, 8, 8, HalfK8, __half, __half,    \
      float, float, unsigned)                                                                                          \
  ROW(f16_sum, NIGHTLY, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2_4_2, 16, 8, 16, HalfK16, __half,        \
      __half, __half, unsigned, unsigned)                                                                              \
  ROW(bf16_k16, NIGHTLY, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4_4_2, 16, 8, 16, HalfK16,             \
      __nv_bfloat16, __nv_bfloat16, float, float, unsigned)                                                            \
  ROW(tf32_k4, NIGHTLY, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4_2_1, 16, 8, 4, WordK4, tf32, tf32,     \
      float, float, unsigned)                                                                                          \
  ROW(f64_m8, NIGHTLY, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 2_1_1, 8, 8, 4, WordK4, double, double,      \
      double, double, double)                                                                                          \
  ROW(f64_k4, NIGHTLY, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 4_2_1, 16, 8, 4, WordK4, double, double,    \
      double, double, double)                                                                                          \
  ROW(f64_k8, NIGHTLY, "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4_4_2, 16, 8, 8, WordK8, double, double,    \
      double, double, double)                                                                                          \
  ROW(s8_m8, NIGHTLY, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 2_1_1, 8, 8, 16, ByteK16, signed char,         \
      signed char, int, int, unsigned)                                                                                 \
  ROW(s8_k16, NIGHTLY, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 4_2_1, 16, 8, 16, ByteK16, signed char,      \
      signed char, int, int, unsigned)                                                                                 \
  ROW(u8_k32, NIGHTLY, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4_4_2, 16, 8, 32, ByteK32,         \
      unsigned char, unsigned char, int, int, unsigned)                                                                \
  ROW(s8_u8, NIGHTLY, "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4_4_2, 16, 8, 32, ByteK32, signed char,       \
      unsigned char, int, int, unsigned)

#define DEFINE(name, when, opcode, registers, m, n, k, layout, a, b, c, C, A) MMA_##registers(name, opcode, C, A)
TABLE(DEFINE)
#define RUN(name, when, opcode, registers, m, n, k, layout, a, b, c, C, A)                                             \
  if (when || getenv("CUSAFE_NIGHTLY"))                                                                                \
    test<m, n, k, layout, a, b, c, name>(#name);

int main() {
  TABLE(RUN)
  return verdict();
}
