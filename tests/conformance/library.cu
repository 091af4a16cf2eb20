// library.cu: libcu++ in kernels (atomics, containers, numbers), cub's blocks and warps, and cuRAND's device functions,
// whose sequences its host interface has as well.
// FLAGS: -lcurand
#include "conformance.h"
#include <cmath>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <curand.h>
#include <curand_kernel.h>
#include <map>

static __host__ __device__ int data_of(int t) {
  return (int)((unsigned)t * 2654435761u >> 19) % 2000 - 700;
}

CASE(std_atomic) {
  Array<int> out(4);
  int *to = out.device;
  cuda::atomic<int, cuda::thread_scope_device> *a = (decltype(a))buffer<int>(1);
  cuda::atomic<unsigned, cuda::thread_scope_system> *b = (decltype(b))buffer<unsigned>(1);
  on_device(4, 64, [=] __device__() {
    a->fetch_add(1, cuda::memory_order_relaxed);
    b->fetch_max(threadIdx.x + 64 * blockIdx.x);
    int seen = a->load();
    while (!a->compare_exchange_weak(seen, seen + 1, cuda::memory_order_acq_rel))
      ;
  });
  on_device(1, 1, [=] __device__() {
    to[0] = a->load(cuda::memory_order_acquire), to[1] = (int)b->load();
    to[2] = a->exchange(-4), to[3] = a->fetch_sub(5) + a->load();
  });
  out.download();
  EXPECT(out[0] == 512 && out[1] == 255 && out[2] == 512 && out[3] == -13);
  release(a), release(b);
}

CASE(std_atomic_ref_and_fence) {
  int *p = buffer<int>(2);
  double *d = buffer<double>(1);
  on_device(2, 64, [=] __device__() {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*p);
    r.fetch_or(1 << threadIdx.x % 20);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    cuda::atomic_ref<double, cuda::thread_scope_device>(*d).fetch_add(0.5);
  });
  EXPECT(value(p) == (1 << 20) - 1 && value(d) == 64);
  release(p), release(d);
}

CASE(std_tuple_and_pair) {
  auto got = each<double>(16, [] __device__(int t) {
    auto tuple = cuda::std::make_tuple(t, 2.5, (char)t);
    auto [a, b, c] = tuple;
    auto pair = cuda::std::make_pair(b, a);
    cuda::std::swap(pair.first, cuda::std::get<1>(tuple));
    return cuda::std::get<0>(tuple) + 10 * cuda::std::get<1>(tuple) + 100 * c + 1000 * pair.second;
  });
  for (int t = 0; t < 16; t++)
    EXPECT(got[t] == t + 25 + 100 * t + 1000 * t);
}

CASE(std_array_and_span) {
  auto got = each<int>(16, [] __device__(int t) {
    cuda::std::array<int, 8> a = {};
    for (int i = 0; i < 8; i++)
      a[i] = i * t;
    cuda::std::span<int> all(a.data(), a.size()), part = all.subspan(2, 3);
    int sum = 0;
    for (int v : part)
      sum += v;
    return sum * 100 + (int)part.size() + a.back();
  });
  for (int t = 0; t < 16; t++)
    EXPECT(got[t] == 900 * t + 3 + 7 * t);
}

CASE(std_complex) {
  auto got = each<float2>(16, [] __device__(int t) {
    cuda::std::complex<float> z((float)t, 1), w(0, 2);
    auto r = z * w + cuda::std::conj(z);
    return make_float2(r.real(), r.imag() + cuda::std::norm(z));
  });
  for (int t = 0; t < 16; t++) // (t + i) 2i + t - i
    EXPECT(got[t].x == (float)(t - 2) && got[t].y == (float)(2 * t - 1 + t * t + 1));
}

