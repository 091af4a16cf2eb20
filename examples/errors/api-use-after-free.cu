int main() {
  int *p;
  cudaMalloc(&p, 64);
  cudaFree(p);
  cudaMemset(p, 0, 64); // should come before cudaFree
  return 0;
}
