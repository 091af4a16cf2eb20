__global__ void fill(char *p, int n) {
  for (int i = 0; i <= n; i++) // should be <
    p[i] = 7;
}

int main() {
  char *p;
  cudaMalloc(&p, 100);
  fill<<<1, 1>>>(p, 100);
  cudaFree(p);
  return 0;
}
