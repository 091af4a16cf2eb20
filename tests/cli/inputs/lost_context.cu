// Two objects: the second's kernel is loaded when the first's has been stopped by a check, before the program waits.
void launch_fill(int *p);

#ifdef SECOND
__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

void launch_fill(int *p) {
  fill<<<1, 10>>>(p);
}
#else
__global__ void write_past(int *p) {
  p[10] = 1;
}

int main() {
  int *p;
  cudaMalloc(&p, 10 * sizeof *p);
  write_past<<<1, 1>>>(p);
  launch_fill(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
