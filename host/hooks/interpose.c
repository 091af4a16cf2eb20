/* interpose.c: the exported driver calls, each generated from its row of cusafe/driver_calls.inc (enter, act, leave),
 * and the table that leads from a name to its wrapper. cuGetProcAddress is handled here because its wrapper returns
 * wrappers. */
#include "host/hooks/interpose.h"
#include "host/base/inside.h"
#include "host/base/messages.h"
#include "host/hooks/copy.h"
#include "host/hooks/hooks.h"
#include "host/hooks/order.h"
#include "host/hooks/repeat.h"
#include "host/hooks/select.h"
#include "host/hooks/start.h"
#include "host/hooks/symbol.h"
#include "host/hooks/sync.h"
#include <string.h>

/* Without a driver, a program that reaches CuSafe's cuInit gets the error that NVIDIA's stub library returns. */
#define NO_DRIVER CUDA_ERROR_STUB_LIBRARY

#define UNPAREN(...) __VA_ARGS__
#define COUNT(spans) (sizeof(spans) / sizeof *(spans))
/* One for each action of an interposed call: `arguments` of the call, `spans` of a copy. */
#define ACT_OWN(handler, arguments, ...) CUresult result = handler(real, &call, UNPAREN arguments);
#define ACT_LAUNCH(...) ACT_OWN(__VA_ARGS__)
#define ACT_ALL(handler, arguments, ...)                                                                               \
  cs_host_before_all();                                                                                                \
  CUresult result = cs_host_after_all(real arguments);
#define ACT_COPY(handler, arguments, ...)                                                                              \
  TOUCH(cs_host_span_refused_now, NULL, cs_host_order_waited_copy(&call, spans, COUNT(spans)),                         \
        (cs_host_before_copy(), cs_host_after_sync(real arguments)), __VA_ARGS__)
#define ACT_QUEUE(handler, arguments, ...)                                                                             \
  TOUCH(cs_host_span_refused, cs_host_stream_of(&call, stream),                                                        \
        cs_host_order_copying(&call, spans, COUNT(spans), stream), real arguments, __VA_ARGS__)
#define ACT_AWAIT(handler, arguments, ...)                                                                             \
  TOUCH(cs_host_span_refused, cs_host_stream_of(&call, stream),                                                        \
        cs_host_order_awaiting(&call, spans, COUNT(spans), stream), real arguments, __VA_ARGS__)
#define ACT_NODE(handler, arguments, ...) TOUCH(cs_host_span_refused, NULL, (void)0, real arguments, __VA_ARGS__)
/* stream: the one whose checks the program may have turned off. */
#define TOUCH(refused, stream, order, act, ...)                                                                        \
  const struct cs_host_span spans[] = {__VA_ARGS__};                                                                   \
  CUresult result = CUDA_SUCCESS;                                                                                      \
  if (!cs_host_select_is_off(stream))                                                                                  \
    result = refused(call.name, spans, COUNT(spans));                                                                  \
  if (!result) {                                                                                                       \
    order;                                                                                                             \
    result = act;                                                                                                      \
  }

#define PER_THREAD(variant) (sizeof #variant > 1)
/* The head of the function whose body ENTER begins: the wrapper, or what the wrapper of a launch calls. */
#define HEAD_OWN(name, function, variant, parameters)                                                                  \
  CUresult CUDAAPI function parameters;                                                                                \
  __attribute__((visibility("default"))) CUresult CUDAAPI function parameters
#define HEAD_ALL(...) HEAD_OWN(__VA_ARGS__)
#define HEAD_COPY(...) HEAD_OWN(__VA_ARGS__)
#define HEAD_QUEUE(...) HEAD_OWN(__VA_ARGS__)
#define HEAD_AWAIT(...) HEAD_OWN(__VA_ARGS__)
#define HEAD_NODE(...) HEAD_OWN(__VA_ARGS__)
#define HEAD_LAUNCH(name, function, variant, parameters)                                                               \
  CUresult CUDAAPI function parameters;                                                                                \
  static __attribute__((noinline)) CUresult long_##function parameters;                                                \
  CS_HOST_REPEAT_##name(function, PER_THREAD(variant), long_##function) static CUresult long_##function parameters

__attribute__((noinline)) CUresult cs_host_repeat_failed(CUresult result, const char *call) {
  cs_host_inside_enter();
  cs_host_report_fault(result, call);
  cs_host_inside_leave();
  return result;
}

#define ENTER(action, name, function, type, variant, parameters, arguments)                                            \
  HEAD_##action(name, function, variant, parameters) {                                                                 \
    static const struct cs_host_call call = {#function, PER_THREAD(variant)};                                          \
    type real = cs_host_driver_of_program()->function;                                                                 \
    if (!real)                                                                                                         \
      return NO_DRIVER;                                                                                                \
    if (cs_host_inside() || cs_host_inherited)                                                                         \
      return real arguments;                                                                                           \
    cs_host_inside_enter();                                                                                            \
    cs_host_start();
#define LEAVE                                                                                                          \
  cs_host_report_fault(result, call.name);                                                                             \
  cs_host_owes_nothing(call.name, result != CUDA_SUCCESS);                                                             \
  cs_host_inside_leave();                                                                                              \
  return result;                                                                                                       \
  }

