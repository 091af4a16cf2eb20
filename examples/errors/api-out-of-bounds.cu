int main() {
  static int host[100];
  int *device;
  cudaMalloc(&device, 50 * sizeof(int));
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice); // 100 do not fit
  return 0;
}