CASE(std_bit_and_limits) {
  auto got = each<int>(32, [] __device__(int t) {
    unsigned v = 0x10001u << t % 8;
    bool ok = cuda::std::bit_cast<unsigned>(1.0f) == 0x3f800000u && cuda::std::has_single_bit(64u) &&
              cuda::std::numeric_limits<int>::max() == 2147483647 &&
              cuda::std::numeric_limits<double>::epsilon() == 0x1p-52;
    cuda::std::optional<int> maybe;
    if (t % 2)
      maybe = t;
    return ok ? cuda::std::popcount(v) * 10000 + cuda::std::countr_zero(v) * 100 +
                    (int)cuda::std::bit_ceil((unsigned)t) + maybe.value_or(0)
              : -1;
  });
  for (int t = 0; t < 32; t++) {
    int ceiling = 1;
    while (ceiling < t)
      ceiling *= 2;
    EXPECT(got[t] == 20000 + t % 8 * 100 + ceiling + (t % 2 ? t : 0));
  }
}

CASE(cub_block_reduce) {
  auto got = each<int>(128, [] __device__(int t) {
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage temporary;
    int sum = Reduce(temporary).Sum(data_of(t));
    __syncthreads();
    int most = Reduce(temporary).Reduce(data_of(t), [](int a, int b) { return a > b ? a : b; });
    return t == 0 ? sum * 3 + most : 0;
  });
  int sum = 0, most = -10000;
  for (int t = 0; t < 128; t++)
    sum += data_of(t), most = std::max(most, data_of(t));
  EXPECT(got[0] == sum * 3 + most);
}

CASE(cub_block_scan) {
  auto got = each<int>(128, [] __device__(int t) {
    typedef cub::BlockScan<int, 128> Scan;
    __shared__ typename Scan::TempStorage temporary;
    int exclusive, total, inclusive;
    Scan(temporary).ExclusiveSum(data_of(t), exclusive, total);
    __syncthreads();
    Scan(temporary).InclusiveSum(data_of(t), inclusive);
    return inclusive - exclusive == data_of(t) ? exclusive * 2 + total : -1;
  });
  int before = 0, total = 0;
  for (int t = 0; t < 128; t++)
    total += data_of(t);
  for (int t = 0; t < 128; t++) {
    EXPECT(got[t] == before * 2 + total);
    before += data_of(t);
  }
}

CASE(cub_block_sort) {
  Array<int> out(256);
  int *to = out.device;
  on_device(1, 64, [=] __device__() {
    typedef cub::BlockRadixSort<int, 64, 4> Sort;
    __shared__ typename Sort::TempStorage temporary;
    int keys[4], t = (int)threadIdx.x;
    for (int i = 0; i < 4; i++)
      keys[i] = data_of(t * 4 + i);
    Sort(temporary).Sort(keys);
    for (int i = 0; i < 4; i++)
      to[t * 4 + i] = keys[i];
  });
  out.download();
  std::vector<int> expected;
  for (int i = 0; i < 256; i++)
    expected.push_back(data_of(i));
  std::sort(expected.begin(), expected.end());
  for (int i = 0; i < 256; i++)
    EXPECT(out[i] == expected[i]);
}

CASE(cub_block_load_and_histogram) {
  Array<int> in(256), bins(16);
  for (int i = 0; i < 256; i++)
    in[i] = data_of(i) & 15;
  in.upload();
  int *from = in.device, *to = bins.device;
  on_device(1, 64, [=] __device__() {
    typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockHistogram<unsigned char, 64, 4, 16> Histogram;
    __shared__ union {
      typename Load::TempStorage load;
      typename Histogram::TempStorage histogram;
    } temporary;
    __shared__ int counts[16];
    int v[4];
    unsigned char small[4];
    Load(temporary.load).Load(from, v);
    __syncthreads();
    for (int i = 0; i < 4; i++)
      small[i] = (unsigned char)v[i];
    Histogram(temporary.histogram).Histogram(small, counts);
    __syncthreads();
    if (threadIdx.x < 16)
      to[threadIdx.x] = counts[threadIdx.x];
  });
  bins.download();
  for (int b = 0; b < 16; b++) {
    int count = 0;
    for (int i = 0; i < 256; i++)
      count += in[i] == b;
    EXPECT(bins[b] == count);
  }
}

