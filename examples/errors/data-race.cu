__global__ void reverse(const int *in, int *out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  out[t] = tile[63 - t]; // of a thread that may not have written yet
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 1, 64 * sizeof(int));
  reverse<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize();
}
