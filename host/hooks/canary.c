/* canary.c: launches of kernels without checks, and where the bytes next to buffers are inspected. */
#include "host/hooks/canary.h"
#include "host/base/degraded.h"
#include "host/findings/drain.h"
#include "host/hooks/arguments.h"
#include "host/hooks/hooks.h"
#include "host/modules/checked.h"
#include "host/modules/unchecked.h"
#include "host/process/own_stream.h"
#include "host/process/stream.h"
#include "host/stacks/stack.h"

/* The pointers among the arguments of this thread's launch. */
enum { REACHED_MAX = 64 };
static _Thread_local struct {
  cs_u64 reached[REACHED_MAX];
  int count;
  int is_watched; /* its end is to be waited for */
  const char *call, *kernel;
  const struct cs_host_launch_note *note;
  cs_u32 stack;
  CUstream stream;
} current;

static void note_pointer(cs_u64 value, cs_u32 index, int is_whole, void *data) {
  (void)index, (void)is_whole, (void)data;
  if (!cs_is_tagged(value))
    return;
  cs_host_canary_reached(value, current.kernel, current.note);
  if (current.count < REACHED_MAX)
    current.reached[current.count++] = value;
}

/* Captured kernels run when their graph is launched. */
void cs_host_canary_launching(const struct cs_host_launch *launch, const struct cs_host_launch_note *note,
                              const struct cs_host_call *call) {
  current.is_watched = 0;
  if (!cs_host_unchecked_count(CS_HOST_UNCHECKED_MODULES) || !cs_host_canary_mode())
    return;
  struct cs_host_kernel_info kernel = cs_host_kernel_info(launch->function);
  current.stream = launch->stream;
  if (!kernel.name || cs_host_is_checked(kernel.owner.number, NULL) || cs_host_is_capturing(current.stream))
    return;
  cs_host_canaries_arm();
  current.count = 0;
  current.call = call->name;
  current.kernel = kernel.name;
  current.note = note;
  current.stack = note->stack;
  current.is_watched = cs_host_canary_mode() == CS_HOST_CANARIES_LAUNCH;
  cs_host_arguments_each(launch->function, launch->parameters, launch->extra, note_pointer, NULL);
}

/* Other streams that are captured meanwhile stay so. */
static int has_ended(CUstream stream) {
  CUstreamCaptureMode mode = cs_host_capture_allow();
  CUresult result = cs_host_driver()->cuStreamSynchronize(stream);
  cs_host_capture_restore(mode);
  if (result)
    cs_host_degraded(CS_DEGRADED_CANARIES);
  return !result;
}

void cs_host_canary_launched(CUresult result) {
  int is_watched = current.is_watched && !result;
  current.is_watched = 0;
  if (!is_watched || !has_ended(current.stream))
    return;
  for (int i = 0; i < current.count; i++)
    cs_host_canary_look(current.reached[i], current.call, current.stack);
  cs_host_found_canaries();
}

void cs_host_canary_launching_graph(void) {
  if (cs_host_unchecked_count(CS_HOST_UNCHECKED_MODULES) && cs_host_canary_mode())
    cs_host_canaries_arm();
}

void cs_host_canary_ending(struct cs_host_context *context) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext handle = cs_host_context_handle(context);
  if (!cs_host_canaries_exist() || !handle)
    return;
  if (d->cuCtxPushCurrent_v2(handle)) {
    cs_host_degraded(CS_DEGRADED_CANARIES);
    return;
  }
  if (!d->cuCtxSynchronize())
    cs_host_canaries_look(NULL, 0);
  else
    cs_host_degraded(CS_DEGRADED_CANARIES);
  cs_host_context_pop();
  cs_host_found_canaries();
}
