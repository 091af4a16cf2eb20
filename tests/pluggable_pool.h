// pluggable_pool.h: a pool that is an allocator of PyTorch's pluggable interface: two functions of a shared library
// that ALLOCATOR names, called as that interface documents, with the bytes, the device and the stream of each tensor.
#ifndef CUSAFE_TESTS_PLUGGABLE_POOL_H
#define CUSAFE_TESTS_PLUGGABLE_POOL_H

#include "check.h"
#include <dlfcn.h>
#include <map>
#include <sys/types.h>

class PluggablePool {
  struct Tensor {
    ssize_t bytes;
    cudaStream_t stream;
  };
  std::map<void *, Tensor> tensors_; // also of those that were freed: a second free reaches the allocator
  void *(*malloc_)(ssize_t, int, cudaStream_t);
  void (*free_)(void *, ssize_t, int, cudaStream_t);

public:
  PluggablePool() {
    void *library = dlopen(getenv("ALLOCATOR"), RTLD_NOW);
    EXPECT(library);
    malloc_ = (void *(*)(ssize_t, int, cudaStream_t))dlsym(library, "exact_malloc");
    free_ = (void (*)(void *, ssize_t, int, cudaStream_t))dlsym(library, "exact_free");
  }

  char *allocate(size_t bytes, cudaStream_t stream = 0) {
    void *made = malloc_((ssize_t)bytes, 0, stream);
    EXPECT(made);
    tensors_[made] = {(ssize_t)bytes, stream};
    return (char *)made;
  }

  void free(void *pointer, cudaStream_t = 0) { free_(pointer, tensors_[pointer].bytes, 0, tensors_[pointer].stream); }

  template <typename T> T *array(size_t count) { return (T *)allocate(count * sizeof(T)); }
  void release() { CU(cudaDeviceSynchronize()); }
};

#endif
