/* interpose.c: the exported driver calls, each generated from its line of interposed.inc (enter, act, leave), and the table
 * that leads from a name to its wrapper. cuGetProcAddress is handled here because its wrapper returns wrappers. */
#include "host/hooks/interpose.h"
#include "host/base/inside.h"
#include "host/base/messages.h"
#include "host/hooks/copy.h"
#include "host/hooks/hooks.h"
#include "host/hooks/order.h"
#include "host/hooks/select.h"
#include "host/hooks/start.h"
#include "host/hooks/symbol.h"
#include "host/hooks/sync.h"
#include <string.h>

/* Without a driver, a program that reaches CuSafe's cuInit gets the error that NVIDIA's stub library returns. */
#define NO_DRIVER CUDA_ERROR_STUB_LIBRARY

#define UNPAREN(...) __VA_ARGS__
#define ACT_OWN(handler, arguments) handler(real, &call, UNPAREN arguments)
#define ACT_DRAIN(handler, arguments) cs_host_after_sync(real arguments)
#define ACT_ALL(handler, arguments) (cs_host_before_all(), cs_host_after_all(real arguments))
#define ACT_POLL(handler, arguments) cs_host_after_poll(real arguments)
#define REFUSED_COPY cs_host_copy_refused_now
#define REFUSED_QUEUE cs_host_copy_refused
#define REFUSED_AWAIT cs_host_copy_refused
#define REFUSED_NODE cs_host_copy_refused
#define ACT_COPY(arguments) ((void)cs_host_before_work(), cs_host_after_sync(real arguments)) /* runs no checked code */
#define ACT_QUEUE(arguments) real arguments
#define ACT_AWAIT(arguments) real arguments
#define ACT_NODE(arguments) real arguments
#define ORDER_COPY() cs_host_order_waited_copy(&call, spans, sizeof spans / sizeof *spans)
#define ORDER_QUEUE() cs_host_order_copying(&call, spans, sizeof spans / sizeof *spans, stream)
#define ORDER_AWAIT() cs_host_order_awaiting(&call, spans, sizeof spans / sizeof *spans, stream)
#define ORDER_NODE() (void)0
/* The stream whose checks the program may have turned off. */
#define STREAM_COPY NULL
#define STREAM_QUEUE cs_host_stream_of(&call, stream)
#define STREAM_AWAIT cs_host_stream_of(&call, stream)
#define STREAM_NODE NULL

#define PER_THREAD(variant) (sizeof #variant > 1)
#define ENTER(function, type, variant, parameters, arguments)                                                          \
  CUresult CUDAAPI function parameters;                                                                                \
  __attribute__((visibility("default"))) CUresult CUDAAPI function parameters {                                        \
    static const struct cs_host_call call = {#function, PER_THREAD(variant)};                                          \
    type real = cs_host_driver_of_program()->function;                                                                 \
    if (!real)                                                                                                         \
      return NO_DRIVER;                                                                                                \
    if (cs_host_inside() || cs_host_start_inherited)                                                                   \
      return real arguments;                                                                                           \
    cs_host_inside_enter();                                                                                            \
    cs_host_start();
#define LEAVE                                                                                                          \
  cs_host_report_fault(result, call.name);                                                                             \
  cs_host_owes_nothing(call.name, result != CUDA_SUCCESS);                                                             \
  cs_host_inside_leave();                                                                                              \
  return result;                                                                                                       \
  }

#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  ENTER(base##edition##variant, PFN_##base##_v##version##variant, variant, parameters, arguments)                      \
  CUresult result = ACT_##action(cs_host_on_##base##edition, arguments);                                               \
  LEAVE
#define CS_HOST_COPY(action, short_name, edition, variant, version, parameters, arguments, ...)                        \
  ENTER(cu##short_name##edition##variant, PFN_cu##short_name##_v##version##variant, variant, parameters, arguments)    \
  const struct cs_host_span spans[] = {__VA_ARGS__};                                                                   \
  CUresult result = CUDA_SUCCESS;                                                                                      \
  if (!cs_host_select_is_off(STREAM_##action))                                                                         \
    result = REFUSED_##action(call.name, spans, sizeof spans / sizeof *spans);                                         \
  if (!result) {                                                                                                       \
    ORDER_##action();                                                                                                  \
    result = ACT_##action(arguments);                                                                                  \
  }                                                                                                                    \
  LEAVE
#include "host/base/interposed.inc"

static const struct cs_host_hook hooks[] = {
#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  {#base,                                                                                                              \
   #base #edition #variant,                                                                                            \
   version,                                                                                                            \
   PER_THREAD(variant),                                                                                                \
   offsetof(struct cs_host_driver, base##edition##variant),                                                            \
   (void (*)(void))base##edition##variant},
#include "host/base/interposed.inc"
};
enum { HOOK_COUNT = sizeof hooks / sizeof *hooks };

/* Every wrapper has the type that NVIDIA declares for its version, so a wrong line in the list does not compile. */
#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&base##edition##variant), PFN_##base##_v##version##variant),  \
                 #base #edition #variant);
#include "host/base/interposed.inc"

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

/* Replaces *function by CuSafe's wrapper. For a version that is newer than `newest`, the wrapper fits only if the driver returns
 * the same function as for that one, because a newer edition may have other parameters. */
static void replace(const char *name, void **function, int version, int newest, cuuint64_t flags, void *at_newest) {
  int per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const struct cs_host_hook *hook = hook_for(name, version < newest ? version : newest, per_thread);
  void *real = NULL;
  if (!hook)
    return;
  memcpy(&real, (const char *)cs_host_driver_of_program() + hook->offset, sizeof real);
  if (real && *function == at_newest)
    *function = (void *)hook->wrapper;
  else
    cs_host_message_once(1, "the driver has a newer %s than CuSafe knows; it is not checked", name);
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
