/* work.h: how a library of the CPU device computes: with functions of another library, which is loaded at its first
 * use, in the order of the caller's stream. Any thread. */
#ifndef CUSAFE_CPU_LIBRARIES_WORK_H
#define CUSAFE_CPU_LIBRARIES_WORK_H

#include "cusafe/layout.h"
#include <cuda.h>
#include <stdatomic.h>

/* The libraries that compute: see engines.inc. */
enum cs_engine {
#define CS_ENGINE(name, file, package, product, users) CS_ENGINE_##name,
#include "cusafe/engines.inc"
};

/* A function of such a library, which is kept in *slot; NULL if the library is not installed. */
void *cs_library_function(enum cs_engine engine, const char *name, _Atomic(void *) *slot);
/* Why a call is refused whose library is not installed: what follows "because". */
const char *cs_library_missing(enum cs_engine engine);

/* Starts the driver, and makes a context current if there is none. Returns 0 for success. */
int cs_library_start(void);

/* Calls run(arguments) after the earlier work of the stream, with a copy of `size` bytes that lasts as long as the
 * work: in a stream that records a graph, as long as the graph. Returns 0 for success. */
int cs_library_submit(CUstream stream, void (*run)(void *arguments), const void *arguments, size_t size);
/* The same, and waits for the stream, because the caller reads results in host memory. */
int cs_library_submit_and_wait(CUstream stream, void (*run)(void *arguments), const void *arguments, size_t size);

/* Memory of work, which has no caller to return an error to: ends the process if there is none. */
void *cs_library_allocate(size_t bytes);

/* A pointer from a kernel, or from memory that kernels write, may have CuSafe's marks. */
static inline void *cs_library_plain(const void *pointer) {
  return (void *)(uintptr_t)cs_strip((cs_u64)(uintptr_t)pointer);
}

#endif