CASE(cub_warp_reduce_and_scan) {
  auto got = each<int>(64, [] __device__(int t) {
    typedef cub::WarpReduce<int, 16> Reduce;
    typedef cub::WarpScan<int> Scan;
    __shared__ typename Reduce::TempStorage reduce[4];
    __shared__ typename Scan::TempStorage scan[2];
    int sum = Reduce(reduce[t / 16]).Sum(data_of(t)), before;
    Scan(scan[t / 32]).ExclusiveSum(data_of(t), before);
    return (t % 16 ? 0 : sum * 7) + before;
  });
  for (int t = 0; t < 64; t++) {
    int sum = 0, before = 0;
    for (int i = t / 16 * 16; i < t / 16 * 16 + 16; i++)
      sum += data_of(i);
    for (int i = t / 32 * 32; i < t; i++)
      before += data_of(i);
    EXPECT(got[t] == (t % 16 ? 0 : sum * 7) + before);
  }
}

// Bits of cuRAND's host interface.
static std::vector<unsigned> generated(curandRngType_t type, unsigned long long seed, size_t offset, size_t count) {
  std::vector<unsigned> bits(count);
  curandGenerator_t generator;
  EXPECT(!curandCreateGeneratorHost(&generator, type) && !curandSetPseudoRandomGeneratorSeed(generator, seed) &&
         !curandSetGeneratorOffset(generator, offset) && !curandGenerate(generator, bits.data(), count) &&
         !curandDestroyGenerator(generator));
  return bits;
}

// cuRAND's generators: the same sequence on every device, with the right distribution.
CASE(curand_xorwow) {
  auto got = each<unsigned>(64, [] __device__(int t) {
    curandState a, b;
    curand_init(1234, (unsigned)t, 0, &a);
    curand_init(1234, (unsigned)t, 5, &b);
    for (int i = 0; i < 5; i++)
      curand(&a);
    unsigned x = curand(&a);
    return x == curand(&b) ? x : 0; // the offset skips ahead
  });
  std::map<unsigned, int> seen;
  for (unsigned v : got)
    EXPECT(v != 0 && !seen[v]++);
  EXPECT(got == generated(CURAND_RNG_PSEUDO_XORWOW, 1234, 5 * 4096, 64));
}

// A reference implementation of Philox 4x32-10.
static void philox(unsigned c[4], unsigned k0, unsigned k1) {
  for (int round = 0; round < 10; round++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
    unsigned long long p = 0xd2511f53ull * c[0], q = 0xcd9e8d57ull * c[2];
    unsigned next[4] = {(unsigned)(q >> 32) ^ c[1] ^ k0, (unsigned)q, (unsigned)(p >> 32) ^ c[3] ^ k1, (unsigned)p};
    memcpy(c, next, sizeof next);
  }
}
CASE(curand_philox) {
  auto got = each<uint4>(64, [] __device__(int t) {
    curandStatePhilox4_32_10_t s;
    curand_init(0x123456789abcull, (unsigned)t, 8, &s);
    return curand4(&s);
  });
  auto host = generated(CURAND_RNG_PSEUDO_PHILOX4_32_10, 0x123456789abcull, 8 * 65536, 256);
  EXPECT(memcmp(host.data(), got.data(), 256 * sizeof(unsigned)) == 0);
  for (unsigned t = 0; t < 64; t++) {
    unsigned c[4] = {2, 0, t, 0};
    philox(c, 0x56789abcu, 0x1234u);
    EXPECT(got[t].x == c[0] && got[t].y == c[1] && got[t].z == c[2] && got[t].w == c[3]);
  }
}

CASE(curand_distributions) {
  auto got = each<double2>(128, [] __device__(int t) {
    curandStatePhilox4_32_10_t s;
    curand_init(7, (unsigned)t, 0, &s);
    double sum = 0, squares = 0;
    for (int i = 0; i < 100; i++) {
      float u = curand_uniform(&s);
      double d = curand_uniform_double(&s), n = curand_normal(&s);
      sum += u > 0 && u <= 1 && d > 0 && d <= 1 ? u : -1e9;
      squares += n * n;
    }
    return make_double2(sum / 100, squares / 100);
  });
  double mean = 0, variance = 0;
  for (auto v : got)
    mean += v.x / 128, variance += v.y / 128;
  EXPECT(fabs(mean - 0.5) < 0.015 && fabs(variance - 1) < 0.08);
}
