/* One cause, several sites: what one thread met through one pointer. */
#include <cstdio>

struct node {
  int value;
};

__global__ void use(int *p, int *q, node **list) {
  p[10] += 1; // BUG: read and write
  p[11] = 2;  // BUG
  q[10] = 3;  // BUG, another pointer
  q[0] = 4;
  q[0] = list[1]->value; // BUG: the read of the pointer returns 0
}

int main() {
  int *p, *q;
  node **list;
  cudaMalloc(&p, 40);
  cudaMalloc(&q, 40);
  cudaMalloc(&list, sizeof *list);
  use<<<1, 1>>>(p, q, list);
  cudaDeviceSynchronize();
  puts("went on");
}
