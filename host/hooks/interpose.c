/* interpose.c: the exported driver calls. Each comes from its line of interposed.inc: enter, act, leave. */
#include "host/base/inside.h"
#include "host/hooks/copy.h"
#include "host/hooks/hooks.h"
#include "host/hooks/start.h"

/* A program that runs without a driver and finds CuSafe's cuInit instead is told what NVIDIA's stub library would tell it. */
#define NO_DRIVER CUDA_ERROR_STUB_LIBRARY

#define UNPAREN(...) __VA_ARGS__
#define ACT_OWN(handler, name, arguments) handler(real, name, UNPAREN arguments)
#define ACT_DRAIN(handler, name, arguments) cs_host_after_sync(real arguments)
#define ACT_ALL(handler, name, arguments) (cs_host_before_all(), cs_host_after_all(real arguments))
#define ACT_POLL(handler, name, arguments) cs_host_after_poll(real arguments)
#define ACT_COPY(arguments) (cs_host_before_work(), cs_host_after_sync(real arguments))
#define ACT_QUEUE(arguments) real arguments

#define ENTER(function, type, parameters, arguments)                                                                   \
  CUresult CUDAAPI function parameters;                                                                                \
  __attribute__((visibility("default"))) CUresult CUDAAPI function parameters {                                        \
    type real = cs_host_driver()->function;                                                                            \
    if (!real)                                                                                                         \
      return NO_DRIVER;                                                                                                \
    if (cs_host_inside() || cs_host_start_inherited)                                                                   \
      return real arguments;                                                                                           \
    cs_host_inside_enter();                                                                                            \
    cs_host_start();
#define LEAVE(call)                                                                                                    \
  cs_host_look_for_fault(result, call);                                                                                \
  cs_host_inside_leave();                                                                                              \
  return result;                                                                                                       \
  }

#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  ENTER(base##edition##variant, PFN_##base##_v##version##variant, parameters, arguments)                               \
  CUresult result = ACT_##action(cs_host_on_##base##edition, #base #edition #variant, arguments);                      \
  LEAVE(#base #edition #variant)
#define CS_HOST_COPY(action, name, edition, variant, version, parameters, arguments, ...)                              \
  ENTER(cu##name##edition##variant, PFN_cu##name##_v##version##variant, parameters, arguments)                         \
  const struct cs_host_span spans[] = {__VA_ARGS__};                                                                   \
  CUresult result = cs_host_copy_refused("cu" #name #edition #variant, spans, sizeof spans / sizeof *spans);           \
  if (!result)                                                                                                         \
    result = ACT_##action(arguments);                                                                                  \
  LEAVE("cu" #name #edition #variant)
#include "host/base/interposed.inc"

const struct cs_host_hook cs_host_hooks[] = {
#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  {#base,                                                                                                              \
   #base #edition #variant,                                                                                            \
   version,                                                                                                            \
   sizeof #variant > 1,                                                                                                \
   offsetof(struct cs_host_driver, base##edition##variant),                                                            \
   (void (*)(void))base##edition##variant},
#include "host/base/interposed.inc"
};
const size_t cs_host_hook_count = sizeof cs_host_hooks / sizeof *cs_host_hooks;

/* The wrappers have the types that NVIDIA gives for these versions, so a wrong line in the list does not compile. */
#define CS_HOST_HOOK(action, base, edition, variant, version, parameters, arguments)                                   \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&base##edition##variant), PFN_##base##_v##version##variant),  \
                 #base #edition #variant);
#include "host/base/interposed.inc"
