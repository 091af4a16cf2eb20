/* spins.c: finds kernels whose threads wait for each other's atomics.
 *
 * The engine runs neighbouring threads in lock step, and one that spins on a lock held by its neighbour would spin for ever.
 * Such kernels ask to be run thread by thread (see emit.c), unless they have warp operations, which need the lock step. */
#include "retarget/retarget.h"

int cs_find_spins(struct cs_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    unit->kernels[i].spins = cs_bridge_spins(unit->kernels[i].function);
  return 0;
}
