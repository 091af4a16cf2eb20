/* module.c: the calls on modules. */
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/library.h"
#include "cpu/cuda/work/current.h"

/* From `data`, or from the file at `path`. */
static CUresult load(CUmodule *out, const void *data, const char *path) {
  struct cs_cpu_context *context;
  struct cs_cpu_library *library;
  struct cs_cpu_loaded_module *module;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS)
    result = out ? cs_cpu_library_load(data, path, &library) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  library->context = context;
  result = cs_cpu_library_instance(library, context, &module);
  if (result == CUDA_SUCCESS)
    *out = (CUmodule)module;
  else
    cs_cpu_library_delete(library);
  return result;
}

CUresult cuModuleLoadData(CUmodule *module, const void *data) {
  return load(module, data, NULL);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *data, unsigned int count, CUjit_option *options,
                            void **values) {
  if (count && (!options || !values))
    return CUDA_ERROR_INVALID_VALUE;
  return load(module, data, NULL); /* the options concern NVIDIA's PTX compiler */
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *data) {
  return load(module, data, NULL);
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  return load(module, NULL, path);
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
  return result == CUDA_SUCCESS ? cs_cpu_module_unload(module) : result;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = cs_cpu_options()->eager_loading ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name) {
  struct cs_cpu_loaded_module *module;
  struct cs_cpu_kernel *kernel;
  struct cs_cpu_function *function;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS)
    result = out && name ? cs_cpu_library_kernel(module->library, name, &kernel) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_kernel_instance(kernel, module->context, &function);
  if (result == CUDA_SUCCESS)
    *out = (CUfunction)function;
  return result;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule handle) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !count)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *count = cs_cpu_library_kernel_count(module->library);
  return result;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule handle) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !functions)
    return CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_library_enumerate(module->library, module->context, (void **)functions, count)
                                : result;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule handle, const char *name) {
  struct cs_cpu_loaded_module *module;
  CUresult result = module_of(handle, &module);
  if (result == CUDA_SUCCESS && !name)
    return CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_module_global(module, name, address, size) : result;
}
