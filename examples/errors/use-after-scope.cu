__global__ void sum(int *result, int n) {
  int *last = nullptr;
  for (int i = 0; i < n; i++) {
    int square[2] = {i, i * i};
    last = square; // the array's lifetime ends with the loop's body
  }
  result[0] = last[threadIdx.x + 1];
}

int main() {
  int *result;
  cudaMalloc(&result, sizeof(int));
  sum<<<1, 1>>>(result, 3);
  return cudaDeviceSynchronize();
}
