__global__ void sum(const char *bytes, int *result) {
  *result = *(const int *)(bytes + 1); // an int needs an address that is a multiple of 4
}

int main() {
  char *bytes;
  int *result;
  cudaMalloc(&bytes, 64);
  cudaMalloc(&result, sizeof(int));
  sum<<<1, 1>>>(bytes, result);
  return cudaDeviceSynchronize();
}
