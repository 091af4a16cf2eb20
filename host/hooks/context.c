/* context.c: the driver's and the contexts' lives, synchronising calls, and functions looked up by name. */
#include "host/base/say.h"
#include "host/findings/drain.h"
#include "host/hooks/hooks.h"
#include "host/hooks/start.h"
#include "host/modules/module.h"
#include "host/process/pending.h"
#include "host/process/registered.h"
#include "host/stacks/stack.h"
#include <string.h>

CUresult cs_host_on_cuInit(PFN_cuInit_v2000 real, const char *call, unsigned flags) {
  (void)call;
  CUresult result = real(flags);
  if (!result) {
    cs_host_start_driver();
    cs_host_start_watch_exit();
  }
  return result;
}

CUresult cs_host_after_sync(CUresult result) {
  cs_host_drain();
  if (!result)
    cs_host_pending_collect(0);
  return result;
}

CUresult cs_host_after_poll(CUresult result) {
  return result == CUDA_ERROR_NOT_READY ? result : cs_host_after_sync(result);
}

static _Thread_local cs_u64 launched_before;

void cs_host_before_all(void) {
  launched_before = cs_host_kernel_launches();
}

CUresult cs_host_after_all(CUresult result) {
  const struct cs_host_context *first = cs_host_context_first();
  if (!result && first && !first->next) /* otherwise those of the other contexts may still run */
    cs_host_kernels_ended(launched_before);
  return cs_host_after_sync(result);
}

void cs_host_look_for_fault(CUresult result, const char *call) {
  int is_misaligned = result == CUDA_ERROR_MISALIGNED_ADDRESS;
  if (!is_misaligned && result != CUDA_ERROR_ILLEGAL_ADDRESS && result != CUDA_ERROR_INVALID_ADDRESS_SPACE)
    return;
  cs_host_drain(); /* a kernel's own words are better */
  cs_host_found_fault(&(struct cs_host_fault_error){call, is_misaligned, cs_host_stack_here()});
}

/* Reads the last records of a context that is about to go. */
static void last_words(struct cs_host_context *context) {
  CUcontext popped;
  const struct cs_host_driver *d = cs_host_driver();
  if (!context || d->cuCtxPushCurrent_v2(context->handle))
    return;
  CUresult result = d->cuCtxSynchronize();
  cs_host_pending_collect(1);
  cs_host_drain();
  cs_host_look_for_fault(result, "cuCtxSynchronize");
  d->cuCtxPopCurrent_v2(&popped);
}

static int device_in_use(CUdevice device) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (c->handle && c->device == device)
      return 1;
  return 0;
}

/* The context is gone. Its device's buffers go with it, unless another context still uses the device: they are kept by
 * device, so then they stay. */
static void context_gone(struct cs_host_context *context) {
  if (!context)
    return;
  cs_host_drain_context_gone(context);
  cs_host_registered_forget(context);
  cs_host_context_gone(context);
  if (!device_in_use(context->device))
    cs_host_heap_free_device(cs_host_process_heap(), context->device, cs_host_stack_here());
}

CUresult cs_host_on_cuCtxDestroy_v2(PFN_cuCtxDestroy_v4000 real, const char *call, CUcontext handle) {
  (void)call;
  struct cs_host_context *context = cs_host_context_of(handle);
  last_words(context);
  CUresult result = real(handle);
  if (!result)
    context_gone(context);
  return result;
}

static int is_active(CUdevice device) {
  unsigned flags;
  int active = 0;
  return cs_host_driver()->cuDevicePrimaryCtxGetState &&
         !cs_host_driver()->cuDevicePrimaryCtxGetState(device, &flags, &active) && active;
}

/* What CuSafe knows of the device's primary context; NULL if it is not active. */
static struct cs_host_context *primary_context(CUdevice device) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext handle;
  if (!is_active(device) || !d->cuDevicePrimaryCtxRetain || d->cuDevicePrimaryCtxRetain(&handle, device))
    return NULL;
  d->cuDevicePrimaryCtxRelease_v2(device);
  return cs_host_context_of(handle);
}

CUresult cs_host_on_cuDevicePrimaryCtxRelease_v2(PFN_cuDevicePrimaryCtxRelease_v11000 real, const char *call,
                                                 CUdevice device) {
  (void)call;
  struct cs_host_context *context = primary_context(device);
  last_words(context);
  CUresult result = real(device);
  if (!result && !is_active(device))
    context_gone(context);
  return result;
}

CUresult cs_host_on_cuDevicePrimaryCtxReset_v2(PFN_cuDevicePrimaryCtxReset_v11000 real, const char *call,
                                               CUdevice device) {
  (void)call;
  struct cs_host_context *context = primary_context(device);
  last_words(context);
  CUresult result = real(device);
  if (!result)
    context_gone(context);
  return result;
}

/* The list of hooks ends with this toolkit's version. For a newer one, a call is CuSafe's only if the driver gives the same
 * function as for this version: a newer edition has parameters that CuSafe does not know. */
static int is_known(void *function, void *at_this_version) {
  return function == at_this_version;
}

static void replace(const char *name, void **function, int version, cuuint64_t flags, void *at_this_version) {
  int per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const struct cs_host_hook *hook = cs_host_hook_for(name, version < CUDA_VERSION ? version : CUDA_VERSION, per_thread);
  void *real = NULL;
  if (!hook)
    return;
  memcpy(&real, (const char *)cs_host_driver() + hook->offset, sizeof real);
  if (real && is_known(*function, at_this_version))
    *function = (void *)hook->wrapper;
  else
    cs_host_say_once(1, "the driver has a newer %s than CuSafe knows; it is not checked", name);
}

CUresult cs_host_on_cuGetProcAddress(PFN_cuGetProcAddress_v11030 real, const char *call, const char *name,
                                     void **function, int version, cuuint64_t flags) {
  (void)call;
  CUresult result = real(name, function, version, flags);
  if (result || !name || !function || !*function)
    return result;
  void *known = *function;
  if (version > CUDA_VERSION && real(name, &known, CUDA_VERSION, flags))
    known = NULL;
  replace(name, function, version, flags, known);
  return result;
}

CUresult cs_host_on_cuGetProcAddress_v2(PFN_cuGetProcAddress_v12000 real, const char *call, const char *name,
                                        void **function, int version, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult *status) {
  (void)call;
  CUdriverProcAddressQueryResult ignored;
  CUresult result = real(name, function, version, flags, status);
  if (result || !name || !function || !*function)
    return result;
  void *known = *function;
  if (version > CUDA_VERSION && real(name, &known, CUDA_VERSION, flags, &ignored))
    known = NULL;
  replace(name, function, version, flags, known);
  return result;
}
