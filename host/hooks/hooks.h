/* hooks.h: the handlers of interposed calls whose action is OWN; see cusafe/driver_calls.inc.
 *
 * A handler runs in the application's thread and inside CuSafe (inside.h), so that every driver call it makes is the
 * real one. real: the function that the program would have reached. */
#ifndef CUSAFE_HOST_HOOKS_HOOKS_H
#define CUSAFE_HOST_HOOKS_HOOKS_H

#include "host/base/driver.h"

/* The call that the program makes, as its row lists it. */
struct cs_host_call {
  const char *name;  /* its symbol, for reports */
  int is_per_thread; /* a variant _ptsz or _ptds: stream 0 is the calling thread's default stream */
};

/* The stream that a call names, for calls without variants. */
static inline CUstream cs_host_stream_of(const struct cs_host_call *call, CUstream stream) {
  return !stream && call->is_per_thread ? CU_STREAM_PER_THREAD : stream;
}

#define CS_HOST_HANDLER_OWN(handler, function, ...)                                                                    \
  CUresult handler(function real, const struct cs_host_call *call, __VA_ARGS__);
#define CS_HOST_HANDLER_LAUNCH(...) CS_HOST_HANDLER_OWN(__VA_ARGS__)
#define CS_HOST_HANDLER_ALL(...)
#define CS_HOST_HANDLER_COPY(...)
#define CS_HOST_HANDLER_QUEUE(...)
#define CS_HOST_HANDLER_AWAIT(...)
#define CS_HOST_HANDLER_NODE(...)
#define CS_HOST_UNPAREN(...) __VA_ARGS__
#define CS_HOST_HOOK(action, name, edition, variant, version, parameters, ...)                                         \
  CS_HOST_HANDLER_##action(cs_host_on_cu##name##edition, PFN_cu##name##_v##version##variant, CS_HOST_UNPAREN parameters)
#include "host/base/calls.inc"

#endif
