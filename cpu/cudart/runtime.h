/* runtime.h: what the files of the CUDA runtime share: the driver's entry points, the thread's context, errors.
 *
 * Every public call has the same shape: CS_CUDART_ENTER() (driver loaded, a context current), its own argument checks, one driver
 * call, and cs_cudart_done(), which turns the driver's answer into the runtime's and remembers it for cudaGetLastError. All calls
 * may be made from any thread. */
#ifndef CUSAFE_CUDART_RUNTIME_H
#define CUSAFE_CUDART_RUNTIME_H

/* CUDA's own switch for the library that defines both spellings of a call: plain, and _ptsz/_ptds for programs built with a
 * default stream per thread. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>

/* The driver's calls as cuGetProcAddress gave them; NULL for one that this driver does not have. */
struct cs_cudart_driver {
#define CS_CUDART_DRIVER(name, version) PFN_cu##name##_v##version name;
#include "driver.inc"
#undef CS_CUDART_DRIVER
};
extern struct cs_cudart_driver cs_cudart_cu;

/* Loads and initialises the driver once. The same error for ever after when that failed; cudaErrorCudartUnloading once the
 * process has begun to exit, because the driver may be gone before static destructors have run. */
cudaError_t cs_cudart_driver_ready(void);
int cs_cudart_driver_version(void); /* 0 when there is none */
int cs_cudart_exiting(void);

/* Says once, by name, that a call is not there. Returns the documented error. */
CUresult cs_cudart_driver_lacks(const char *name);
cudaError_t cs_cudart_unsupported(const char *name);
void cs_cudart_say_unsupported(const char *name); /* only says it */

/* One driver call: CU(MemAlloc, &pointer, size). */
#define CU(name, ...) (cs_cudart_cu.name ? cs_cudart_cu.name(__VA_ARGS__) : cs_cudart_driver_lacks("cu" #name))

/* A driver context as the runtime knows it. Never freed, so a pointer to one stays good; dead after cudaDeviceReset. */
struct cs_cudart_context {
  CUcontext handle;
  unsigned long long id; /* the driver's number for this instance, 0 if it has none */
  CUdevice device;
  int ordinal;
  int alive;
  int primary;        /* retained by the runtime */
  cudaError_t sticky; /* the error that ended it */
  unsigned max_block[3], max_grid[3], max_threads;
  struct cs_cudart_loaded *loaded; /* modules and functions; belongs to registration.c */
  struct cs_cudart_context *next;
};

/* Makes a context current: the thread's own if the application has set one through the driver, else the primary context of
 * the thread's device. */
cudaError_t cs_cudart_enter(struct cs_cudart_context **context);
#define CS_CUDART_ENTER_IN(context)                                                                                    \
  do {                                                                                                                 \
    cudaError_t error_ = cs_cudart_enter(&(context));                                                                  \
    if (error_ != cudaSuccess)                                                                                         \
      return cs_cudart_fail(error_);                                                                                   \
  } while (0)
#define CS_CUDART_ENTER()                                                                                              \
  do {                                                                                                                 \
    struct cs_cudart_context *context_;                                                                                \
    CS_CUDART_ENTER_IN(context_);                                                                                      \
  } while (0)
#define CS_CUDART_READY()                                                                                              \
  do {                                                                                                                 \
    cudaError_t error_ = cs_cudart_driver_ready();                                                                     \
    if (error_ != cudaSuccess)                                                                                         \
      return cs_cudart_fail(error_);                                                                                   \
  } while (0)
/* Finds the driver's device, or returns from the caller with the error. */
#define CS_CUDART_DEVICE(ordinal, device)                                                                              \
  do {                                                                                                                 \
    CS_CUDART_READY();                                                                                                 \
    cudaError_t found_ = cs_cudart_driver_device(ordinal, &(device));                                                  \
    if (found_ != cudaSuccess)                                                                                         \
      return cs_cudart_fail(found_);                                                                                   \
  } while (0)
#define CS_CUDART_CHECK(condition)                                                                                     \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return cs_cudart_fail(cudaErrorInvalidValue);                                                                    \
  } while (0)

cudaError_t cs_cudart_select_device(int ordinal);                      /* this thread's device from now on */
int cs_cudart_selected_device(void);                                   /* without initialising anything */
cudaError_t cs_cudart_primary_context(int ordinal, CUcontext *handle); /* retained, not made current */
cudaError_t cs_cudart_reset_device(int ordinal);                       /* ends its primary context */
void cs_cudart_each_context(void (*visit)(struct cs_cudart_context *, void *), void *data); /* the living ones */
cudaError_t cs_cudart_driver_device(int ordinal, CUdevice *device); /* cudaErrorInvalidDevice if there is none */
void cs_cudart_context_lost(cudaError_t error);                     /* the current context has ended with this error */
cudaError_t cs_cudart_context_sticky(void);                         /* how the thread's context ended, or cudaSuccess */

/* Errors. cs_cudart_fail and cs_cudart_done remember the error for the thread and return it. */
cudaError_t cs_cudart_error(CUresult result);
cudaError_t cs_cudart_fail(cudaError_t error);
cudaError_t cs_cudart_done(CUresult result);

int cs_cudart_is_library_kernel(const void *handle); /* a kernel of a cudaLibrary_t */

/* Kernels and variables that the program has registered. The context is the one cs_cudart_enter gave. */
cudaError_t cs_cudart_function(const void *host, struct cs_cudart_context *context, CUfunction *function);
cudaError_t cs_cudart_variable(const void *host, struct cs_cudart_context *context, CUdeviceptr *address, size_t *size);
const char *cs_cudart_function_name(const void *host); /* NULL if not registered */
/* The host function that a driver's function came from; the function itself if it came from somewhere else. */
const void *cs_cudart_host_function(CUfunction function);
cudaError_t cs_cudart_load_modules(struct cs_cudart_context *context); /* all that are registered */
void cs_cudart_forget_modules(struct cs_cudart_context *context); /* the context has ended, and its modules with it */

static inline CUdeviceptr cs_cudart_address(const void *pointer) {
  return (CUdeviceptr)pointer;
}

/* A copy's two sides in the driver's words. */
static inline int cs_cudart_host_source(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
}
static inline int cs_cudart_host_target(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
}
static inline CUmemorytype cs_cudart_memory_type(enum cudaMemcpyKind kind, int host) {
  return kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED : host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

#endif
