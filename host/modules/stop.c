/* stop.c: the host's side of threads that wait at their first error for a debugger. */
#include "host/modules/stop.h"
#include "host/base/debugger.h"
#include "options/process.h"

static cs_u32 state_of(const struct cs_ring *ring) {
  return __atomic_load_n(&ring->stop, __ATOMIC_ACQUIRE);
}

void cs_host_stop_arm(struct cs_ring *ring) {
  __atomic_store_n(&ring->stop, cs_host_debugger_expected() ? CS_STOP_ARMED : CS_STOP_OFF, __ATOMIC_RELEASE);
}

/* A function for the CPU device's driver, which looks it up: to set an environment variable is not safe once there are
 * threads. */
__attribute__((visibility("default"))) int cusafe_debugger_requested(void);
int cusafe_debugger_requested(void) {
  return cs_options()->debugger;
}

int cs_host_stop_waits(const struct cs_ring *ring) {
  return state_of(ring) >= CS_STOP_WAITING;
}

int cs_host_stop_is_stopped(const struct cs_ring *ring) {
  return state_of(ring) == CS_STOP_NOW;
}

void cs_host_stop_begin(const struct cs_ring *ring, cs_u32 record) {
  cs_host_debugger_leave_to_kernel(state_of(ring) == CS_STOP_WAITING + record);
}

void cs_host_stop_end(void) {
  cs_host_debugger_leave_to_kernel(0);
}

void cs_host_stop_answer(struct cs_ring *ring, cs_u32 reported) {
  cs_u32 state = state_of(ring);
  if (state < CS_STOP_WAITING || state - CS_STOP_WAITING >= reported)
    return;
  __atomic_store_n(&ring->stop_from, reported, __ATOMIC_RELEASE);
  if (cs_host_debugger_left_to_kernel())
    __atomic_store_n(&ring->stop, CS_STOP_NOW, __ATOMIC_RELEASE);
  else
    cs_host_stop_arm(ring);
}
