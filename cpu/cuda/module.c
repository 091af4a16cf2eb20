/* module.c: modules: loading, building on first use, finding functions and variables. */
#include "cpu/cuda/internal.h"
#include <stdlib.h>
#include <string.h>

static struct cs_cpu_function *new_function(struct cs_cpu_loaded_module *module, const struct cs_image_kernel *kernel) {
  struct cs_cpu_function *function = cs_cpu_object_new(CS_CPU_FUNCTION, sizeof *function);
  if (!function)
    return NULL;
  function->module = module;
  function->kernel = kernel;
  function->name = cs_cpu_image_string(module->image, kernel->name);
  function->whole = (struct cs_cpu_code){.offset = kernel->spirv_offset, .bytes = kernel->spirv_bytes};
  function->beside = (struct cs_cpu_code){.offset = kernel->good_offset, .bytes = kernel->good_bytes};
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
    result = cs_cpu_function_load(module->functions[i], 1);
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
    cs_cpu_module_delete(module);
    return result;
  }
  cs_cpu_context_lock();
  module->next = context->modules;
  context->modules = module;
  cs_cpu_context_unlock();
  *out = module;
  return CUDA_SUCCESS;
}

/* An entry holds its program. */
static void release_code(const struct cs_cpu_code *code) {
  if (!code->is_shared)
    cs_cpu_engine_release_program(code->program);
}

/* The module is in no list any more and nothing runs in it. */
void cs_cpu_module_delete(struct cs_cpu_loaded_module *module) {
  for (uint32_t i = 0; module->functions && module->image && i < module->image->kernel_count; i++) {
    struct cs_cpu_function *function = module->functions[i];
    if (!function)
      continue;
    cs_cpu_engine_release_entry(function->entry);
    cs_cpu_engine_release_entry(function->test);
    cs_cpu_engine_release_entry(function->good);
    release_code(&function->whole);
    release_code(&function->beside);
    cs_cpu_object_delete(function);
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

/* Under module->lock: the program of the variables, if there is one. Many programs load modules they never use: so on first
 * use. */
static CUresult build(struct cs_cpu_loaded_module *module) {
  if (module->program || module->build_error != CUDA_SUCCESS || !module->image->spirv_bytes)
    return module->build_error;
  const struct cs_image *image = module->image;
  module->build_error =
      cs_cpu_engine_build((const char *)image + image->spirv_offset, image->spirv_bytes, 0, &module->program);
  return module->build_error;
}

struct cs_cpu_function *cs_cpu_module_find(struct cs_cpu_loaded_module *module, const char *name) {
  for (uint32_t i = 0; i < module->image->kernel_count; i++)
    if (strcmp(module->functions[i]->name, name) == 0)
      return module->functions[i];
  return NULL;
}

/* --- variables --- */

struct globals_task {
  struct cs_cpu_task task;
  struct cs_cpu_loaded_module *module;
  uint64_t *addresses;
};

static CUresult run_globals(struct cs_cpu_task *task) {
  struct globals_task *globals = (struct globals_task *)task;
  return cs_cpu_engine_globals(task->context->device->queue, globals->module->program, globals->addresses);
}

/* Under module->lock: asks the module itself where its variables are. */
static CUresult locate(struct cs_cpu_loaded_module *module, uint64_t *addresses) {
  struct globals_task *task = cs_cpu_task_new(sizeof *task, run_globals);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->module = module;
  task->addresses = addresses;
  return cs_cpu_submit_and_wait(&module->context->legacy, &task->task);
}

/* Under module->lock. */
static CUresult load_globals(struct cs_cpu_loaded_module *module) {
  uint32_t count = module->image->global_count;
  CUresult result = build(module);
  if (result != CUDA_SUCCESS || module->globals)
    return result;
  uint64_t *addresses = calloc(module->image->address_count, sizeof *addresses);
  struct cs_cpu_allocation **globals = calloc(count + 1, sizeof *globals);
  result = addresses && globals ? locate(module, addresses) : CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; result == CUDA_SUCCESS && i < count; i++) {
    size_t size = cs_cpu_image_globals(module->image)[i].size;
    globals[i] = cs_cpu_memory_register(NULL, CS_CPU_MEMORY_MODULE, addresses[i], size, 0);
    if (globals[i]) {
      globals[i]->context = module->context;
      globals[i]->device = module->context->device->ordinal;
    }
  }
  if (result != CUDA_SUCCESS) {
    free(addresses);
    free(globals);
    return result;
  }
  module->addresses = addresses;
  module->globals = globals;
  return CUDA_SUCCESS;
}

/* Built, and its variables as the source says: the kernel that tells their addresses also stores what SPIR-V cannot express,
 * pointers in initialisers and virtual tables. */
CUresult cs_cpu_module_build(struct cs_cpu_loaded_module *module) {
  pthread_mutex_lock(&module->lock);
  CUresult result = module->image->address_count ? load_globals(module) : build(module);
  pthread_mutex_unlock(&module->lock);
  return result;
}

CUresult cs_cpu_module_global(struct cs_cpu_loaded_module *module, const char *name, CUdeviceptr *address,
                              size_t *size) {
  uint32_t i = 0, count = module->image->global_count;
  while (i < count &&
         strcmp(cs_cpu_image_string(module->image, cs_cpu_image_globals(module->image)[i].name), name) != 0)
    i++;
  if (i == count)
    return CUDA_ERROR_NOT_FOUND;
  pthread_mutex_lock(&module->lock);
  CUresult result = load_globals(module);
  struct cs_cpu_allocation *global = result == CUDA_SUCCESS ? module->globals[i] : NULL;
  pthread_mutex_unlock(&module->lock);
  if (result != CUDA_SUCCESS)
    return result;
  if (!global)
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = global->range.start;
  if (size)
    *size = global->range.size;
  return CUDA_SUCCESS;
}

/* --- calls --- */

CUresult cuModuleLoadData(CUmodule *out, const void *data) {
  struct cs_cpu_context *context;
  const struct cs_image *image;
  struct cs_cpu_loaded_module *module;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS && !out)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_image_open(data, &image);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_module_new(context, image, &module);
  if (result == CUDA_SUCCESS)
    *out = (CUmodule)module;
  return result;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *data, unsigned int count, CUjit_option *options,
                            void **values) {
  if (count && (!options || !values))
    return CUDA_ERROR_INVALID_VALUE;
  return cuModuleLoadData(module, data); /* the options tune a compiler of PTX, which this is not */
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
  cs_cpu_wait(module->context->device, atomic_load(&module->context->last));
  cs_cpu_context_lock();
  struct cs_cpu_loaded_module **slot = &module->context->modules;
  while (*slot && *slot != module)
    slot = &(*slot)->next;
  int listed = *slot != NULL;
  if (listed)
    *slot = module->next;
  cs_cpu_context_unlock();
  if (!listed)
    return CUDA_ERROR_INVALID_HANDLE;
  cs_cpu_module_delete(module);
  return CUDA_SUCCESS;
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
  struct cs_cpu_function *function = cs_cpu_module_find(module, name);
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
