/* forms.c: calls that list kernels, or set something of a kernel: the program sees its own kernels only, and what it
 * sets holds for all of their forms. */
#include "host/launch/forms.h"
#include "host/hooks/hooks.h"
#include "host/hooks/meet.h"
#include "host/modules/kernel.h"
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

/* The functions of a module, or the kernels of a library, whose handles have the same size. */
static CUresult enumerate(struct cs_host_loaded of, void **handles, unsigned count) {
  const struct cs_host_driver *d = cs_host_driver_of_program();
  return of.is_library ? d->cuLibraryEnumerateKernels((CUkernel *)handles, count, of.handle)
                       : d->cuModuleEnumerateFunctions((CUfunction *)handles, count, of.handle);
}

static CUresult count_all(struct cs_host_loaded of, unsigned *count) {
  const struct cs_host_driver *d = cs_host_driver_of_program();
  return of.is_library ? d->cuLibraryGetKernelCount(count, of.handle) : d->cuModuleGetFunctionCount(count, of.handle);
}

/* NULL if the driver does not report it. */
static const char *name_of(struct cs_host_loaded of, void *handle) {
  const struct cs_host_driver *d = cs_host_driver();
  const char *name = NULL;
  if (of.is_library && d->cuKernelGetName)
    return d->cuKernelGetName(&name, handle) ? NULL : name;
  return of.is_library || !d->cuFuncGetName || d->cuFuncGetName(&name, handle) ? NULL : name;
}

static void meet(struct cs_host_loaded of, void *handle, const char *name) {
  if (of.is_library)
    cs_host_meet_kernel_of(of.handle, handle, name);
  else
    cs_host_meet_function_of(of.handle, handle, name);
}

struct list {
  void **handles;
  const char **names;
  unsigned count; /* of the program's own */
};

static void close_list(struct list *list) {
  free(list->handles);
  free(list->names);
}

/* All kernels but CuSafe's. A driver that does not report their names lists them all. */
static CUresult open_list(struct list *list, unsigned all, struct cs_host_loaded of) {
  *list = (struct list){calloc(all + 1, sizeof *list->handles), calloc(all + 1, sizeof *list->names), 0};
  CUresult error = list->handles && list->names ? enumerate(of, list->handles, all) : CUDA_ERROR_OUT_OF_MEMORY;
  for (unsigned i = 0; !error && i < all; i++) {
    const char *text = name_of(of, list->handles[i]);
    if (text && cs_fast_of(text, strlen(text)) > 0)
      continue;
    list->handles[list->count] = list->handles[i];
    list->names[list->count++] = text;
  }
  if (error)
    close_list(list);
  return error;
}

/* error: the driver's answer, as below. *count becomes the number of the program's own. */
static CUresult count_own(CUresult error, unsigned *count, struct cs_host_loaded of) {
  struct list list;
  if (error || !count || (error = open_list(&list, *count, of)))
    return error;
  *count = list.count;
  close_list(&list);
  return CUDA_SUCCESS;
}

/* Stores the first `count` of the program's own, and remembers their names. */
static CUresult enumerate_own(CUresult error, void **to, unsigned count, struct cs_host_loaded of) {
  struct list list;
  unsigned all = 0;
  if (error || !to || count_all(of, &all) || (error = open_list(&list, all, of)))
    return error;
  for (unsigned i = 0; i < count && i < list.count; i++) {
    to[i] = list.handles[i];
    if (list.names[i])
      meet(of, to[i], list.names[i]);
  }
  close_list(&list);
  return CUDA_SUCCESS;
}

CUresult cs_host_on_cuModuleGetFunctionCount(PFN_cuModuleGetFunctionCount_v12040 real, const struct cs_host_call *call,
                                             unsigned *count, CUmodule module) {
  (void)call;
  return count_own(real(count, module), count, (struct cs_host_loaded){module, 0, 0});
}

CUresult cs_host_on_cuLibraryGetKernelCount(PFN_cuLibraryGetKernelCount_v12040 real, const struct cs_host_call *call,
                                            unsigned *count, CUlibrary library) {
  (void)call;
  return count_own(real(count, library), count, (struct cs_host_loaded){library, 1, 0});
}

CUresult cs_host_on_cuModuleEnumerateFunctions(PFN_cuModuleEnumerateFunctions_v12040 real,
                                               const struct cs_host_call *call, CUfunction *functions, unsigned count,
                                               CUmodule module) {
  (void)call;
  CUresult error = real(functions, functions ? 0 : count, module); /* is the call valid? */
  return enumerate_own(error, (void **)functions, count, (struct cs_host_loaded){module, 0, 0});
}

CUresult cs_host_on_cuLibraryEnumerateKernels(PFN_cuLibraryEnumerateKernels_v12040 real,
                                              const struct cs_host_call *call, CUkernel *kernels, unsigned count,
                                              CUlibrary library) {
  (void)call;
  CUresult error = real(kernels, kernels ? 0 : count, library); /* is the call valid? */
  return enumerate_own(error, (void **)kernels, count, (struct cs_host_loaded){library, 1, 0});
}

/* ---- settings ---- */

/* Where a call has succeeded for a kernel, makes it for each other form of the kernel, `form`. */
#define CALL_FOR_FORMS(error, function, call_for_form)                                                                 \
  do {                                                                                                                 \
    CUfunction forms[2];                                                                                               \
    size_t count = (error) ? 0 : cs_host_form_others(function, forms);                                                 \
    for (size_t i = 0; i < count && !(error); i++) {                                                                   \
      CUfunction form = forms[i];                                                                                      \
      (error) = (call_for_form);                                                                                       \
    }                                                                                                                  \
  } while (0)

CUresult cs_host_on_cuFuncSetAttribute(PFN_cuFuncSetAttribute_v9000 real, const struct cs_host_call *call,
                                       CUfunction function, CUfunction_attribute attribute, int value) {
  (void)call;
  CUresult error = real(function, attribute, value);
  CALL_FOR_FORMS(error, function, real(form, attribute, value));
  return error;
}

CUresult cs_host_on_cuFuncSetCacheConfig(PFN_cuFuncSetCacheConfig_v3000 real, const struct cs_host_call *call,
                                         CUfunction function, CUfunc_cache config) {
  (void)call;
  CUresult error = real(function, config);
  CALL_FOR_FORMS(error, function, real(form, config));
  return error;
}

CUresult cs_host_on_cuFuncSetSharedMemConfig(PFN_cuFuncSetSharedMemConfig_v4020 real, const struct cs_host_call *call,
                                             CUfunction function, CUsharedconfig config) {
  (void)call;
  CUresult error = real(function, config);
  CALL_FOR_FORMS(error, function, real(form, config));
  return error;
}

CUresult cs_host_on_cuKernelSetAttribute(PFN_cuKernelSetAttribute_v12000 real, const struct cs_host_call *call,
                                         CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  (void)call;
  CUresult error = real(attribute, value, kernel, device);
  CALL_FOR_FORMS(error, (CUfunction)kernel, real(attribute, value, (CUkernel)form, device));
  return error;
}

CUresult cs_host_on_cuKernelSetCacheConfig(PFN_cuKernelSetCacheConfig_v12000 real, const struct cs_host_call *call,
                                           CUkernel kernel, CUfunc_cache config, CUdevice device) {
  (void)call;
  CUresult error = real(kernel, config, device);
  CALL_FOR_FORMS(error, (CUfunction)kernel, real((CUkernel)form, config, device));
  return error;
}
