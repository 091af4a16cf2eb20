// variables.cu: what the golden reports on variables quote. Line and column numbers are part of the tests.
__device__ int table[16];
__constant__ float coefficients[8];
struct particle {
  float position[4], speed[4];
};

__global__ void sum(const int *in, int *out, int n) {
  __shared__ int partial[32];
  extern __shared__ int scratch[];
  int window[16];
  for (int i = 0; i <= 16; i++)
    window[i] = in[i];
  partial[threadIdx.x + 1] = window[0];
  scratch[threadIdx.x + n] = window[1];
  out[0] = table[n] + (int)coefficients[n];
}

__global__ void move(particle *p, int axis) {
  p->position[axis] += p->speed[0];
}

__global__ void drop(int *p) {
  free(p);
}
