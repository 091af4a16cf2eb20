/* library.c: libraries: loading, lifting and finding kernels, instances in contexts, unloading. */
#include "cpu/cuda/code/library.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/instance.h"
#include "cpu/cuda/code/load.h"
#include "cpu/cuda/code/texts.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"
#include "cusafe/image.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* --- loading --- */

static void delete_one(struct cs_cpu_library *library) {
  for (uint32_t i = 0; library->kernels && i < library->image->kernel_count; i++)
    if (library->kernels[i])
      cs_cpu_object_delete(library->kernels[i]);
  free(library->kernels);
  free(library->image);
  cs_cpu_texts_close(library->texts);
  pthread_mutex_destroy(&library->lock);
  cs_cpu_object_delete(library);
}

void cs_cpu_library_delete(struct cs_cpu_library *library) {
  while (library->parts) {
    struct cs_cpu_library *part = library->parts;
    library->parts = part->sister;
    delete_one(part);
  }
  delete_one(library);
}

static struct cs_cpu_kernel *new_kernel(struct cs_cpu_library *library, uint32_t index) {
  struct cs_cpu_kernel *kernel = cs_cpu_object_new(CS_CPU_KERNEL, sizeof *kernel);
  if (!kernel)
    return NULL;
  kernel->library = library;
  kernel->index = index;
  kernel->kernel = &cs_cpu_image_kernels(library->image)[index];
  kernel->name = cs_cpu_image_string(library->image, kernel->kernel->name);
  return kernel;
}

static int fill(struct cs_cpu_library *library, const struct cs_image *image) {
  library->image = malloc(image->total_bytes);
  library->kernels = library->image ? calloc(image->kernel_count + 1, sizeof *library->kernels) : NULL;
  if (!library->kernels)
    return -1;
  memcpy(library->image, image, image->total_bytes);
  for (uint32_t i = 0; i < image->kernel_count; i++)
    if (!(library->kernels[i] = new_kernel(library, i)))
      return -1;
  return 0;
}

static struct cs_cpu_library *new_library(const struct cs_image *image, struct cs_cpu_library *whole) {
  struct cs_cpu_library *library = cs_cpu_object_new(CS_CPU_LIBRARY, sizeof *library);
  if (!library)
    return NULL;
  library->whole = whole;
  pthread_mutex_init(&library->lock, NULL);
  if (!fill(library, image))
    return library;
  delete_one(library);
  return NULL;
}

