// Inline PTX with labels and branches: loops, a branch forwards, both at once, and the loops in which programs wait.
#include "../check.h"

enum { THREADS = 64 };

__device__ int steps(unsigned n) {
  int count;
  asm volatile("{ .reg .pred odd, done; .reg .u32 v, low;\n"
               "mov.u32 v, %1; mov.u32 %0, 0;\n"
               "AGAIN: setp.le.u32 done, v, 1; @done bra END;\n"
               "and.b32 low, v, 1; setp.eq.u32 odd, low, 1;\n"
               "@odd bra ODD;\n"
               "shr.u32 v, v, 1; bra NEXT;\n"
               "ODD: mad.lo.u32 v, v, 3, 1;\n"
               "NEXT: add.s32 %0, %0, 1;\n"
               "bra.uni AGAIN;\n"
               "END: }"
               : "=r"(count)
               : "r"(n));
  return count;
}
__host__ __device__ int expected_steps(unsigned n) {
  int count = 0;
  for (; n > 1; count++)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return count;
}

// An operand that is read and written, of 64 bits and a float; the sum of i * j over a triangle.
__device__ void triangle(int n, long long &sum, float &scale) {
  asm volatile("{ .reg .pred p; .reg .s32 i, j; .reg .s64 w;\n"
               "mov.s32 i, 0;\n"
               "ROWS: setp.ge.s32 p, i, %2; @p bra.uni DONE;\n"
               "mov.s32 j, 0;\n"
               "COLUMNS: mul.wide.s32 w, i, j; add.s64 %0, %0, w; mul.f32 %1, %1, 0f3F800000;\n"
               "add.s32 j, j, 1; setp.le.s32 p, j, i; @p bra COLUMNS;\n"
               "add.s32 i, i, 1; bra ROWS;\n"
               "DONE: add.f32 %1, %1, %1; }"
               : "+l"(sum), "+f"(scale)
               : "r"(n));
}

// Registers and an output that the text reads, or writes under a predicate only, before it writes them. Labels with a
// number of their own.
__device__ int before_written(int n) {
  int sum;
  asm volatile("{ .reg .pred first, last; .reg .s32 i, v, s<2>;\n"
               "mov.s32 i, 0;\n"
               "LOOP%=: setp.eq.s32 first, i, 0;\n"
               "@first mov.s32 v, 5;\n"
               "@first mov.s32 %0, -1;\n"
               "xor.b32 s1, s0, v; mad.lo.s32 %0, %0, 3, s1; mov.s32 s0, %0;\n"
               "add.s32 v, v, i; add.s32 i, i, 1;\n"
               "setp.ge.s32 last, i, %1; @!last bra LOOP%=;\n"
               "END%=: }"
               : "=&r"(sum)
               : "r"(n));
  return sum;
}
int expected_before_written(int n) {
  int v = 5, sum = -1, s0 = 0;
  for (int i = 0; i < n; i++) {
    s0 = sum = sum * 3 + (s0 ^ v);
    v += i;
  }
  return sum;
}
__global__ void written_later(int *out) {
  out[threadIdx.x] = before_written(threadIdx.x % 9 + 1);
}

// As CUTLASS and others wait: all in one statement, with the same labels wherever it is inlined.
__device__ __forceinline__ void wait(unsigned long long *barrier, unsigned parity) {
  asm volatile("{\n"
               ".reg .pred P1;\n"
               "LAB_WAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
               "@P1 bra DONE;\n"
               "bra LAB_WAIT;\n"
               "DONE:\n"
               "}" ::"r"((unsigned)__cvta_generic_to_shared(barrier)),
               "r"(parity)
               : "memory");
}

__global__ void all(int *out) {
  __shared__ unsigned long long bar[2];
  __shared__ int tile[THREADS];
  int t = (int)threadIdx.x;
  if (t < 2)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&bar[t])),
                 "r"(THREADS / 2)
                 : "memory");
  __syncthreads();
  long long sum = t;
  float scale = 1.5f;
  triangle(t % 7, sum, scale);
  // One half stores and the other half waits, twice.
  for (unsigned round = 0; round < 4; round++) {
    unsigned half = round % 2;
    if (t / (THREADS / 2) == (int)half) {
      tile[t] = steps(t + round) * 1000 + (int)sum * (int)scale;
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&bar[half]))
                   : "memory");
    } else {
      wait(&bar[half], round / 2);
      out[t] = tile[(t + THREADS / 2) % THREADS];
    }
    __syncthreads();
  }
}

int main() {
  int *out, found[THREADS];
  CU(cudaMalloc(&out, sizeof found));
  all<<<1, THREADS>>>(out);
  CU(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
  for (int t = 0; t < THREADS; t++) {
    int from = (t + THREADS / 2) % THREADS, sum = from, n = from % 7;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        sum += i * j;
    unsigned round = from < THREADS / 2 ? 2 : 3;
    EXPECT(found[t] == expected_steps((unsigned)from + round) * 1000 + sum * 3);
  }
  written_later<<<1, THREADS>>>(out);
  CU(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
  for (int t = 0; t < THREADS; t++)
    EXPECT(found[t] == expected_before_written(t % 9 + 1));
  return verdict();
}
