/* module.c: loads and unloads of modules and libraries, and lookups in them. */
#include "host/modules/module.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/collect/lift.h"
#include "host/findings/drain.h"
#include "host/hooks/hooks.h"
#include "host/hooks/meet.h"
#include "host/hooks/start.h"
#include "host/hooks/sync.h"
#include "host/launch/forms.h"
#include "host/modules/checked.h"
#include "host/modules/kernel.h"
#include "host/modules/known.h"
#include <stdlib.h>
#include <string.h>

static CUresult module_loaded(CUresult result, CUmodule *module) {
  if (result || !module)
    return result;
  cs_host_start_watch_exit();
  struct cs_host_loaded loaded = cs_host_meet_loaded(*module, 0);
  int error = cs_host_module_loaded(loaded);
  if (error == CUDA_ERROR_INVALID_IMAGE) {
    cs_host_known_forget(loaded);
    cs_host_driver()->cuModuleUnload(*module);
    *module = NULL;
    return (CUresult)error;
  }
  return CUDA_SUCCESS;
}

/* --- PTX with checks in place of what the program loads --- */

/* Lifted PTX has its metadata in the table. */
static int can_lift(void) {
  return cs_host_heap_placement(cs_host_process_heap()) == CS_PLACEMENT_TABLE;
}

static char *lift(const void *image) {
  return can_lift() ? cs_host_lift(image) : NULL;
}

static char *lift_file(const char *path) {
  return can_lift() ? cs_host_lift_file(path) : NULL;
}

/* Whether the driver rejects checked PTX, and the program's own code is to be loaded. Frees the checked PTX. */
static int is_rejected(char *checked, CUresult result) {
  if (checked && result)
    cs_host_message_once(0, "the driver rejects PTX with checks (error %d); the program's own code runs without them",
                         (int)result);
  cs_host_nothing_lost(); /* the message states it */
  free(checked);
  return checked && result;
}

CUresult cs_host_on_cuModuleLoad(PFN_cuModuleLoad_v2000 real, const struct cs_host_call *call, CUmodule *module,
                                 const char *path) {
  (void)call;
  char *checked = lift_file(path);
  CUresult result = checked ? cs_host_driver()->cuModuleLoadData(module, checked) : real(module, path);
  return module_loaded(is_rejected(checked, result) ? real(module, path) : result, module);
}

CUresult cs_host_on_cuModuleLoadData(PFN_cuModuleLoadData_v2000 real, const struct cs_host_call *call, CUmodule *module,
                                     const void *image) {
  (void)call;
  char *checked = lift(image);
  CUresult result = real(module, checked ? checked : image);
  return module_loaded(is_rejected(checked, result) ? real(module, image) : result, module);
}

/* The driver writes to the values of options, such as the length of a log: a second try starts with those of the
 * program. */
static void **copy_values(void **values, unsigned count) {
  void **copy = calloc(count + 1u, sizeof *copy);
  if (copy && values)
    memcpy(copy, values, count * sizeof *copy);
  return copy;
}

/* Returns the result, for a success with the values that the driver has written. */
static CUresult use_values(CUresult result, void **copy, void **values, unsigned count) {
  if (!result && values)
    memcpy(values, copy, count * sizeof *copy);
  free(copy);
  return result;
}

CUresult cs_host_on_cuModuleLoadDataEx(PFN_cuModuleLoadDataEx_v2010 real, const struct cs_host_call *call,
                                       CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                                       void **values) {
  (void)call;
  char *checked = lift(image);
  void **copy = checked ? copy_values(values, count) : NULL;
  if (!copy) {
    free(checked);
    return module_loaded(real(module, image, count, options, values), module);
  }
  CUresult result = use_values(real(module, checked, count, options, copy), copy, values, count);
  return module_loaded(is_rejected(checked, result) ? real(module, image, count, options, values) : result, module);
}

CUresult cs_host_on_cuModuleLoadFatBinary(PFN_cuModuleLoadFatBinary_v2000 real, const struct cs_host_call *call,
                                          CUmodule *module, const void *image) {
  (void)call;
  char *checked = lift(image);
  CUresult result = checked ? cs_host_driver()->cuModuleLoadData(module, checked) : real(module, image);
  return module_loaded(is_rejected(checked, result) ? real(module, image) : result, module);
}

/* The real call waits for the module's kernels, too; here their last records must be read before it. */
static void unloading(struct cs_host_loaded owner) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (cs_host_is_checked(owner.number, c))
      cs_host_report_fault(cs_host_context_wait(c), "cuCtxSynchronize");
  cs_host_drain_unloading(owner.number);
  cs_host_kernels_forget(owner.number);
  cs_host_forms_forget(owner.number);
  cs_host_known_forget(owner);
}

/* A handle that CuSafe does not know, and a library's module, which the driver does not unload, end nothing. */
static void unloading_handle(const void *handle) {
  struct cs_host_loaded whole = cs_host_known_find(handle).owner;
  if (!whole.number || whole.handle != handle)
    return;
  for (struct cs_host_loaded part; (part = cs_host_known_take_part(whole.number)).number;) {
    cs_host_library_forget(part.number);
    unloading(part);
  }
  cs_host_library_forget(whole.number);
  unloading(whole);
}

CUresult cs_host_on_cuModuleUnload(PFN_cuModuleUnload_v2000 real, const struct cs_host_call *call, CUmodule module) {
  (void)call;
  unloading_handle(module);
  return real(module);
}

