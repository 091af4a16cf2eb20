int main() {
  int *p;
  cudaMalloc(&p, 64);
  cudaFree(p);
  cudaFree(p); // once is enough
  return 0;
}
