/* context.c: initialisation, and the end of contexts. */
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/findings/drain.h"
#include "host/heap/reclaim.h"
#include "host/hooks/canary.h"
#include "host/hooks/hooks.h"
#include "host/hooks/start.h"
#include "host/hooks/sync.h"
#include "host/launch/forms.h"
#include "host/launch/running.h"
#include "host/modules/kernel.h"
#include "host/modules/known.h"
#include "host/process/advice.h"
#include "host/process/graph_memory.h"
#include "host/process/order.h"
#include "host/process/pending.h"
#include "host/process/registered.h"
#include "host/process/shared.h"
#include "host/stacks/stack.h"

CUresult cs_host_on_cuInit(PFN_cuInit_v2000 real, const struct cs_host_call *call, unsigned flags) {
  (void)call;
  CUresult result = real(flags);
  if (!result) {
    cs_host_start_driver();
    cs_host_start_watch_exit();
  }
  return result;
}

/* Reads the last records of a context that may be about to be destroyed. */
static struct cs_host_hidden prepare_end(struct cs_host_context *context) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext handle = context ? cs_host_context_handle(context) : NULL;
  if (!handle)
    return cs_host_drain_hide(context);
  if (d->cuCtxPushCurrent_v2(handle)) {
    cs_host_degraded(CS_DEGRADED_RECORDS);
    return cs_host_drain_hide(context);
  }
  CUresult result = d->cuCtxSynchronize();
  if (result && !cs_host_is_sticky(result))
    cs_host_degraded(CS_DEGRADED_RECORDS);
  cs_host_pending_context_ending(context);
  cs_host_drain();
  cs_host_report_fault(result, "cuCtxSynchronize");
  cs_host_canary_ending(context);
  struct cs_host_hidden hidden = cs_host_drain_hide(context);
  cs_host_context_pop();
  return hidden;
}

static int device_in_use(CUdevice device) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (cs_host_context_handle(c) && c->device == device)
      return 1;
  return 0;
}

/* The context was destroyed, and its device's buffers with it, unless another context still uses the device: buffers
 * are kept by device, not by context. Buffers that live until a runtime library releases its contexts at the end of the
 * process are leaks. */
static void context_gone(struct cs_host_hidden hidden) {
  struct cs_host_context *context = hidden.context;
  if (!context)
    return;
  cs_host_drain_gone(hidden);
  cs_host_kernels_forget_context(context);
  cs_host_forms_forget_context(context);
  cs_host_running_forget_context(context);
  cs_host_known_forget_context(context);
  cs_host_registered_forget(context);
  cs_host_order_context_gone(context);
  cs_host_pending_context_gone(context);
  cs_host_graph_memory_context_gone(context);
  cs_host_context_close_heap(context);
  CUdevice device = context->device; /* the next context may take this one's place */
  cs_host_context_gone(context);
  if (!device_in_use(device) && !cs_host_start_is_over()) {
    cs_host_heap_free_device(cs_host_process_heap(), device, cs_host_stack_here());
    cs_host_canaries_forget_freed();
    cs_host_order_forget_freed();
    cs_host_advice_forget_freed();
  }
  cs_host_heap_reclaim(cs_host_process_heap());
}

/* The last moment before a call that may end the context that prepare_end() hid. */
static void begin_end(struct cs_host_hidden hidden) {
  if (hidden.context)
    cs_host_context_begin_end(hidden.context);
}

/* After that call. */
static void finish_end(struct cs_host_hidden hidden, int is_gone) {
  if (is_gone)
    context_gone(hidden);
  else
    cs_host_drain_show(hidden);
  if (hidden.context && !is_gone)
    cs_host_context_end_end(hidden.context);
}

/* A context that the program may not use during the call: no thread looks it up. */
static struct cs_host_hidden prepare_destroy(struct cs_host_context *context) {
  struct cs_host_hidden hidden = prepare_end(context);
  begin_end(hidden);
  if (context)
    cs_host_context_hide(context);
  return hidden;
}

static CUresult finish_destroy(struct cs_host_hidden hidden, CUcontext handle, CUresult result) {
  if (result && hidden.context)
    cs_host_context_show(hidden.context, handle);
  finish_end(hidden, !result);
  return result;
}

static CUresult destroy(PFN_cuCtxDestroy_v4000 real, CUcontext handle) {
  struct cs_host_hidden hidden = prepare_destroy(cs_host_context_of(handle));
  return finish_destroy(hidden, handle, real(handle));
}

