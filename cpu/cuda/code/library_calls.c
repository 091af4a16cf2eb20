/* library_calls.c: the calls on libraries and kernels. */
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/function_attributes.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/library.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cusafe/lifts.h"
#include <stdatomic.h>

static CUresult library_of(CUlibrary handle, struct cs_cpu_library **library) {
  *library = (struct cs_cpu_library *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_LIBRARY, CUDA_ERROR_INVALID_HANDLE);
}

static CUresult kernel_of(CUkernel handle, struct cs_cpu_kernel **kernel) {
  *kernel = (struct cs_cpu_kernel *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_KERNEL, CUDA_ERROR_INVALID_HANDLE);
}

/* --- libraries --- */

/* From `data`, or from the file at `path`. */
static CUresult load(CUlibrary *out, const void *data, const char *path) {
  struct cs_cpu_library *library;
  CUresult result = cs_cpu_check_init();
  if (result == CUDA_SUCCESS)
    result = out ? cs_cpu_library_load(data, path, &library) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *out = (CUlibrary)library;
  return result;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values,
                           unsigned int jit_count, CUlibraryOption *options, void **values, unsigned int count) {
  (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
  return load(library, code, NULL);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options, void **jit_values,
                               unsigned int jit_count, CUlibraryOption *options, void **values, unsigned int count) {
  (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
  return load(library, NULL, path);
}

CUresult cuLibraryUnload(CUlibrary handle) {
  struct cs_cpu_library *library;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS && library->whole)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS)
    cs_cpu_library_unload(library);
  return result;
}

static CUresult instance_here(CUlibrary handle, struct cs_cpu_loaded_module **module) {
  struct cs_cpu_library *library;
  struct cs_cpu_context *context;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_enter(&context);
  return result == CUDA_SUCCESS ? cs_cpu_library_instance(library, context, module) : result;
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

CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary handle, const char *name) {
  struct cs_cpu_library *library;
  struct cs_cpu_kernel *kernel;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS)
    result = out && name ? cs_cpu_library_kernel(library, name, &kernel) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *out = (CUkernel)kernel;
  return result;
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary handle) {
  struct cs_cpu_library *library;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS && !count)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *count = cs_cpu_library_kernel_count(library);
  return result;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary handle) {
  struct cs_cpu_library *library;
  CUresult result = library_of(handle, &library);
  if (result == CUDA_SUCCESS && !kernels)
    return CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_library_enumerate(library, NULL, (void **)kernels, count) : result;
}

/* --- kernels --- */

CUresult cuKernelGetFunction(CUfunction *out, CUkernel handle) {
  struct cs_cpu_kernel *kernel;
  struct cs_cpu_function *function;
  CUresult result = out ? kernel_of(handle, &kernel) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_kernel_function(kernel, &function);
  if (result == CUDA_SUCCESS)
    *out = (CUfunction)function;
  return result;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel handle) {
  struct cs_cpu_kernel *kernel;
  CUresult result = kernel_of(handle, &kernel);
  if (result == CUDA_SUCCESS && !library)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *library = (CUlibrary)cs_cpu_library_whole(kernel->library);
  return result;
}

void *cusafe_lifted_part(void *handle, int *is_library) {
  struct cs_cpu_loaded_module *module =
      cs_cpu_object_is(handle, CS_CPU_FUNCTION) ? ((struct cs_cpu_function *)handle)->module : NULL;
  struct cs_cpu_library *library = module                                    ? module->library
                                   : cs_cpu_object_is(handle, CS_CPU_KERNEL) ? ((struct cs_cpu_kernel *)handle)->library
                                                                             : NULL;
  if (!library || !library->whole)
    return NULL;
  *is_library = !library->whole->context;
  return *is_library ? (void *)library : (void *)module;
}

CUresult cuKernelGetName(const char **name, CUkernel handle) {
  struct cs_cpu_kernel *kernel;
  CUresult result = kernel_of(handle, &kernel);
  if (result == CUDA_SUCCESS && !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *name = kernel->name;
  return result;
}

CUresult cuKernelGetParamInfo(CUkernel handle, size_t index, size_t *offset, size_t *size) {
  struct cs_cpu_kernel *kernel;
  CUresult result = kernel_of(handle, &kernel);
  if (result == CUDA_SUCCESS && !offset)
    return CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_image_param(kernel->library->image, kernel->kernel, index, offset, size)
                                : result;
}

/* Attributes are kept for each context; for a device, in its current or primary context. */
static CUresult function_on(CUkernel handle, CUdevice ordinal, struct cs_cpu_function **function) {
  struct cs_cpu_kernel *kernel;
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
  return cs_cpu_kernel_instance(kernel, context, function);
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