static CUresult load_data(const void *data, struct cs_cpu_library **library) {
  struct cs_cpu_given given;
  CUresult result = data ? cs_cpu_load(data, &given) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  *library = new_library(given.image, NULL);
  if (*library) {
    (*library)->texts = given.rest;
    given.rest = NULL;
  }
  cs_cpu_load_end(&given);
  return *library ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cs_cpu_library_load(const void *data, const char *path, struct cs_cpu_library **library) {
  if (!path)
    return load_data(data, library);
  void *contents;
  CUresult result = cs_cpu_image_read(path, &contents);
  if (result != CUDA_SUCCESS)
    return result;
  result = load_data(contents, library);
  free(contents);
  return result;
}

/* --- kernels --- */

static struct cs_cpu_kernel *find_own(const struct cs_cpu_library *library, const char *name) {
  for (uint32_t i = 0; i < library->image->kernel_count; i++)
    if (strcmp(library->kernels[i]->name, name) == 0)
      return library->kernels[i];
  return NULL;
}

/* Under whole->lock: the kernel in a part that was lifted before. */
static struct cs_cpu_kernel *find_lifted(const struct cs_cpu_library *whole, const char *name) {
  struct cs_cpu_kernel *found = NULL;
  for (const struct cs_cpu_library *part = whole->parts; part && !found; part = part->sister)
    found = find_own(part, name);
  return found;
}

/* Under whole->lock. */
static CUresult lift_part(struct cs_cpu_library *whole, const char *name) {
  const struct cs_image *image;
  void *lifted = NULL;
  CUresult result = cs_cpu_texts_kernel(whole->texts, name, &lifted);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_image_open(lifted, &image);
  struct cs_cpu_library *part = result == CUDA_SUCCESS ? new_library(image, whole) : NULL;
  if (part) {
    part->sister = whole->parts;
    whole->parts = part;
  }
  free(lifted);
  return result == CUDA_SUCCESS && !part ? CUDA_ERROR_OUT_OF_MEMORY : result;
}

CUresult cs_cpu_library_kernel(struct cs_cpu_library *library, const char *name, struct cs_cpu_kernel **out) {
  struct cs_cpu_library *whole = cs_cpu_library_whole(library);
  CUresult result = CUDA_SUCCESS;
  if ((*out = find_own(library, name)) || !whole->texts)
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  pthread_mutex_lock(&whole->lock);
  if (!(*out = find_lifted(whole, name)) && (result = lift_part(whole, name)) == CUDA_SUCCESS)
    *out = find_lifted(whole, name);
  pthread_mutex_unlock(&whole->lock);
  return *out ? CUDA_SUCCESS : result == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

/* The names of the kernels that are lifted when they are wanted come first. */
static CUresult kernel_at(struct cs_cpu_library *library, size_t index, struct cs_cpu_kernel **kernel) {
  size_t count;
  const char *const *names = cs_cpu_texts_kernels(library->texts, &count);
  if (index < count)
    return cs_cpu_library_kernel(library, names[index], kernel);
  *kernel = library->kernels[index - count];
  return CUDA_SUCCESS;
}

unsigned cs_cpu_library_kernel_count(const struct cs_cpu_library *library) {
  size_t count;
  cs_cpu_texts_kernels(library->texts, &count);
  return (unsigned)count + library->image->kernel_count;
}

CUresult cs_cpu_library_enumerate(struct cs_cpu_library *library, struct cs_cpu_context *context, void **handles,
                                  unsigned count) {
  CUresult result = CUDA_SUCCESS;
  for (unsigned i = 0; result == CUDA_SUCCESS && i < count && i < cs_cpu_library_kernel_count(library); i++) {
    struct cs_cpu_kernel *kernel;
    struct cs_cpu_function *function = NULL;
    result = kernel_at(library, i, &kernel);
    if (result == CUDA_SUCCESS && context)
      result = cs_cpu_kernel_instance(kernel, context, &function);
    if (result == CUDA_SUCCESS)
      handles[i] = context ? (void *)function : (void *)kernel;
  }
  return result;
}

/* --- instances --- */

static struct cs_cpu_loaded_module *find_instance(const struct cs_cpu_library *library,
                                                  const struct cs_cpu_context *context) {
  cs_cpu_context_lock();
  struct cs_cpu_loaded_module *module = library->instances;
  while (module && module->context != context)
    module = module->sister;
  cs_cpu_context_unlock();
  return module;
}

static void list(struct cs_cpu_loaded_module *module, struct cs_cpu_library *library) {
  module->library = library;
  cs_cpu_context_lock();
  module->next = module->context->modules;
  module->context->modules = module;
  module->sister = library->instances;
  library->instances = module;
  cs_cpu_context_unlock();
}

CUresult cs_cpu_library_instance(struct cs_cpu_library *library, struct cs_cpu_context *context,
                                 struct cs_cpu_loaded_module **out) {
  struct cs_cpu_loaded_module *whole = NULL;
  if ((*out = find_instance(library, context)))
    return CUDA_SUCCESS;
  CUresult result = library->whole ? cs_cpu_library_instance(library->whole, context, &whole) : CUDA_SUCCESS;
  if (result != CUDA_SUCCESS)
    return result;
  pthread_mutex_lock(&library->lock);
  if (!(*out = find_instance(library, context))) {
    result = cs_cpu_instance_new(context, library->image, whole, out);
    if (result == CUDA_SUCCESS)
      list(*out, library);
  }
  pthread_mutex_unlock(&library->lock);
  return result;
}

CUresult cs_cpu_kernel_instance(const struct cs_cpu_kernel *kernel, struct cs_cpu_context *context,
                                struct cs_cpu_function **function) {
  struct cs_cpu_loaded_module *module;
  CUresult result = cs_cpu_library_instance(kernel->library, context, &module);
  if (result == CUDA_SUCCESS)
    *function = module->functions[kernel->index];
  return result;
}

CUresult cs_cpu_kernel_function(const struct cs_cpu_kernel *kernel, struct cs_cpu_function **function) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  return result == CUDA_SUCCESS ? cs_cpu_kernel_instance(kernel, context, function) : result;
}

/* --- unloading ---
 *
 * A thread may unload a library while another ends a context. Each instance is deleted by the thread that has taken it
 * out of the lists, and neither its context nor its library ends before. */

/* Under cs_cpu_context_lock(): where the context lists the module; the end of the list if another thread has taken
 * it. */
static struct cs_cpu_loaded_module **slot_of(const struct cs_cpu_loaded_module *module) {
  struct cs_cpu_loaded_module **slot = &module->context->modules;
  while (*slot && *slot != module)
    slot = &(*slot)->next;
  return slot;
}

/* Under cs_cpu_context_lock(): moves the module to the list of those taken. */
static void take(struct cs_cpu_loaded_module *module, struct cs_cpu_loaded_module **taken) {
  struct cs_cpu_loaded_module **slot = &module->library->instances;
  while (*slot != module)
    slot = &(*slot)->sister;
  *slot = module->sister;
  *slot_of(module) = module->next;
  module->next = *taken;
  *taken = module;
  module->context->unloading++;
  cs_cpu_library_whole(module->library)->unloading++;
}

static void delete_taken(struct cs_cpu_loaded_module *module) {
  while (module) {
    struct cs_cpu_loaded_module *next = module->next;
    struct cs_cpu_context *context = module->context;
    struct cs_cpu_library *whole = cs_cpu_library_whole(module->library);
    cs_cpu_wait(context->device, atomic_load(&context->last));
    cs_cpu_instance_delete(module);
    cs_cpu_context_lock();
    context->unloading--;
    whole->unloading--;
    cs_cpu_context_wake();
    cs_cpu_context_unlock();
    module = next;
  }
}

/* Under cs_cpu_context_lock(). The parts' instances come first. */
static struct cs_cpu_loaded_module *take_all(struct cs_cpu_library *library) {
  struct cs_cpu_loaded_module *taken = NULL;
  for (struct cs_cpu_library *each = library; each; each = each == library ? library->parts : each->sister)
    while (each->instances)
      take(each->instances, &taken);
  return taken;
}

/* Whose instances are all taken: these, and others by contexts that end. */
static void delete_with(struct cs_cpu_library *library, struct cs_cpu_loaded_module *taken) {
  delete_taken(taken);
  cs_cpu_context_lock();
  while (library->unloading)
    cs_cpu_context_wait();
  cs_cpu_context_unlock();
  cs_cpu_library_delete(library);
}

void cs_cpu_library_unload(struct cs_cpu_library *library) {
  cs_cpu_context_lock();
  struct cs_cpu_loaded_module *taken = take_all(library);
  cs_cpu_context_unlock();
  delete_with(library, taken);
}

CUresult cs_cpu_module_unload(const struct cs_cpu_loaded_module *module) {
  struct cs_cpu_loaded_module *taken = NULL;
  cs_cpu_context_lock();
  struct cs_cpu_library *library = *slot_of(module) ? module->library : NULL;
  CUresult result = !library || library->whole ? CUDA_ERROR_INVALID_HANDLE
                    : library->context         ? CUDA_SUCCESS
                                               : CUDA_ERROR_NOT_PERMITTED;
  if (result == CUDA_SUCCESS)
    taken = take_all(library);
  cs_cpu_context_unlock();
  if (result == CUDA_SUCCESS)
    delete_with(library, taken);
  return result;
}

void cs_cpu_libraries_close(struct cs_cpu_context *context) {
  struct cs_cpu_loaded_module *taken = NULL;
  struct cs_cpu_library *own = NULL;
  cs_cpu_context_lock();
  while (context->unloading)
    cs_cpu_context_wait();
  while (context->modules) {
    struct cs_cpu_library *library = context->modules->library;
    if (library->context) {
      library->sister = own;
      own = library;
    }
    take(context->modules, &taken);
  }
  cs_cpu_context_unlock();
  delete_taken(taken);
  while (own) {
    struct cs_cpu_library *next = own->sister;
    cs_cpu_library_delete(own);
    own = next;
  }
}
