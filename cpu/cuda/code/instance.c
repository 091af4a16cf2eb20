/* instance.c: the instances of libraries in contexts, with a function for each kernel. */
#include "cpu/cuda/code/instance.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/memory/allocation.h"
#include "cusafe/image.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

void cs_cpu_instance_delete(struct cs_cpu_loaded_module *module) {
  for (uint32_t i = 0; module->functions && i < module->image->kernel_count; i++) {
    if (!module->functions[i])
      continue;
    cs_cpu_function_release(module->functions[i]);
    cs_cpu_object_delete(module->functions[i]);
  }
  for (uint32_t i = 0; module->globals && i < module->image->global_count; i++)
    if (module->globals[i])
      cs_cpu_memory_release(module->globals[i]);
  cs_cpu_engine_release_program(module->program);
  pthread_mutex_destroy(&module->lock);
  free(module->globals);
  free(module->addresses);
  free(module->functions);
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

static CUresult add_functions(struct cs_cpu_loaded_module *module) {
  uint32_t count = module->image->kernel_count;
  module->functions = calloc(count + 1, sizeof *module->functions);
  if (!module->functions)
    return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < count; i++) {
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

CUresult cs_cpu_instance_new(struct cs_cpu_context *context, const struct cs_image *image,
                             struct cs_cpu_loaded_module *whole, struct cs_cpu_loaded_module **out) {
  struct cs_cpu_loaded_module *module = cs_cpu_object_new(CS_CPU_MODULE, sizeof *module);
  if (!module)
    return CUDA_ERROR_OUT_OF_MEMORY;
  module->context = context;
  module->image = image;
  module->whole = whole;
  pthread_mutex_init(&module->lock, NULL);
  CUresult result = add_functions(module);
  if (result == CUDA_SUCCESS && cs_cpu_options()->eager_loading)
    result = load_all(module);
  if (result != CUDA_SUCCESS) {
    cs_cpu_instance_delete(module);
    return result;
  }
  *out = module;
  return CUDA_SUCCESS;
}
