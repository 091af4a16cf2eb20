/* detectors.c: compares what modules were compiled to look for with what this run asks for. */
#include "host/modules/detectors.h"
#include "cusafe/abi.h"
#include "host/base/degraded.h"
#include "host/base/detect.h"
#include "host/base/driver.h"
#include "host/base/messages.h"

/* The bits of enum cs_options_detect that the flags of a module name. */
static unsigned detects_of(cs_u32 flags) {
  static const cs_u32 masks[] = {
#define CS_DETECT(id, name) CS_MODULE_##id,
#include "cusafe/detects.inc"
  };
  unsigned detects = 0;
  for (unsigned i = 0; i < CS_OPTIONS_DETECT_COUNT; i++)
    detects |= (unsigned)((flags & masks[i]) != 0) << i;
  return detects;
}

void cs_host_detectors_compare(cs_u32 flags) {
  unsigned asked = cs_host_detects(), missing = asked & ~detects_of(flags);
  char all[CS_OPTIONS_DETECT_MAX], lacking[CS_OPTIONS_DETECT_MAX];
  if (!missing)
    return;
  cs_options_detect_list(asked, all);
  cs_options_detect_list(missing, lacking);
  cs_host_degraded(CS_DEGRADED_DETECTORS);
  if (cs_host_driver_lifts())
    cs_host_message_once(0,
                         "a module of this program was built without --detect=%s, and is not checked for that: build "
                         "it with `cusafe cc --detect=%s`",
                         lacking, all);
  else
    cs_host_message_once(0,
                         "--detect=%s works on the CPU device only: on this device, `cusafe run` looks for errors of "
                         "memory; use --device=cpu",
                         lacking);
}
