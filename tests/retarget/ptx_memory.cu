// Inline PTX: loads, stores, atomics and copies in all spaces, with vectors, orders, cache hints, predicates and 32-bit
// shared addresses.
#include "../check.h"
#include <cuda_fp16.h>

enum { THREADS = 64 };

__global__ void accesses(const int *in, int *out, short *narrow) {
  __shared__ int tile[THREADS * 4];
  extern __shared__ int dynamic[];
  int t = (int)threadIdx.x, a, b, c, d;
  asm volatile("ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in + 4 * t));
  unsigned at = (unsigned)__cvta_generic_to_shared(tile + 4 * t);
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(at), "r"(a), "r"(b) : "memory");
  asm volatile("st.shared.v2.b32 [%0+8], {%1, %2};" ::"l"(__cvta_generic_to_shared(tile + 4 * t)), "r"(c), "r"(d)
               : "memory");
  unsigned dynamic_at = (unsigned)__cvta_generic_to_shared(dynamic + t);
  asm volatile(
      "{ .reg .u64 p; cvta.to.global.u64 p, %1; cp.async.ca.shared.global [%0], [p], 4; cp.async.commit_group;\n"
      "cp.async.wait_group 0; }" ::"r"(dynamic_at),
      "l"(in + t)
      : "memory");
  __syncthreads();
  asm volatile(
      "{ .reg .pred p; setp.lt.s32 p, %1, 32; @p st.global.wb.u32 [%0], %2; @!p st.global.u32 [%0+0], %3; }" ::"l"(out +
                                                                                                                   t),
      "r"(t), "r"(tile[4 * t + 3]), "r"(dynamic[63 - t])
      : "memory");
  int signed_byte, kept = 77;
  asm volatile("ld.global.L1::no_allocate.s8 %0, [%1];" : "=r"(signed_byte) : "l"((const char *)in + t));
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %2, 40; @p ld.global.ca.u32 %0, [%1]; }"
               : "+r"(kept)
               : "l"(in + t), "r"(t));
  out[THREADS + t] = signed_byte;
  out[2 * THREADS + t] = kept;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" ::"l"(in));
  asm volatile("setmaxnreg.inc.sync.aligned.u32 40;");
  asm volatile("st.global.u16 [%0], %1;" ::"l"(narrow + t), "h"((short)(t * 3)) : "memory");
}

__global__ void atomics(unsigned *u, float *f, double *d, __half2 *h, unsigned long long *w) {
  unsigned old;
  unsigned long long wide;
  float real;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(u), "r"(threadIdx.x) : "memory");
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(old) : "l"(u + 1) : "memory");
  asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(u + 2), "r"((int)threadIdx.x - 5) : "memory");
  asm volatile("atom.global.cas.b32 %0, [%1], 0, %2;" : "=r"(old) : "l"(u + 3), "r"(9) : "memory");
  asm volatile("red.global.or.b32 [%0], %1;" ::"l"(u + 4), "r"(1u << threadIdx.x % 32) : "memory");
  asm volatile("atom.global.inc.u32 %0, [%1], 9;" : "=r"(old) : "l"(u + 5) : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(f), "f"(0.5f) : "memory");
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(d), "d"(0.25) : "memory");
  asm volatile("atom.global.exch.b64 %0, [%1], %2;" : "=l"(wide) : "l"(w), "l"(7ull) : "memory");
  asm volatile("atom.global.add.f32 %0, [%1], 0f3F800000;" : "=f"(real) : "l"(f + 1) : "memory");
  atomicAdd(h, __floats2half2_rn(1, 2));
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("membar.gl;" ::: "memory");
}

int main() {
  Array<int> in(4 * THREADS), out(3 * THREADS);
  Array<short> narrow(THREADS);
  Array<unsigned> u(6);
  Array<float> f(2);
  Array<double> d(1);
  Array<__half2> h(1);
  Array<unsigned long long> w(1);
  for (int i = 0; i < 4 * THREADS; i++)
    in[i] = (int)random_bits();
  in.upload(), u.upload(), f.upload(), d.upload(), h.upload(), w.upload();
  accesses<<<1, THREADS, THREADS * sizeof(int)>>>(in.device, out.device, narrow.device);
  LAUNCHED();
  atomics<<<2, THREADS>>>(u.device, f.device, d.device, h.device, w.device);
  LAUNCHED();
  out.download(), narrow.download(), u.download(), f.download(), d.download(), h.download(), w.download();
  for (int t = 0; t < THREADS; t++) {
    EXPECT(out[t] == (t < 32 ? in[4 * t + 3] : in[63 - t]));
    EXPECT(out[THREADS + t] == ((const signed char *)in.host)[t]);
    EXPECT(out[2 * THREADS + t] == (t > 40 ? in[t] : 77));
    EXPECT(narrow[t] == t * 3);
  }
  EXPECT(u[0] == 2 * 63 * 64 / 2 && u[1] == 128 && u[2] == 58 && u[3] == 9 && u[4] == ~0u && u[5] == 128 % 10);
  EXPECT(f[0] == 64 && f[1] == 128 && d[0] == 32 && w[0] == 7);
  EXPECT(__low2float(h[0]) == 128 && __high2float(h[0]) == 256);
  out.show("accesses");
  u.show("atomics");
  return verdict();
}
