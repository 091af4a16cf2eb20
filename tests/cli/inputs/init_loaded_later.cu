/* A buffer exists before the library with kernels that use the shadow is loaded. They store uninitialised values there,
 * and the host overwrites these. With a second argument, a kernel uses the uninitialised values themselves. */
#include <cstdio>
#include <dlfcn.h>

int main(int count, char **arguments) {
  int *early, *late;
  cudaMallocManaged(&early, 64 * sizeof *early);
  void *library = dlopen(arguments[1], RTLD_NOW);
  auto copy = (void (*)(const int *, int *))dlsym(library, "run_copy");
  auto branch = (void (*)(const int *, int *))dlsym(library, "run_branch");
  if (!copy || !branch)
    return std::puts(dlerror()), 2;
  cudaMalloc(&late, 64 * sizeof *late);
  copy(late, early);
  for (int i = 0; i < 64; i++)
    early[i] = i;
  branch(early, early);
  if (count > 2)
    branch(late, early);
  cudaFree(late);
  cudaFree(early);
  return cudaDeviceSynchronize();
}
