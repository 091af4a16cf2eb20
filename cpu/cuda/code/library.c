/* library.c: libraries and kernels: modules that belong to no context until one uses them. */
#include "cpu/cuda/code/library.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/function_attributes.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/load.h"
#include "cpu/cuda/code/module.h"
#include "cpu/cuda/code/texts.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cusafe/image.h"
#include "cusafe/lifts.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The module of a library in one context. Under cs_cpu_context_lock(). */
struct instance {
  struct cs_cpu_context *context;
  struct cs_cpu_loaded_module *module;
  struct instance *next;
};

struct library;
struct kernel {
  uint32_t magic;
  struct library *library;
  uint32_t index;
};

struct library {
  uint32_t magic;
  struct cs_image *image;
  struct kernel **kernels;
  struct instance *instances;
  struct library *next;
  /* Of a large PTX module: its kernels, and the libraries of those that were wanted, with the whole's variables. */
  struct cs_cpu_texts *texts;
  struct library *parts; /* under lifting */
  struct library *whole, *sister;
};

static pthread_mutex_t lifting = PTHREAD_MUTEX_INITIALIZER; /* outermost lock */

static struct library *libraries; /* under cs_cpu_context_lock() */

static void delete_library(struct library *library) {
  for (uint32_t i = 0; library->kernels && i < library->image->kernel_count; i++)
    if (library->kernels[i])
      cs_cpu_object_delete(library->kernels[i]);
  free(library->kernels);
  free(library->image);
  cs_cpu_texts_close(library->texts);
  cs_cpu_object_delete(library);
}

static struct library *new_library(const struct cs_image *image, struct library *whole) {
  struct library *library = cs_cpu_object_new(CS_CPU_LIBRARY, sizeof *library);
  if (!library)
    return NULL;
  library->whole = whole;
  library->image = malloc(image->total_bytes);
  library->kernels = library->image ? calloc(image->kernel_count + 1, sizeof *library->kernels) : NULL;
  if (!library->kernels) {
    delete_library(library);
    return NULL;
  }
  memcpy(library->image, image, image->total_bytes);
  for (uint32_t i = 0; i < image->kernel_count; i++) {
    library->kernels[i] = cs_cpu_object_new(CS_CPU_KERNEL, sizeof **library->kernels);
    if (!library->kernels[i]) {
      delete_library(library);
      return NULL;
    }
    library->kernels[i]->library = library;
    library->kernels[i]->index = i;
  }
  return library;
}

static void list(struct library *library) {
  cs_cpu_context_lock();
  library->next = libraries;
  libraries = library;
  cs_cpu_context_unlock();
}

static CUresult library_of(CUlibrary handle, struct library **library) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_object_is(handle, CS_CPU_LIBRARY))
    return CUDA_ERROR_INVALID_HANDLE;
  *library = (struct library *)handle;
  return CUDA_SUCCESS;
}

static CUresult kernel_of(CUkernel handle, struct kernel **kernel) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_object_is(handle, CS_CPU_KERNEL))
    return CUDA_ERROR_INVALID_HANDLE;
  *kernel = (struct kernel *)handle;
  return CUDA_SUCCESS;
}

static struct cs_cpu_loaded_module *find_instance(struct library *library, struct cs_cpu_context *context) {
  struct instance *instance = library->instances;
  while (instance && instance->context != context)
    instance = instance->next;
  return instance ? instance->module : NULL;
}

static CUresult load_instance(struct library *library, struct cs_cpu_context *context,
                              struct cs_cpu_loaded_module *whole, struct cs_cpu_loaded_module **out) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* taken before all locks but lifting */
  pthread_mutex_lock(&one_at_a_time);
  cs_cpu_context_lock();
  *out = find_instance(library, context);
  cs_cpu_context_unlock();
  CUresult result = CUDA_SUCCESS;
  if (!*out) {
    struct instance *instance = calloc(1, sizeof *instance);
    result = instance ? cs_cpu_module_new(context, library->image, whole, out) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) {
      (*out)->texts = library->texts;
      cs_cpu_context_lock();
      *instance = (struct instance){context, *out, library->instances};
      library->instances = instance;
      cs_cpu_context_unlock();
    } else {
      free(instance);
    }
  }
  pthread_mutex_unlock(&one_at_a_time);
  return result;
}

/* The library's module in the context, loaded on first use. */
static CUresult instantiate(struct library *library, struct cs_cpu_context *context,
                            struct cs_cpu_loaded_module **out) {
  struct cs_cpu_loaded_module *whole = NULL;
  CUresult result = library->whole ? load_instance(library->whole, context, NULL, &whole) : CUDA_SUCCESS;
  return result == CUDA_SUCCESS ? load_instance(library, context, whole, out) : result;
}

