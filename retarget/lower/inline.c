/* inline.c: makes every kernel one function, but for recursion and the cold paths of the checks. */
#include "retarget/retarget.h"

int cs_rt_inline(struct cs_rt_unit *unit) {
  cs_rt_bridge_mark_inlining(unit->module);
  cs_rt_bridge_return_in_memory(unit->module);
  return cs_rt_run_passes(unit, "always-inline,globaldce");
}
