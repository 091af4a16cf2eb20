// nvcc defines its macros in host-only sources, too.
#include <cstdio>
int main() {
#ifdef __NVCC__
  printf("nvcc %d\n", __CUDACC_VER_MAJOR__ >= 12 && __CUDACC_VER_MINOR__ >= 0 && __NVCC__);
#else
  printf("clang\n");
#endif
}
