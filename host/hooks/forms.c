/* forms.c: calls that list kernels, or set something of a kernel: the program sees its own kernels only, and what it
 * sets holds for all of their forms. */
#include "host/launch/forms.h"
#include "host/hooks/hooks.h"
#include "host/hooks/meet.h"
#include "host/modules/kernel.h"
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

/* The kernels of a module or library, whose handles have the same size. */
struct list {
  void **handles;
  const char **names;
  unsigned count; /* of the program's own */
};

typedef CUresult enumerate(void **handles, unsigned count, void *of);
typedef CUresult name_of(const char **name, void *handle);

static CUresult of_module(void **handles, unsigned count, void *module) {
  return cs_host_driver_of_program()->cuModuleEnumerateFunctions((CUfunction *)handles, count, module);
}
static CUresult of_library(void **handles, unsigned count, void *library) {
  return cs_host_driver_of_program()->cuLibraryEnumerateKernels((CUkernel *)handles, count, library);
}
static CUresult name_of_function(const char **name, void *function) {
  return cs_host_driver()->cuFuncGetName ? cs_host_driver()->cuFuncGetName(name, function) : CUDA_ERROR_NOT_SUPPORTED;
}
static CUresult name_of_kernel(const char **name, void *kernel) {
  return cs_host_driver()->cuKernelGetName ? cs_host_driver()->cuKernelGetName(name, kernel) : CUDA_ERROR_NOT_SUPPORTED;
}

static void close_list(struct list *list) {
  free(list->handles);
  free(list->names);
}

/* All kernels but CuSafe's. A driver that does not report their names lists them all. */
static CUresult open_list(struct list *list, unsigned all, void *of, enumerate *from, name_of *name) {
  *list = (struct list){calloc(all + 1, sizeof *list->handles), calloc(all + 1, sizeof *list->names), 0};
  CUresult error = list->handles && list->names ? from(list->handles, all, of) : CUDA_ERROR_OUT_OF_MEMORY;
  for (unsigned i = 0; !error && i < all; i++) {
    const char *text = NULL;
    if (!name(&text, list->handles[i]) && text && cs_fast_of(text, strlen(text)) > 0)
      continue;
    list->handles[list->count] = list->handles[i];
    list->names[list->count++] = text;
  }
  if (error)
    close_list(list);
  return error;
}

static CUresult count_own(unsigned *count, void *of, enumerate *from, name_of *name) {
  struct list list;
  CUresult error = open_list(&list, *count, of, from, name);
  if (error)
    return error;
  *count = list.count;
  close_list(&list);
  return CUDA_SUCCESS;
}

CUresult cs_host_on_cuModuleGetFunctionCount(PFN_cuModuleGetFunctionCount_v12040 real, const struct cs_host_call *call,
                                             unsigned *count, CUmodule module) {
  (void)call;
  CUresult error = real(count, module);
  return error || !count ? error : count_own(count, module, of_module, name_of_function);
}

CUresult cs_host_on_cuLibraryGetKernelCount(PFN_cuLibraryGetKernelCount_v12040 real, const struct cs_host_call *call,
                                            unsigned *count, CUlibrary library) {
  (void)call;
  CUresult error = real(count, library);
  return error || !count ? error : count_own(count, library, of_library, name_of_kernel);
}

static void meet_function(void *module, void *function, const char *name) {
  cs_host_meet_function_of(module, function, name);
}
static void meet_kernel(void *library, void *kernel, const char *name) {
  cs_host_meet_kernel_of(library, kernel, name);
}

/* Stores the first `count`, and remembers their names. */
static void give(const struct list *list, void **to, unsigned count, void *of, int is_library) {
  for (unsigned i = 0; i < count && i < list->count; i++) {
    to[i] = list->handles[i];
    if (list->names[i])
      (is_library ? meet_kernel : meet_function)(of, to[i], list->names[i]);
  }
}

CUresult cs_host_on_cuModuleEnumerateFunctions(PFN_cuModuleEnumerateFunctions_v12040 real,
                                               const struct cs_host_call *call, CUfunction *functions, unsigned count,
                                               CUmodule module) {
  (void)call;
  const struct cs_host_driver *d = cs_host_driver_of_program();
  struct list list;
  unsigned all = 0;
  CUresult error = real(functions, functions ? 0 : count, module); /* is the call valid? */
  if (error || !functions || d->cuModuleGetFunctionCount(&all, module))
    return error;
  error = open_list(&list, all, module, of_module, name_of_function);
  if (error)
    return error;
  give(&list, (void **)functions, count, module, 0);
  close_list(&list);
  return CUDA_SUCCESS;
}

CUresult cs_host_on_cuLibraryEnumerateKernels(PFN_cuLibraryEnumerateKernels_v12040 real,
                                              const struct cs_host_call *call, CUkernel *kernels, unsigned count,
                                              CUlibrary library) {
  (void)call;
  const struct cs_host_driver *d = cs_host_driver_of_program();
  struct list list;
  unsigned all = 0;
  CUresult error = real(kernels, kernels ? 0 : count, library); /* is the call valid? */
  if (error || !kernels || d->cuLibraryGetKernelCount(&all, library))
    return error;
  error = open_list(&list, all, library, of_library, name_of_kernel);
  if (error)
    return error;
  give(&list, (void **)kernels, count, library, 1);
  close_list(&list);
  return CUDA_SUCCESS;
}

/* ---- settings ---- */

CUresult cs_host_on_cuFuncSetAttribute(PFN_cuFuncSetAttribute_v9000 real, const struct cs_host_call *call,
                                       CUfunction function, CUfunction_attribute attribute, int value) {
  (void)call;
  CUresult error = real(function, attribute, value);
  CUfunction fast = error ? NULL : cs_host_form_fast(function);
  return fast ? real(fast, attribute, value) : error;
}

CUresult cs_host_on_cuFuncSetCacheConfig(PFN_cuFuncSetCacheConfig_v3000 real, const struct cs_host_call *call,
                                         CUfunction function, CUfunc_cache config) {
  (void)call;
  CUresult error = real(function, config);
  CUfunction fast = error ? NULL : cs_host_form_fast(function);
  return fast ? real(fast, config) : error;
}

CUresult cs_host_on_cuFuncSetSharedMemConfig(PFN_cuFuncSetSharedMemConfig_v4020 real, const struct cs_host_call *call,
                                             CUfunction function, CUsharedconfig config) {
  (void)call;
  CUresult error = real(function, config);
  CUfunction fast = error ? NULL : cs_host_form_fast(function);
  return fast ? real(fast, config) : error;
}

CUresult cs_host_on_cuKernelSetAttribute(PFN_cuKernelSetAttribute_v12000 real, const struct cs_host_call *call,
                                         CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  (void)call;
  CUresult error = real(attribute, value, kernel, device);
  CUfunction fast = error ? NULL : cs_host_form_fast((CUfunction)kernel);
  return fast ? real(attribute, value, (CUkernel)fast, device) : error;
}

CUresult cs_host_on_cuKernelSetCacheConfig(PFN_cuKernelSetCacheConfig_v12000 real, const struct cs_host_call *call,
                                           CUkernel kernel, CUfunc_cache config, CUdevice device) {
  (void)call;
  CUresult error = real(kernel, config, device);
  CUfunction fast = error ? NULL : cs_host_form_fast((CUfunction)kernel);
  return fast ? real((CUkernel)fast, config, device) : error;
}
