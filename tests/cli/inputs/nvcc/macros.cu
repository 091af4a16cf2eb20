// Tests nvcc's macros as programs do, then uses the toolkit's libraries, which must still treat the compiler as clang.
#ifdef __NVCC__
#if __CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 != CUDART_VERSION || __CUDACC_VER_BUILD__ < 0 || !__NVCC__
#error "the version of nvcc"
#endif
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 177
#endif
#pragma diag_suppress 177
_Pragma("nv_diag_default 177")
#define COMPILER "nvcc"
#else
#define COMPILER "clang"
#endif
#include <cooperative_groups.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/std/functional>
#include <cuda_fp16.h>
#include <thrust/device_vector.h>
#include <thrust/transform.h>

    template <class F>
    __global__ void apply(F f, int *to) {
#ifdef __CUDACC_EXTENDED_LAMBDA__
  static_assert(!__nv_is_extended_host_device_lambda_closure_type(int), "no lambda");
#endif
  typedef cub::BlockReduce<int, 64> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(f((int)threadIdx.x));
  if (cooperative_groups::this_thread_block().thread_rank() == 0)
    cuda::atomic_ref<int, cuda::thread_scope_device>(*to).fetch_add(sum);
}

int main() {
  thrust::device_vector<int> sum(1);
  int base = 1;
#ifdef __CUDACC_EXTENDED_LAMBDA__
  auto f = [=] __device__(int x) -> int { return x + base; };
  std::function<int(int)> g = [=](int x) { return x + base; }; // <functional>, which nvcc includes for lambdas
  base = g(0);
#else
  cuda::std::plus<int> plus;
  auto f = [=] __device__(int x) { return plus(x, base); };
#endif
  apply<<<1, 64>>>(f, thrust::raw_pointer_cast(sum.data()));
  thrust::transform(sum.begin(), sum.end(), sum.begin(), f);
  const char *options[] = {
#ifdef __CUDACC_EXTENDED_LAMBDA__
      "lambda",
#endif
#ifdef __CUDACC_RELAXED_CONSTEXPR__
      "constexpr",
#endif
#ifdef __CUDACC_RDC__
      "rdc",
#endif
#ifdef __CUDACC_DEBUG__
      "debug",
#endif
      nullptr};
  printf("%s %d", COMPILER, (int)sum[0]);
  for (const char **o = options; *o; o++)
    printf(" %s", *o);
  printf("\n");
}
