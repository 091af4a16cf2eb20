// lone_free.cu: a module whose kernels free memory that another module allocated; it does not call malloc.
#include "case.h"

__global__ void give_back(int *p, int i, bool really) {
  if (really)
    free(p + i); // BUG: free_without_malloc
}

TWINS(free_without_malloc, bool really, true, false) {
  int *a = buffer<int>(16);
  give_back<<<1, 1>>>(a, 1, really);
  LAUNCHED();
  release(a);
}
