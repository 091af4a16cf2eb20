/* cold.c: makes the engine pass by what a check calls when it fails.
 *
 * The engine runs neighbouring threads as the lanes of vectors. A call on one side of a branch it makes with the mask of the lanes
 * that take that side, even when no lane does: a kernel with warp operations spent 40 times its own time in calls that nobody
 * had made. It does ask whether any lane is left in front of a loop. So each such call is a loop, of one round. */
#include "retarget/retarget.h"

int cs_skip_cold_calls(struct cs_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    cs_bridge_skip_cold_calls(unit->kernels[i].function);
  return 0;
}
