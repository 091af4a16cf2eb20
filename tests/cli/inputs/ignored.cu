// Errors of four kinds, each in its own function; the argument selects one.
#include <cstdlib>

struct Pair {
  int first[2], second[2];
};

namespace fast {
__device__ void beyond(int *p, int i) {
  p[i] = 1; // bounds
}
} // namespace fast

__device__ void field(Pair *pair, int i) {
  pair->first[i] = 1; // field
}

__device__ int scope(int n) {
  int *last = nullptr;
  for (int i = 0; i < n; i++) {
    int square[2] = {i, i * i};
    last = square;
  }
  return last[1]; // scope
}

__device__ int crooked(const char *p) {
  return *(const int *)(p + 1); // alignment
}

// Valid: escaping pointers to variables, and pointers that return into their window, must keep their meaning in unchecked code.
__device__ int good(int **shelf, int *p) {
  int local[4] = {1, 2, 3, 4};
  shelf[0] = local;
  shelf[1] = p + 100000;
  return shelf[0][threadIdx.x + 2] + *(shelf[1] - 100000);
}

__global__ void kernel(int *p, int **shelf, int what) {
  if (what == 1)
    fast::beyond(p, 100);
  if (what == 2)
    field((Pair *)p, 3);
  if (what == 3)
    p[0] = scope(3);
  if (what == 4)
    p[1] = crooked((const char *)p);
  p[2] = good(shelf, p);
}

int main(int argc, char **argv) {
  int *p, **shelf, host[100];
  cudaMalloc(&p, sizeof host);
  cudaMalloc(&shelf, 2 * sizeof *shelf);
  cudaMemset(p, 0, sizeof host);
  kernel<<<1, 1>>>(p, shelf, argc > 1 ? std::atoi(argv[1]) : 0);
  if (cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 2;
  return host[2] == 3 + host[0] ? 0 : 3;
}
