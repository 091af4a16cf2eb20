struct Row {
  int *values;
};

__global__ void fill(Row *row) {
  row->values[threadIdx.x] = 1;
}

int main() {
  Row *row;
  cudaMalloc(&row, sizeof(Row));
  cudaMemset(row, 0x55, sizeof(Row)); // should set row->values to a buffer
  fill<<<1, 32>>>(row);
  return cudaDeviceSynchronize();
}
