// Every function has a bug; those with CUSAFE_NO_CHECK are not reported. All are reads, so no memory is corrupted.
#include <cstdlib>

__device__ int table[4];

CUSAFE_NO_CHECK __device__ int inlined(const int *p, int i) {
  return p[i];
}

template <class T> struct Reader {
  const T *p;
  CUSAFE_NO_CHECK __device__ __noinline__ T at(int i) const { return p[i]; }
  __device__ T plain(int i) const { return p[i]; } // 13
};

CUSAFE_NO_CHECK static __device__ int calls(const int *p, int i) {
  return Reader<int>{p}.plain(i);
}

CUSAFE_NO_CHECK __global__ void whole(const int *p, int *sum, int i) {
  *sum += p[i];
}

__global__ void some(const int *p, int *sum, int which, int i) {
  __shared__ int shared[8];
  int local[8];
  for (int k = 0; k < 8; k++)
    shared[k] = local[k] = k;
  if (which == 1)
    *sum += inlined(p, i);
  if (which == 2)
    *sum += Reader<int>{p}.at(i);
  if (which == 3)
    *sum += calls(p, i);
  if (which == 4)
    *sum += shared[i & 15]; // 36
  if (which == 5)
    *sum += local[i & 15]; // 38
  if (which == 6)
    *sum += table[i & 15]; // 40
  if (which == 7)
    *sum += p[i];   // 42
  if (which == 8) { // in bounds
    int *q = (int *)malloc(2 * sizeof *q);
    q[i & 1] = 3;
    *sum += q[1];
    free(q);
  }
}

int main(int argc, char **argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0;
  int *p, *sum;
  cudaMalloc(&p, 8 * sizeof *p);
  cudaMalloc(&sum, sizeof *sum);
  if (which == 0)
    whole<<<1, 1>>>(p, sum, 9);
  else
    some<<<1, 1>>>(p, sum, which, 9);
  return cudaDeviceSynchronize() != cudaSuccess;
}
