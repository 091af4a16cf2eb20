/* module.c: modules: loading, finding functions and variables, unloading. */
#include "cpu/cuda/code/module.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/load.h"
#include "cpu/cuda/code/texts.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"
#include "cusafe/image.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The module is in no list and nothing runs in it. */
static void delete_module(struct cs_cpu_loaded_module *module) {
  for (uint32_t i = 0; module->functions && module->image && i < module->image->kernel_count; i++) {
    if (!module->functions[i])
      continue;
    cs_cpu_function_release(module->functions[i]);
    cs_cpu_object_delete(module->functions[i]);
  }
  for (uint32_t i = 0; module->globals && module->image && i < module->image->global_count; i++)
    if (module->globals[i])
      cs_cpu_memory_release(module->globals[i]);
  cs_cpu_engine_release_program(module->program);
  pthread_mutex_destroy(&module->lock);
  pthread_mutex_destroy(&module->lifting);
  cs_cpu_texts_close(module->own_texts);
  free(module->globals);
  free(module->addresses);
  free(module->functions);
  free(module->image);
  cs_cpu_object_delete(module);
}

static struct cs_cpu_function *new_function(struct cs_cpu_loaded_module *module, const struct cs_image_kernel *kernel) {
  struct cs_cpu_function *function = cs_cpu_object_new(CS_CPU_FUNCTION, sizeof *function);
  if (!function)
    return NULL;
  function->module = module;
  function->kernel = kernel;
  function->name = cs_cpu_image_string(module->image, kernel->name);
  function->code = (struct cs_cpu_code){.offset = kernel->spirv_offset, .bytes = kernel->spirv_bytes};
  size_t left = kernel->static_shared < CS_CPU_SHARED_DEFAULT ? CS_CPU_SHARED_DEFAULT - kernel->static_shared : 0;
  atomic_store(&function->max_dynamic, left);
  atomic_store(&function->carveout, -1);
  return function;
}

