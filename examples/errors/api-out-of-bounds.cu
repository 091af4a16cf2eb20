int main() {
  static int host[100];
  int *device;
  cudaMalloc(&device, 50 * sizeof(int));
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice); // 100 elements into a buffer of 50
  return 0;
}