#define CS_HOST_HOOK(action, name, edition, variant, version, parameters, arguments, ...)                              \
  ENTER(action, name, cu##name##edition##variant, PFN_cu##name##_v##version##variant, variant, parameters, arguments)  \
  ACT_##action(cs_host_on_cu##name##edition, arguments, __VA_ARGS__) LEAVE
#include "host/base/calls.inc"

static const struct cs_host_hook hooks[] = {
#define CS_HOST_HOOK(action, name, edition, variant, version, ...)                                                     \
  {"cu" #name,                                                                                                         \
   "cu" #name #edition #variant,                                                                                       \
   version,                                                                                                            \
   PER_THREAD(variant),                                                                                                \
   offsetof(struct cs_host_driver, cu##name##edition##variant),                                                        \
   (void (*)(void))cu##name##edition##variant},
#include "host/base/calls.inc"
};
enum { HOOK_COUNT = sizeof hooks / sizeof *hooks };

/* Every wrapper has the type that NVIDIA declares for its version, so a wrong row in the list does not compile. */
#define CS_HOST_HOOK(action, name, edition, variant, version, ...)                                                     \
  _Static_assert(                                                                                                      \
      __builtin_types_compatible_p(__typeof__(&cu##name##edition##variant), PFN_cu##name##_v##version##variant),       \
      "cu" #name #edition #variant);
#include "host/base/calls.inc"

/* The hook for what cuGetProcAddress(base, version, flags) resolved to, or NULL when CuSafe has none. */
static const struct cs_host_hook *hook_for(const char *base, int version, int per_thread) {
  const struct cs_host_hook *best = NULL;
  for (const struct cs_host_hook *h = hooks; h < hooks + HOOK_COUNT; h++) {
    if (strcmp(h->base, base) != 0 || h->version > version || h->per_thread > per_thread)
      continue;
    if (!best || h->per_thread > best->per_thread || (h->per_thread == best->per_thread && h->version > best->version))
      best = h;
  }
  return best;
}

const struct cs_host_hook *cs_host_hook_named(const char *symbol) {
  for (const struct cs_host_hook *h = hooks; h < hooks + HOOK_COUNT; h++)
    if (strcmp(h->symbol, symbol) == 0)
      return h;
  return NULL;
}

/* The newest version whose edition of this call CuSafe knows: this toolkit's, or that of a later call in the list. */
static int newest_known(const char *base) {
  int newest = CUDA_VERSION;
  for (const struct cs_host_hook *h = hooks; h < hooks + HOOK_COUNT; h++)
    if (strcmp(h->base, base) == 0 && h->version > newest)
      newest = h->version;
  return newest;
}

/* Replaces *function by CuSafe's wrapper. For a version that is newer than `newest`, the wrapper fits only if the
 * driver returns the same function as for that one, because a newer edition may have other parameters. */
static void replace(const char *name, void **function, int version, int newest, cuuint64_t flags, void *at_newest) {
  int per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const struct cs_host_hook *hook = hook_for(name, version < newest ? version : newest, per_thread);
  void *real = NULL;
  if (!hook)
    return;
  memcpy(&real, (const char *)cs_host_driver_of_program() + hook->offset, sizeof real);
  if (real && *function == at_newest)
    *function = (void *)hook->wrapper;
  else {
    cs_host_repeat_never();
    cs_host_message_once(1, "the driver has a newer %s than CuSafe knows; it is not checked", name);
  }
}

CUresult cs_host_on_cuGetProcAddress(PFN_cuGetProcAddress_v11030 real, const struct cs_host_call *call,
                                     const char *name, void **function, int version, cuuint64_t flags) {
  (void)call;
  if (cs_host_symbol_resolve(name, function))
    return CUDA_SUCCESS;
  CUresult result = real(name, function, version, flags);
  if (result || !name || !function || !*function)
    return result;
  int newest = newest_known(name);
  void *known = *function;
  if (version > newest && real(name, &known, newest, flags))
    known = NULL;
  replace(name, function, version, newest, flags, known);
  return result;
}

CUresult cs_host_on_cuGetProcAddress_v2(PFN_cuGetProcAddress_v12000 real, const struct cs_host_call *call,
                                        const char *name, void **function, int version, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult *status) {
  (void)call;
  CUdriverProcAddressQueryResult ignored;
  if (cs_host_symbol_resolve(name, function)) {
    *(status ? status : &ignored) = CU_GET_PROC_ADDRESS_SUCCESS;
    return CUDA_SUCCESS;
  }
  CUresult result = real(name, function, version, flags, status);
  if (result || !name || !function || !*function)
    return result;
  int newest = newest_known(name);
  void *known = *function;
  if (version > newest && real(name, &known, newest, flags, &ignored))
    known = NULL;
  replace(name, function, version, newest, flags, known);
  return result;
}
