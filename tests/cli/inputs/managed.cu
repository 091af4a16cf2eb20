// A managed variable, one element of which a kernel of 5 threads does not have.
#include <cstdio>
__managed__ int table[4];
__global__ void fill() {
  table[threadIdx.x] = threadIdx.x;
}
#ifdef INITIALISER
int *second = &table[1];
#endif

int main() {
  table[3] = 7;
  fill<<<1, 4>>>();
  cudaDeviceSynchronize();
  printf("table %d\n", table[3]);
  fflush(stdout);
  fill<<<1, 5>>>();
  return cudaDeviceSynchronize();
}
