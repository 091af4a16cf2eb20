int main() {
  int *p;
  cudaMalloc(&p, 64);
  cudaFree(p);
  cudaFree(p); // was freed in the line above
  return 0;
}
