/* module.c: modules: loading, finding functions and variables, unloading. */
#include "cpu/cuda/code/module.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/load.h"
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
                           struct cs_cpu_loaded_module **out) {
  struct cs_cpu_loaded_module *module = cs_cpu_object_new(CS_CPU_MODULE, sizeof *module);
  if (!module)
    return CUDA_ERROR_OUT_OF_MEMORY;
  module->context = context;
  pthread_mutex_init(&module->lock, NULL);
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

/* Takes the module out of its context's list; 0 when it is not there. */
static int unlist(struct cs_cpu_loaded_module *module) {
  cs_cpu_context_lock();
  struct cs_cpu_loaded_module **slot = &module->context->modules;
  while (*slot && *slot != module)
    slot = &(*slot)->next;
  int listed = *slot != NULL;
  if (listed)
    *slot = module->next;
  cs_cpu_context_unlock();
  return listed;
}

int cs_cpu_module_unload(struct cs_cpu_loaded_module *module) {
  cs_cpu_wait(module->context->device, atomic_load(&module->context->last));
  if (!unlist(module))
    return 0;
  delete_module(module);
  return 1;
}

void cs_cpu_modules_close(struct cs_cpu_context *context) {
  cs_cpu_context_lock();
  struct cs_cpu_loaded_module *module = context->modules;
  context->modules = NULL;
  cs_cpu_context_unlock();
  while (module) {
    struct cs_cpu_loaded_module *next = module->next;
    delete_module(module);
    module = next;
  }
}

static struct cs_cpu_function *find_function(struct cs_cpu_loaded_module *module, const char *name) {
  for (uint32_t i = 0; i < module->image->kernel_count; i++)
    if (strcmp(module->functions[i]->name, name) == 0)
      return module->functions[i];
  return NULL;
}

CUresult cs_cpu_module_global(struct cs_cpu_loaded_module *module, const char *name, CUdeviceptr *address,
                              size_t *size) {
  uint32_t i = 0, count = module->image->global_count;
  while (i < count &&
         strcmp(cs_cpu_image_string(module->image, cs_cpu_image_globals(module->image)[i].name), name) != 0)
    i++;
  if (i == count)
    return CUDA_ERROR_NOT_FOUND;
  CUresult result = cs_cpu_module_build(module);
  if (result != CUDA_SUCCESS)
    return result;
  const struct cs_cpu_allocation *global = module->globals[i]; /* fixed once the module is built */
  if (!global) /* there was no memory for it; without bytes it has no address */
    return cs_cpu_image_globals(module->image)[i].size ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = global->range.start;
  if (size)
    *size = global->range.size;
  return CUDA_SUCCESS;
}

/* --- the calls --- */

CUresult cuModuleLoadData(CUmodule *out, const void *data) {
  struct cs_cpu_context *context;
  const struct cs_image *image;
  struct cs_cpu_loaded_module *module;
  void *lifted = NULL;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS && (!out || !data))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_load(data, &image, &lifted);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_module_new(context, image, &module);
  if (result == CUDA_SUCCESS)
    *out = (CUmodule)module;
  free(lifted);
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
  return cs_cpu_module_unload(module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
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
  struct cs_cpu_function *function = find_function(module, name);
  if (!function)
    return CUDA_ERROR_NOT_FOUND;
  *out = (CUfunction)function;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule handle) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !count)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *count = module->image->kernel_count;
  return result;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule handle) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !functions)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; result == CUDA_SUCCESS && i < count && i < module->image->kernel_count; i++)
    functions[i] = (CUfunction)module->functions[i];
  return result;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule handle, const char *name) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !name)
    return CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_module_global(module, name, address, size) : result;
}
