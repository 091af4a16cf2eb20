/* context.c: initialisation, and the end of contexts. */
#include "host/base/degraded.h"
#include "host/findings/drain.h"
#include "host/hooks/hooks.h"
#include "host/hooks/start.h"
#include "host/hooks/sync.h"
#include "host/modules/known.h"
#include "host/process/pending.h"
#include "host/process/registered.h"
#include "host/stacks/stack.h"

CUresult cs_host_on_cuInit(PFN_cuInit_v2000 real, const char *call, unsigned flags) {
  (void)call;
  CUresult result = real(flags);
  if (!result) {
    cs_host_start_driver();
    cs_host_start_watch_exit();
  }
  return result;
}

/* Reads the last records of a context that is about to be destroyed. */
static void drain_last_records(struct cs_host_context *context) {
  CUcontext popped;
  const struct cs_host_driver *d = cs_host_driver();
  if (!context)
    return;
  if (d->cuCtxPushCurrent_v2(context->handle)) {
    cs_host_degraded(CS_DEGRADED_RECORDS);
    return;
  }
  CUresult result = d->cuCtxSynchronize();
  if (result && !cs_host_is_sticky(result))
    cs_host_degraded(CS_DEGRADED_RECORDS);
  cs_host_pending_collect(1);
  cs_host_drain();
  cs_host_report_fault(result, "cuCtxSynchronize");
  d->cuCtxPopCurrent_v2(&popped);
}

static int device_in_use(CUdevice device) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (c->handle && c->device == device)
      return 1;
  return 0;
}

/* The context was destroyed, and its device's buffers with it, unless another context still uses the device: buffers are kept by
 * device, not by context. */
static void context_gone(struct cs_host_context *context) {
  if (!context)
    return;
  cs_host_drain_context_gone(context);
  cs_host_known_forget_context(context);
  cs_host_registered_forget(context);
  cs_host_context_gone(context);
  if (!device_in_use(context->device))
    cs_host_heap_free_device(cs_host_process_heap(), context->device, cs_host_stack_here());
}

static CUresult destroy(PFN_cuCtxDestroy_v4000 real, CUcontext handle) {
  struct cs_host_context *context = cs_host_context_of(handle);
  drain_last_records(context);
  CUresult result = real(handle);
  if (!result)
    context_gone(context);
  return result;
}

CUresult cs_host_on_cuCtxDestroy(PFN_cuCtxDestroy_v2000 real, const char *call, CUcontext handle) {
  (void)call;
  return destroy(real, handle);
}

CUresult cs_host_on_cuCtxDestroy_v2(PFN_cuCtxDestroy_v4000 real, const char *call, CUcontext handle) {
  (void)call;
  return destroy(real, handle);
}

static int is_active(CUdevice device) {
  unsigned flags;
  int active = 0;
  return cs_host_driver()->cuDevicePrimaryCtxGetState &&
         !cs_host_driver()->cuDevicePrimaryCtxGetState(device, &flags, &active) && active;
}

/* The device's primary context; NULL if it is not active, or unknown to CuSafe. */
static struct cs_host_context *primary_context(CUdevice device) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext handle;
  if (!is_active(device) || !d->cuDevicePrimaryCtxRetain || d->cuDevicePrimaryCtxRetain(&handle, device))
    return NULL;
  d->cuDevicePrimaryCtxRelease_v2(device);
  return cs_host_context_of(handle);
}

static CUresult release(PFN_cuDevicePrimaryCtxRelease_v11000 real, CUdevice device) {
  struct cs_host_context *context = primary_context(device);
  drain_last_records(context);
  CUresult result = real(device);
  if (!result && !is_active(device))
    context_gone(context);
  return result;
}

static CUresult reset(PFN_cuDevicePrimaryCtxReset_v11000 real, CUdevice device) {
  struct cs_host_context *context = primary_context(device);
  drain_last_records(context);
  CUresult result = real(device);
  if (!result)
    context_gone(context);
  return result;
}

/* NVIDIA's runtime library calls the first editions: cudaDeviceReset and the end of the process. */
CUresult cs_host_on_cuDevicePrimaryCtxRelease(PFN_cuDevicePrimaryCtxRelease_v7000 real, const char *call,
                                              CUdevice device) {
  (void)call;
  return release(real, device);
}

CUresult cs_host_on_cuDevicePrimaryCtxRelease_v2(PFN_cuDevicePrimaryCtxRelease_v11000 real, const char *call,
                                                 CUdevice device) {
  (void)call;
  return release(real, device);
}

CUresult cs_host_on_cuDevicePrimaryCtxReset(PFN_cuDevicePrimaryCtxReset_v7000 real, const char *call, CUdevice device) {
  (void)call;
  return reset(real, device);
}

CUresult cs_host_on_cuDevicePrimaryCtxReset_v2(PFN_cuDevicePrimaryCtxReset_v11000 real, const char *call,
                                               CUdevice device) {
  (void)call;
  return reset(real, device);
}