CUresult cs_host_on_cuCtxDestroy(PFN_cuCtxDestroy_v2000 real, const struct cs_host_call *call, CUcontext handle) {
  (void)call;
  return destroy(real, handle);
}

CUresult cs_host_on_cuCtxDestroy_v2(PFN_cuCtxDestroy_v4000 real, const struct cs_host_call *call, CUcontext handle) {
  (void)call;
  return destroy(real, handle);
}

/* A context that was attached more than once stays. It must be current. */
CUresult cs_host_on_cuCtxDetach(PFN_cuCtxDetach_v2000 real, const struct cs_host_call *call, CUcontext handle) {
  (void)call;
  struct cs_host_context *context = cs_host_context_of(handle);
  CUcontext current = NULL;
  struct cs_host_hidden hidden = prepare_end(context);
  begin_end(hidden);
  CUresult result = real(handle);
  finish_end(hidden, !result && (cs_host_driver()->cuCtxGetCurrent(&current) || current != handle));
  return result;
}

CUresult cs_host_on_cuGreenCtxDestroy(PFN_cuGreenCtxDestroy_v12040 real, const struct cs_host_call *call,
                                      CUgreenCtx green) {
  (void)call;
  CUcontext handle = NULL;
  if (!cs_host_driver()->cuCtxFromGreenCtx || cs_host_driver()->cuCtxFromGreenCtx(&handle, green))
    return real(green);
  struct cs_host_hidden hidden = prepare_destroy(cs_host_context_of(handle));
  return finish_destroy(hidden, handle, real(green));
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

/* A primary context has the same handle when it is retained again, and other threads may use it unless this was the
 * last release. So a release and a reset have their turn until what ended is forgotten, and a retain waits for it. */
static int is_ending;

static void begin_turn(void) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  while (is_ending)
    cs_host_lock_wait(CS_HOST_LOCK_CONTEXTS);
  is_ending = 1;
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}

static void end_turn(void) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  is_ending = 0;
  cs_host_lock_wake(CS_HOST_LOCK_CONTEXTS);
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}

CUresult cs_host_on_cuDevicePrimaryCtxRetain(PFN_cuDevicePrimaryCtxRetain_v7000 real, const struct cs_host_call *call,
                                             CUcontext *context, CUdevice device) {
  (void)call;
  begin_turn();
  CUresult result = real(context, device);
  end_turn();
  return result;
}

static CUresult release(PFN_cuDevicePrimaryCtxRelease_v11000 real, CUdevice device) {
  struct cs_host_context *context = primary_context(device);
  struct cs_host_hidden hidden = prepare_end(context);
  begin_turn();
  begin_end(hidden);
  CUresult result = real(device);
  finish_end(hidden, !result && !is_active(device));
  end_turn();
  return result;
}

static CUresult reset(PFN_cuDevicePrimaryCtxReset_v11000 real, CUdevice device) {
  struct cs_host_context *context = primary_context(device);
  struct cs_host_hidden hidden = prepare_end(context);
  begin_turn();
  begin_end(hidden);
  CUresult result = real(device);
  finish_end(hidden, !result);
  end_turn();
  return result;
}

/* NVIDIA's runtime library calls the first editions: cudaDeviceReset and the end of the process. */
CUresult cs_host_on_cuDevicePrimaryCtxRelease(PFN_cuDevicePrimaryCtxRelease_v7000 real, const struct cs_host_call *call,
                                              CUdevice device) {
  (void)call;
  return release(real, device);
}

CUresult cs_host_on_cuDevicePrimaryCtxRelease_v2(PFN_cuDevicePrimaryCtxRelease_v11000 real,
                                                 const struct cs_host_call *call, CUdevice device) {
  (void)call;
  return release(real, device);
}

CUresult cs_host_on_cuDevicePrimaryCtxReset(PFN_cuDevicePrimaryCtxReset_v7000 real, const struct cs_host_call *call,
                                            CUdevice device) {
  (void)call;
  return reset(real, device);
}

CUresult cs_host_on_cuDevicePrimaryCtxReset_v2(PFN_cuDevicePrimaryCtxReset_v11000 real, const struct cs_host_call *call,
                                               CUdevice device) {
  (void)call;
  return reset(real, device);
}
