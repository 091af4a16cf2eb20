/* build.h: loaded modules, their functions, and their code, which is compiled on first use: that takes tenths of a
 * second and more, and programs never launch most kernels of a library. */
#ifndef CUSAFE_CPU_BUILD_H
#define CUSAFE_CPU_BUILD_H

#include "cusafe/image.h"
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_allocation;
struct cs_cpu_context;
struct cs_cpu_library;

/* One SPIR-V module of an image. */
struct cs_cpu_code {
  uint64_t offset, bytes;         /* in the image; 0 bytes: there is none */
  struct cs_cpu_program *program; /* under module->lock; NULL until first used */
  int is_shared;                  /* another function of the module releases it */
  CUresult error;                 /* under module->lock: a build is tried once */
};

struct cs_cpu_function {
  uint32_t magic;
  struct cs_cpu_loaded_module *module;
  const struct cs_image_kernel *kernel;
  const char *name;
  struct cs_cpu_code code;
  struct cs_cpu_entry *entry; /* under module->lock; NULL until first used */
  size_t engine_max_threads;  /* in a block; set with the entry */
  atomic_size_t max_dynamic;
  atomic_int carveout;
};

/* A library's instance in a context. */
struct cs_cpu_loaded_module {
  uint32_t magic;
  struct cs_cpu_context *context;
  struct cs_cpu_library *library;
  const struct cs_image *image; /* the library's */
  pthread_mutex_t lock;
  struct cs_cpu_program *program;      /* of the variables; under lock; NULL until built */
  CUresult build_error;                /* under lock: a build is tried once */
  uint64_t *addresses;                 /* of all variables; under lock; set with globals, and then fixed */
  struct cs_cpu_function **functions;  /* one for each kernel of the image */
  struct cs_cpu_allocation **globals;  /* under lock; NULL until built */
  struct cs_cpu_loaded_module *next;   /* in the context; under cs_cpu_context_lock() */
  struct cs_cpu_loaded_module *sister; /* the next instance of the library; under cs_cpu_context_lock() */
  struct cs_cpu_loaded_module *whole;  /* of a part of a library: the whole's instance; else NULL */
};

/* The module that the program has loaded: this one, or the one that it is a part of. */
static inline struct cs_cpu_loaded_module *cs_cpu_module_whole(struct cs_cpu_loaded_module *module) {
  return module->whole ? module->whole : module;
}
/* Builds the program of the module's variables and locates them. */
CUresult cs_cpu_module_build(struct cs_cpu_loaded_module *module);
/* The address and size of a variable of the module, or of the whole that it is a part of; each may be NULL. */
CUresult cs_cpu_module_global(struct cs_cpu_loaded_module *module, const char *name, CUdeviceptr *address,
                              size_t *size);
/* Compiles the function's code. */
CUresult cs_cpu_function_load(struct cs_cpu_function *function);
/* Releases the function's code. */
void cs_cpu_function_release(struct cs_cpu_function *function);

#endif
