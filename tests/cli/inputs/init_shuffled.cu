// A lane that has loaded nothing uses what another lane has loaded, or finds in a list of the device heap.
#include <cuda_runtime.h>

__global__ void broadcast(const int *in, int *out) {
  int t = threadIdx.x, v = 0;
  if (t == 5)
    v = in[t];
  v = __shfl_sync(0xffffffff, v, 5);
  if (v > 3 && t == 0)
    out[0] = v;
}

struct node {
  int key;
  node *next;
};

__global__ void last(int *out) {
  node *n = (node *)malloc(sizeof(node));
  n->key = 1;
  out[0] = n->next ? n->next->key : n->key;
  free(n);
}

int main(int argc, char **) {
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  if (argc > 1)
    last<<<1, 1>>>(out);
  else
    broadcast<<<1, 32>>>(in, out);
  return cudaDeviceSynchronize();
}
