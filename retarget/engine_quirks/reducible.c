/* reducible.c: gives every loop a single entry: the engine does not vectorise other loops, and warp operations need
 * vectors. */
#include "retarget/bridge/bridge.h"
#include "retarget/engine_quirks/steps.h"

int cs_rt_make_reducible(struct cs_rt_unit *unit) {
  cs_rt_bridge_make_reducible(unit->module);
  return 0;
}
