int main() {
  int *p;
  cudaMalloc(&p, 64); // is never freed
  return 0;
}
