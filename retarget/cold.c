/* cold.c: makes the engine pass by what a check calls when it fails.
 *
 * The engine runs neighbouring threads as the lanes of vectors. In a kernel with warp operations it makes a call on one side of a
 * branch with the mask of the lanes that take that side, even when no lane does: one such kernel spent 40 times its own time in
 * calls that nobody had made. It does ask whether any lane is left in front of a loop. So each such call is a loop, of one round.
 * What packs the address of a variable is always called, and gives all lanes the same: around it, the engine would give up the
 * vectors for such a loop, and with them the warps. It becomes part of the kernel. */
#include "retarget/retarget.h"

int cs_skip_cold_calls(struct cs_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    cs_bridge_skip_cold_calls(unit->kernels[i].function);
  return 0;
}
