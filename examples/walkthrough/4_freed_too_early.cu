// 4: a helper frees a buffer and returns the pointer to it.
#include <cstdio>

struct Plan {
  float *weights;
  int n;
};

__global__ void prepare(Plan plan) {
  int i = threadIdx.x;
  if (i < plan.n)
    plan.weights[i] = 1.0f / (i + 1);
}

__global__ void apply(Plan plan, float *x) {
  int i = threadIdx.x;
  if (i < plan.n)
    x[i] *= plan.weights[i];
}

static Plan make_plan(int n) {
  Plan plan = {nullptr, n};
  cudaMalloc(&plan.weights, n * sizeof(float));
  prepare<<<1, 128>>>(plan);
  cudaFree(plan.weights);
  return plan;
}

int main() {
  const int n = 100;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  Plan plan = make_plan(n);
  apply<<<1, 128>>>(plan, x);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(x);
}
