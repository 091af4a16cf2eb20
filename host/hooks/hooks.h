/* hooks.h: what CuSafe does at each interposed call; see interposed.inc.
 *
 * A handler runs in the application's thread and inside CuSafe (inside.h), so that every driver call it makes is the real
 * one. real: the function that the program would have reached. call: its symbol, for reports. */
#ifndef CUSAFE_HOST_HOOKS_HOOKS_H
#define CUSAFE_HOST_HOOKS_HOOKS_H

#include "host/base/driver.h"

#define CS_HOST_HANDLER_OWN(handler, function, ...) CUresult handler(function real, const char *call, __VA_ARGS__);
#define CS_HOST_HANDLER_DRAIN(...)
#define CS_HOST_HANDLER_ALL(...)
#define CS_HOST_HANDLER_POLL(...)
#define CS_HOST_HANDLER_COPY(...)
#define CS_HOST_HANDLER_QUEUE(...)
#define CS_HOST_UNPAREN(...) __VA_ARGS__
#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  CS_HOST_HANDLER_##action(cs_host_on_##base##edition, PFN_##base##_v##version##variant, CS_HOST_UNPAREN parameters)
#include "host/base/interposed.inc"

/* Device work is about to be given to the driver: checked modules must know their ring, and words must be up to date. */
void cs_host_before_work(void);

/* A node of a graph that allocates was made, or not. Returns the result. */
CUresult cs_host_graph_allocated(CUresult result);

/* The call waited for device work. Returns its result, or never: see drain.h. */
CUresult cs_host_after_sync(CUresult result);
CUresult cs_host_after_poll(CUresult result);
/* Around a call that waits for all work of a context. */
void cs_host_before_all(void);
CUresult cs_host_after_all(CUresult result);

/* After every call: some errors mean that a kernel was stopped at a bad address, which is a finding. */
void cs_host_look_for_fault(CUresult result, const char *call);

#endif