static CUresult library_loaded(CUresult result, CUlibrary *library) {
  if (result || !library)
    return result;
  cs_host_start_watch_exit();
  CUresult error = (CUresult)cs_host_library_loaded(cs_host_meet_loaded(*library, 1));
  cs_host_nothing_lost(); /* a context that is not known yet attaches the library when it launches */
  return error;
}

/* Whether the library has been loaded with checks. Without the library's own options: the driver copies the PTX. Frees
 * the PTX. */
static int load_checked(CUlibrary *library, char *checked, CUjit_option *jit, void **values, unsigned count) {
  void **copy = checked ? copy_values(values, count) : NULL;
  if (!copy) {
    free(checked);
    return 0;
  }
  CUresult result = cs_host_driver()->cuLibraryLoadData(library, checked, jit, copy, count, NULL, NULL, 0);
  return !is_rejected(checked, use_values(result, copy, values, count));
}

CUresult cs_host_on_cuLibraryLoadData(PFN_cuLibraryLoadData_v12000 real, const struct cs_host_call *call,
                                      CUlibrary *library, const void *code, CUjit_option *jit, void **jit_values,
                                      unsigned jit_count, CUlibraryOption *options, void **values, unsigned count) {
  (void)call;
  int is_loaded = load_checked(library, lift(code), jit, jit_values, jit_count);
  return library_loaded(
      is_loaded ? CUDA_SUCCESS : real(library, code, jit, jit_values, jit_count, options, values, count), library);
}

CUresult cs_host_on_cuLibraryLoadFromFile(PFN_cuLibraryLoadFromFile_v12000 real, const struct cs_host_call *call,
                                          CUlibrary *library, const char *path, CUjit_option *jit, void **jit_values,
                                          unsigned jit_count, CUlibraryOption *options, void **values, unsigned count) {
  (void)call;
  int is_loaded = load_checked(library, count ? NULL : lift_file(path), jit, jit_values, jit_count);
  return library_loaded(
      is_loaded ? CUDA_SUCCESS : real(library, path, jit, jit_values, jit_count, options, values, count), library);
}

CUresult cs_host_on_cuLibraryUnload(PFN_cuLibraryUnload_v12000 real, const struct cs_host_call *call,
                                    CUlibrary library) {
  (void)call;
  unloading_handle(library);
  return real(library);
}

CUresult cs_host_on_cuModuleGetFunction(PFN_cuModuleGetFunction_v2000 real, const struct cs_host_call *call,
                                        CUfunction *function, CUmodule module, const char *name) {
  (void)call;
  CUresult result = real(function, module, name);
  if (!result && function && name)
    cs_host_meet_function_of(module, *function, name);
  return result;
}

/* The module is met first: connecting it writes to its variables. */
CUresult cs_host_on_cuModuleGetGlobal_v2(PFN_cuModuleGetGlobal_v3020 real, const struct cs_host_call *call,
                                         CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  (void)call;
  CUresult result = real(address, bytes, module, name);
  if (!result)
    cs_host_meet_module(module);
  return result;
}

CUresult cs_host_on_cuFuncGetModule(PFN_cuFuncGetModule_v11000 real, const struct cs_host_call *call, CUmodule *module,
                                    CUfunction function) {
  (void)call;
  CUresult result = real(module, function);
  struct cs_host_kernel_info info = cs_host_kernel_info(function);
  struct cs_host_loaded owner = cs_host_known_whole(info.owner);
  if (!result && module && owner.is_library)
    cs_host_meet_module_of(*module, owner, info.context ? info.context : cs_host_context_of_record());
  return result;
}

CUresult cs_host_on_cuLibraryGetKernel(PFN_cuLibraryGetKernel_v12000 real, const struct cs_host_call *call,
                                       CUkernel *kernel, CUlibrary library, const char *name) {
  (void)call;
  CUresult result = real(kernel, library, name);
  if (!result && kernel && name)
    cs_host_meet_kernel_of(library, *kernel, name);
  return result;
}

CUresult cs_host_on_cuLibraryGetModule(PFN_cuLibraryGetModule_v12000 real, const struct cs_host_call *call,
                                       CUmodule *module, CUlibrary library) {
  (void)call;
  CUresult result = real(module, library);
  if (!result && module)
    cs_host_meet_module_of(*module, cs_host_known_find(library).owner, cs_host_context_of_record());
  return result;
}

/* The library is attached before the program can write to its variables: attaching writes to them, too. */
CUresult cs_host_on_cuLibraryGetGlobal(PFN_cuLibraryGetGlobal_v12000 real, const struct cs_host_call *call,
                                       CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
  (void)call;
  cs_host_attach_libraries();
  return real(address, bytes, library, name);
}

CUresult cs_host_on_cuLibraryGetManaged(PFN_cuLibraryGetManaged_v12000 real, const struct cs_host_call *call,
                                        CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
  (void)call;
  cs_host_attach_libraries();
  return real(address, bytes, library, name);
}

CUresult cs_host_on_cuKernelGetFunction(PFN_cuKernelGetFunction_v12000 real, const struct cs_host_call *call,
                                        CUfunction *function, CUkernel kernel) {
  (void)call;
  CUresult result = real(function, kernel);
  if (!result && function)
    cs_host_kernel_alias(*function, kernel, cs_host_context_of_record());
  return result;
}
