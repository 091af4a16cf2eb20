// library_loaded.cu: looks a function of cuRAND up by name, and has it write numbers to a buffer of 10.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

int main(int, char **argv) {
  float *p;
  void *library = dlopen(argv[1], RTLD_NOW);
  auto *generate = (int (*)(void *, float *, size_t))dlsym(library, "curandGenerateUniform");
  if (!generate || cudaMalloc(&p, 40))
    return 1;
  return generate(nullptr, p, (size_t)atol(argv[2]));
}
