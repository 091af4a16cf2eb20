int main() {
  int *p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaFree(p + 1); // should be the pointer that cudaMalloc returned
  return 0;
}
