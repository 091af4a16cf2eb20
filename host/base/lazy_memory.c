/* lazy_memory.c: private mappings that the kernel backs with pages on first use. */
#include "host/base/lazy_memory.h"
#include <sys/mman.h>

void *cs_host_lazy_memory(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}
