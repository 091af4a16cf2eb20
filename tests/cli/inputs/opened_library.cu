// opened_library.cu: a library with a kernel, a variable, and a buffer that is freed when the library is closed.
__device__ int bias;

__global__ static void add(int *p, int n) {
  p[threadIdx.x] = n + bias;
}

static struct buffer {
  int *data = nullptr;
  ~buffer() { cudaFree(data); }
} buffer;

// Returns n + 1.
extern "C" int run(int n) {
  int one = 1, result = 0;
  if (cudaMalloc(&buffer.data, 4) || cudaMemcpyToSymbol(bias, &one, 4))
    return -1;
  add<<<1, 1>>>(buffer.data, n);
  return cudaMemcpy(&result, buffer.data, 4, cudaMemcpyDeviceToHost) ? -1 : result;
}

// Writes n elements of 10, and does not wait.
extern "C" void fill(int n) {
  int *p;
  if (!cudaMalloc(&p, 40))
    add<<<1, n>>>(p, 0);
}
