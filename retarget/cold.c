/* cold.c: makes the engine pass by what a check calls when it fails.
 *
 * The engine runs neighbouring threads as the lanes of vectors. In a kernel with warp operations it makes a call on one side of a
 * branch with the mask of the lanes that take that side, even when no lane does: one such kernel spent 40 times its own time in
 * calls that nobody had made. It does ask whether any lane is left in front of a loop. So each such call is a loop, of one round.
 * Elsewhere it calls lane by lane. There a loop costs a kernel with all its checks more than it saves (fdtd2d 1.3 to 1.8 times bare),
 * and saves what it costs in a version without most of them (spmv 2.2 to 1.4). */
#include "retarget/retarget.h"

int cs_skip_cold_calls(struct cs_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    const struct cs_kernel *kernel = &unit->kernels[i];
    if (kernel->test || kernel->in_step || cs_first_warp_call(kernel->function))
      cs_bridge_skip_cold_calls(kernel->function);
  }
  return 0;
}