void cs_cpu_libraries_forget(struct cs_cpu_context *context) {
  cs_cpu_context_lock();
  for (struct library *library = libraries; library; library = library->next) {
    for (struct instance **slot = &library->instances; *slot;) {
      struct instance *instance = *slot;
      if (instance->context == context) {
        *slot = instance->next;
        free(instance);
      } else {
        slot = &instance->next;
      }
    }
  }
  cs_cpu_context_unlock();
}

/* --- libraries --- */

CUresult cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *jit_options, void **jit_values,
                           unsigned int jit_count, CUlibraryOption *options, void **values, unsigned int count) {
  (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
  struct cs_cpu_given given = {0};
  CUresult result = cs_cpu_check_init();
  if (result == CUDA_SUCCESS && (!out || !code))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_load(code, &given);
  struct library *library = result == CUDA_SUCCESS ? new_library(given.image, NULL) : NULL;
  if (library) {
    library->texts = given.rest;
    given.rest = NULL;
    list(library);
    *out = (CUlibrary)library;
  } else if (result == CUDA_SUCCESS) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  cs_cpu_load_end(&given);
  return result;
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options, void **jit_values,
                               unsigned int jit_count, CUlibraryOption *options, void **values, unsigned int count) {
  void *data;
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  result = cs_cpu_image_read(path, &data);
  if (result != CUDA_SUCCESS)
    return result;
  result = cuLibraryLoadData(library, data, jit_options, jit_values, jit_count, options, values, count);
  free(data);
  return result;
}

/* Another thread may end a context meanwhile, which deletes its modules: each is deleted by the thread that took it out
 * of the context's list. */
static void unload(struct library *library) {
  cs_cpu_context_lock();
  struct library **slot = &libraries;
  while (*slot && *slot != library)
    slot = &(*slot)->next;
  if (*slot)
    *slot = library->next;
  struct instance *instance = library->instances;
  library->instances = NULL;
  for (struct instance *i = instance; i; i = i->next)
    if (!cs_cpu_module_take(i->module))
      i->module = NULL;
  cs_cpu_context_unlock();
  while (instance) {
    struct instance *next = instance->next;
    if (instance->module)
      cs_cpu_module_delete(instance->module);
    free(instance);
    instance = next;
  }
  delete_library(library);
}

CUresult cuLibraryUnload(CUlibrary handle) {
  struct library *library;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS && library->whole)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result != CUDA_SUCCESS)
    return result;
  while (library->parts) {
    struct library *part = library->parts;
    library->parts = part->sister;
    unload(part);
  }
  unload(library);
  return CUDA_SUCCESS;
}

static CUresult instance_here(CUlibrary handle, struct cs_cpu_loaded_module **module) {
  struct library *library;
  struct cs_cpu_context *context;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_enter(&context);
  return result == CUDA_SUCCESS ? instantiate(library, context, module) : result;
}

CUresult cuLibraryGetModule(CUmodule *out, CUlibrary library) {
  struct cs_cpu_loaded_module *module;
  CUresult result = instance_here(library, &module);
  if (result == CUDA_SUCCESS && !out)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *out = (CUmodule)module;
  return result;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name) {
  struct cs_cpu_loaded_module *module;
  CUresult result = name ? instance_here(library, &module) : CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_module_global(module, name, address, size) : result;
}

static const char *kernel_name(const struct kernel *kernel) {
  const struct cs_image *image = kernel->library->image;
  return cs_cpu_image_string(image, cs_cpu_image_kernels(image)[kernel->index].name);
}

static struct kernel *find_own(const struct library *library, const char *name) {
  for (uint32_t i = 0; i < library->image->kernel_count; i++)
    if (strcmp(kernel_name(library->kernels[i]), name) == 0)
      return library->kernels[i];
  return NULL;
}

/* Under lifting: the kernel in a part that was lifted before. */
static struct kernel *find_lifted(const struct library *whole, const char *name) {
  struct kernel *found = NULL;
  for (const struct library *part = whole->parts; part && !found; part = part->sister)
    found = find_own(part, name);
  return found;
}

/* Under lifting. */
static CUresult lift_part(struct library *whole, const char *name) {
  const struct cs_image *image;
  void *lifted = NULL;
  CUresult result = cs_cpu_texts_kernel(whole->texts, name, &lifted);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_image_open(lifted, &image);
  struct library *part = result == CUDA_SUCCESS ? new_library(image, whole) : NULL;
  if (part) {
    part->sister = whole->parts;
    whole->parts = part;
    list(part);
  }
  free(lifted);
  return result == CUDA_SUCCESS && !part ? CUDA_ERROR_OUT_OF_MEMORY : result;
}

/* The library that the program has loaded. */
static struct library *whole_of(struct library *library) {
  return library->whole ? library->whole : library;
}

