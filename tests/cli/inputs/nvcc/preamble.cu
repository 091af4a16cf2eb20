// What nvcc knows without an include: atomics with an order and a scope, and what the headers of C have in host code.

__device__ unsigned long long counter;

__global__ void count(int *seen) {
  __nv_atomic_fetch_add(&counter, 2ull, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_add(&counter, 1ull, __NV_ATOMIC_RELAXED);
  if (__nv_atomic_load_n(&counter, __NV_ATOMIC_ACQUIRE) >= 3)
    __nv_atomic_max(seen, (int)threadIdx.x, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
}

template <typename T> static bool fine(T x) {
  return isfinite(x) && !isnan(x);
}

int main() {
  int *seen, last;
  unsigned long long total;
  cudaMalloc(&seen, sizeof *seen);
  cudaMemset(seen, 0, sizeof *seen);
  count<<<1, 64>>>(seen);
  cudaMemcpy(&last, seen, sizeof last, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&total, counter, sizeof total);
  printf("%llu, last %d, fine %d\n", total, last,
         fine(1.0f) && fine(2.0) && time(NULL) > INT_MIN && strlen("four") == (size_t)abs(-4));
}