static CUresult fill_module(struct cs_cpu_loaded_module *module, const struct cs_image *image) {
  module->image = malloc(image->total_bytes);
  module->functions = calloc(image->kernel_count + 1, sizeof *module->functions);
  if (!module->image || !module->functions)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(module->image, image, image->total_bytes);
  for (uint32_t i = 0; i < image->kernel_count; i++) {
    module->functions[i] = new_function(module, &cs_cpu_image_kernels(module->image)[i]);
    if (!module->functions[i])
      return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_SUCCESS;
}

static CUresult load_all(struct cs_cpu_loaded_module *module) {
  CUresult result = cs_cpu_module_build(module);
  for (uint32_t i = 0; i < module->image->kernel_count && result == CUDA_SUCCESS; i++)
    result = cs_cpu_function_load(module->functions[i]);
  return result;
}

CUresult cs_cpu_module_new(struct cs_cpu_context *context, const struct cs_image *image,
                           struct cs_cpu_loaded_module *whole, struct cs_cpu_loaded_module **out) {
  struct cs_cpu_loaded_module *module = cs_cpu_object_new(CS_CPU_MODULE, sizeof *module);
  if (!module)
    return CUDA_ERROR_OUT_OF_MEMORY;
  module->context = context;
  module->whole = whole;
  pthread_mutex_init(&module->lock, NULL);
  pthread_mutex_init(&module->lifting, NULL);
  CUresult result = fill_module(module, image);
  if (result == CUDA_SUCCESS && cs_cpu_options()->eager_loading)
    result = load_all(module);
  if (result != CUDA_SUCCESS) {
    delete_module(module);
    return result;
  }
  cs_cpu_context_lock();
  module->next = context->modules;
  context->modules = module;
  cs_cpu_context_unlock();
  *out = module;
  return CUDA_SUCCESS;
}

static int unlist(struct cs_cpu_loaded_module *module) {
  struct cs_cpu_loaded_module **slot = &module->context->modules;
  while (*slot && *slot != module)
    slot = &(*slot)->next;
  int listed = *slot != NULL;
  if (listed)
    *slot = module->next;
  return listed;
}

int cs_cpu_module_take(struct cs_cpu_loaded_module *module) {
  if (!unlist(module))
    return 0;
  for (struct cs_cpu_loaded_module *part = module->parts; part; part = part->sister)
    unlist(part);
  module->context->unloading++;
  return 1;
}

void cs_cpu_module_delete(struct cs_cpu_loaded_module *module) {
  struct cs_cpu_context *context = module->context;
  cs_cpu_wait(context->device, atomic_load(&context->last));
  while (module->parts) {
    struct cs_cpu_loaded_module *part = module->parts;
    module->parts = part->sister;
    delete_module(part);
  }
  delete_module(module);
  cs_cpu_context_lock();
  context->unloading--;
  cs_cpu_context_wake();
  cs_cpu_context_unlock();
}

static int unload(struct cs_cpu_loaded_module *module) {
  cs_cpu_context_lock();
  int taken = cs_cpu_module_take(module);
  cs_cpu_context_unlock();
  if (taken)
    cs_cpu_module_delete(module);
  return taken;
}

/* A thread that unloads a library may be deleting one of its modules: what remains of the context is deleted after
 * it. */
void cs_cpu_modules_close(struct cs_cpu_context *context) {
  cs_cpu_context_lock();
  while (context->unloading)
    cs_cpu_context_wait();
  struct cs_cpu_loaded_module *module = context->modules;
  context->modules = NULL;
  cs_cpu_context_unlock();
  while (module) {
    struct cs_cpu_loaded_module *next = module->next;
    delete_module(module);
    module = next;
  }
}

/* --- functions --- */

static struct cs_cpu_function *find_own(const struct cs_cpu_loaded_module *module, const char *name) {
  for (uint32_t i = 0; i < module->image->kernel_count; i++)
    if (strcmp(module->functions[i]->name, name) == 0)
      return module->functions[i];
  return NULL;
}

/* Under whole->lifting: the kernel in a part that was lifted before. */
static struct cs_cpu_function *find_lifted(const struct cs_cpu_loaded_module *whole, const char *name) {
  struct cs_cpu_function *found = NULL;
  for (const struct cs_cpu_loaded_module *part = whole->parts; part && !found; part = part->sister)
    found = find_own(part, name);
  return found;
}

/* Under whole->lifting. */
static CUresult lift_part(struct cs_cpu_loaded_module *whole, const char *name) {
  struct cs_cpu_loaded_module *part;
  const struct cs_image *image;
  void *lifted = NULL;
  CUresult result = cs_cpu_texts_kernel(whole->texts, name, &lifted);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_image_open(lifted, &image);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_module_new(whole->context, image, whole, &part);
  if (result == CUDA_SUCCESS) {
    part->sister = whole->parts;
    whole->parts = part;
  }
  free(lifted);
  return result;
}

static CUresult find_function(struct cs_cpu_loaded_module *module, const char *name, struct cs_cpu_function **out) {
  struct cs_cpu_loaded_module *whole = cs_cpu_module_whole(module);
  CUresult result = CUDA_SUCCESS;
  if ((*out = find_own(module, name)) || !whole->texts)
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  pthread_mutex_lock(&whole->lifting);
  if (!(*out = find_lifted(whole, name)) && (result = lift_part(whole, name)) == CUDA_SUCCESS)
    *out = find_lifted(whole, name);
  pthread_mutex_unlock(&whole->lifting);
  return *out ? CUDA_SUCCESS : result == CUDA_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

/* --- the calls --- */

CUresult cuModuleLoadData(CUmodule *out, const void *data) {
  struct cs_cpu_context *context;
  struct cs_cpu_given given = {0};
  struct cs_cpu_loaded_module *module;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS && (!out || !data))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_load(data, &given);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_module_new(context, given.image, NULL, &module);
  if (result == CUDA_SUCCESS) {
    module->texts = module->own_texts = given.rest;
    given.rest = NULL;
    *out = (CUmodule)module;
  }
  cs_cpu_load_end(&given);
  return result;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *data, unsigned int count, CUjit_option *options,
                            void **values) {
  if (count && (!options || !values))
    return CUDA_ERROR_INVALID_VALUE;
  return cuModuleLoadData(module, data); /* the options concern NVIDIA's PTX compiler */
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *data) {
  return cuModuleLoadData(module, data);
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  struct cs_cpu_context *context;
  void *data;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  result = cs_cpu_image_read(path, &data);
  if (result != CUDA_SUCCESS)
    return result;
  result = cuModuleLoadData(module, data);
  free(data);
  return result;
}

static CUresult module_of(CUmodule handle, struct cs_cpu_loaded_module **module) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_object_is(handle, CS_CPU_MODULE))
    return CUDA_ERROR_INVALID_HANDLE;
  *module = (struct cs_cpu_loaded_module *)handle;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule handle) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result != CUDA_SUCCESS)
    return result;
  return !module->whole && unload(module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = cs_cpu_options()->eager_loading ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_function *function;
  result = find_function(module, name, &function);
  if (result == CUDA_SUCCESS)
    *out = (CUfunction)function;
  return result;
}

/* The names of the kernels that are lifted when they are wanted come first. */
static CUresult function_at(struct cs_cpu_loaded_module *module, size_t index, struct cs_cpu_function **function) {
  size_t count;
  const char *const *names = cs_cpu_texts_kernels(module->texts, &count);
  if (index < count)
    return find_function(module, names[index], function);
  *function = module->functions[index - count];
  return CUDA_SUCCESS;
}
static size_t function_count(const struct cs_cpu_loaded_module *module) {
  size_t count;
  cs_cpu_texts_kernels(module->texts, &count);
  return count + module->image->kernel_count;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule handle) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !count)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *count = (unsigned)function_count(module);
  return result;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule handle) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !functions)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; result == CUDA_SUCCESS && i < count && i < function_count(module); i++) {
    struct cs_cpu_function *function;
    result = function_at(module, i, &function);
    if (result == CUDA_SUCCESS)
      functions[i] = (CUfunction)function;
  }
  return result;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule handle, const char *name) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !name)
    return CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_module_global(module, name, address, size) : result;
}