static CUresult find_kernel(struct library *library, const char *name, struct kernel **out) {
  struct library *whole = whole_of(library);
  CUresult result = CUDA_SUCCESS;
  if ((*out = find_own(library, name)) || !whole->texts)
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  pthread_mutex_lock(&lifting);
  if (!(*out = find_lifted(whole, name)) && (result = lift_part(whole, name)) == CUDA_SUCCESS)
    *out = find_lifted(whole, name);
  pthread_mutex_unlock(&lifting);
  return *out ? CUDA_SUCCESS : result == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary handle, const char *name) {
  struct library *library;
  struct kernel *kernel;
  CUresult result = library_of(handle, &library);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  result = find_kernel(library, name, &kernel);
  if (result == CUDA_SUCCESS)
    *out = (CUkernel)kernel;
  return result;
}

/* The names of the kernels that are lifted when they are wanted come first. */
static CUresult kernel_at(struct library *library, size_t index, struct kernel **kernel) {
  size_t count;
  const char *const *names = cs_cpu_texts_kernels(library->texts, &count);
  if (index < count)
    return find_kernel(library, names[index], kernel);
  *kernel = library->kernels[index - count];
  return CUDA_SUCCESS;
}
static size_t kernel_count(const struct library *library) {
  size_t count;
  cs_cpu_texts_kernels(library->texts, &count);
  return count + library->image->kernel_count;
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary handle) {
  struct library *library;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS && !count)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *count = (unsigned)kernel_count(library);
  return result;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary handle) {
  struct library *library;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS && !kernels)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; result == CUDA_SUCCESS && i < count && i < kernel_count(library); i++) {
    struct kernel *kernel;
    result = kernel_at(library, i, &kernel);
    if (result == CUDA_SUCCESS)
      kernels[i] = (CUkernel)kernel;
  }
  return result;
}

/* --- kernels --- */

CUresult cs_cpu_kernel_function(CUkernel handle, struct cs_cpu_function **function) {
  struct kernel *kernel;
  struct cs_cpu_context *context;
  struct cs_cpu_loaded_module *module;
  CUresult result = kernel_of(handle, &kernel);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = instantiate(kernel->library, context, &module);
  if (result == CUDA_SUCCESS)
    *function = module->functions[kernel->index];
  return result;
}

CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel) {
  struct cs_cpu_function *function;
  CUresult result = out ? cs_cpu_kernel_function(kernel, &function) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *out = (CUfunction)function;
  return result;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel handle) {
  struct kernel *kernel;
  CUresult result = kernel_of(handle, &kernel);
  if (result == CUDA_SUCCESS && !library)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *library = (CUlibrary)whole_of(kernel->library);
  return result;
}

void *cusafe_lifted_part(void *handle) {
  struct library *library = cs_cpu_object_is(handle, CS_CPU_KERNEL) ? ((struct kernel *)handle)->library : NULL;
  if (library)
    return library->whole ? library : NULL;
  struct cs_cpu_loaded_module *module =
      cs_cpu_object_is(handle, CS_CPU_FUNCTION) ? ((struct cs_cpu_function *)handle)->module : NULL;
  return module && module->whole ? module : NULL;
}

CUresult cuKernelGetName(const char **name, CUkernel handle) {
  struct kernel *kernel;
  CUresult result = kernel_of(handle, &kernel);
  if (result == CUDA_SUCCESS && !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *name = kernel_name(kernel);
  return result;
}

CUresult cuKernelGetParamInfo(CUkernel handle, size_t index, size_t *offset, size_t *size) {
  struct kernel *kernel;
  CUresult result = kernel_of(handle, &kernel);
  if (result != CUDA_SUCCESS)
    return result;
  const struct cs_image *image = kernel->library->image;
  const struct cs_image_kernel *described = &cs_cpu_image_kernels(image)[kernel->index];
  if (!offset || index >= described->param_count)
    return CUDA_ERROR_INVALID_VALUE;
  const struct cs_image_param *param = &cs_cpu_image_params(image)[described->first_param + index];
  *offset = param->offset;
  if (size)
    *size = param->size;
  return CUDA_SUCCESS;
}

/* Attributes are kept for each context; for a device, in its current or primary context. */
static CUresult function_on(CUkernel handle, CUdevice ordinal, struct cs_cpu_function **function) {
  struct kernel *kernel;
  struct cs_cpu_loaded_module *module;
  CUresult result = kernel_of(handle, &kernel);
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_device *device = cs_cpu_device_at(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  struct cs_cpu_context *context;
  if (cs_cpu_current(&context) != CUDA_SUCCESS || context->device != device)
    context = device->primary;
  if (!atomic_load(&context->alive))
    return CUDA_ERROR_INVALID_CONTEXT;
  result = instantiate(kernel->library, context, &module);
  if (result == CUDA_SUCCESS)
    *function = module->functions[kernel->index];
  return result;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  struct cs_cpu_function *function;
  CUresult result = value ? function_on(kernel, device, &function) : CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_function_attribute(function, attribute, value) : result;
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  struct cs_cpu_function *function;
  CUresult result = function_on(kernel, device, &function);
  return result == CUDA_SUCCESS ? cs_cpu_function_set(function, attribute, value) : result;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  struct cs_cpu_function *function;
  if (config > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  return function_on(kernel, device, &function);
}
