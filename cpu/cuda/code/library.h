/* library.h: libraries: the code that the program has loaded, which belongs to no context. A CUmodule is a library's
 * instance in a context: cuModuleLoad and its variants make a library with one instance. */
#ifndef CUSAFE_CPU_LIBRARY_H
#define CUSAFE_CPU_LIBRARY_H

#include <cuda.h>
#include <pthread.h>
#include <stdint.h>

struct cs_cpu_context;
struct cs_cpu_function;
struct cs_cpu_loaded_module;
struct cs_cpu_texts;
struct cs_image;
struct cs_image_kernel;

struct cs_cpu_kernel {
  uint32_t magic;
  struct cs_cpu_library *library;
  uint32_t index;                       /* in the library's image, and of its function in each instance */
  const struct cs_image_kernel *kernel; /* in the image */
  const char *name;
};

struct cs_cpu_library {
  uint32_t magic;
  struct cs_image *image;         /* a copy */
  struct cs_cpu_kernel **kernels; /* one for each kernel of the image */
  struct cs_cpu_context *context; /* of a library that cuModuleLoad has made: the one of its instance; else NULL */
  pthread_mutex_t lock;           /* one thread at a time lifts a kernel, or makes an instance */
  struct cs_cpu_loaded_module *instances; /* under cs_cpu_context_lock() */
  int unloading; /* instances, also of its parts, that threads have taken out of the list, and delete; the same lock */
  /* Of a large PTX module: its kernels, and the libraries of those that were wanted, with the whole's variables. */
  struct cs_cpu_texts *texts;
  struct cs_cpu_library *parts;  /* under lock */
  struct cs_cpu_library *whole;  /* of a part; else NULL */
  struct cs_cpu_library *sister; /* the next part of the same library */
};

/* The library of an image, PTX text or fat binary: `data`, or what the file at `path` contains. The other is NULL. */
CUresult cs_cpu_library_load(const void *data, const char *path, struct cs_cpu_library **library);
/* Deletes a library and its parts, which have no instances. */
void cs_cpu_library_delete(struct cs_cpu_library *library);

/* The library that the program has loaded: this one, or the one that it is a part of. */
static inline struct cs_cpu_library *cs_cpu_library_whole(struct cs_cpu_library *library) {
  return library->whole ? library->whole : library;
}

/* The kernel of this name, lifted if it is wanted for the first time. */
CUresult cs_cpu_library_kernel(struct cs_cpu_library *library, const char *name, struct cs_cpu_kernel **kernel);
unsigned cs_cpu_library_kernel_count(const struct cs_cpu_library *library);
/* The first `count` kernels, or, with a context, their functions in it. */
CUresult cs_cpu_library_enumerate(struct cs_cpu_library *library, struct cs_cpu_context *context, void **handles,
                                  unsigned count);

/* The library's instance in the context, and the kernel's function in it; made on first use. */
CUresult cs_cpu_library_instance(struct cs_cpu_library *library, struct cs_cpu_context *context,
                                 struct cs_cpu_loaded_module **module);
CUresult cs_cpu_kernel_instance(const struct cs_cpu_kernel *kernel, struct cs_cpu_context *context,
                                struct cs_cpu_function **function);
/* In the current context. */
CUresult cs_cpu_kernel_function(const struct cs_cpu_kernel *kernel, struct cs_cpu_function **function);

/* Waits for the work in the contexts of its instances, and deletes all. */
void cs_cpu_library_unload(struct cs_cpu_library *library);
/* The same for what cuModuleLoad has made. CUDA_ERROR_INVALID_HANDLE if another thread has unloaded it,
 * CUDA_ERROR_NOT_PERMITTED for the instance of a library that the program has loaded. */
CUresult cs_cpu_module_unload(const struct cs_cpu_loaded_module *module);
/* Deletes the instances in a context whose work has ended, and the libraries that cuModuleLoad has made for them. */
void cs_cpu_libraries_close(struct cs_cpu_context *context);

#endif
