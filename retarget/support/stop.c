/* stop.c: stops a thread for a debugger at the error that it has just recorded (cusafe/abi.h, enum cs_stop). */
#include "cusafe/abi.h"
#include "support.h"

void __cr_breakpoint(void); /* a machine instruction: retarget/lower/stops.c */

static u32 is_mine(const struct cs_record *record, u32 site) {
  return *(const volatile u32 *)&record->ready && record->site == site && record->block[0] == __cr_ctaid_x() &&
         record->block[1] == __cr_ctaid_y() && record->block[2] == __cr_ctaid_z() &&
         record->thread[0] == __cr_tid_x() && record->thread[1] == __cr_tid_y() && record->thread[2] == __cr_tid_z();
}

/* The index of this thread's record that is not reported yet; none: ~0. */
static u32 find(const struct cs_ring *ring, u32 site) {
  const struct cs_record *records = (const struct cs_record *)(ring + 1);
  u32 head = *(const volatile u32 *)&ring->head;
  for (u32 i = *(const volatile u32 *)&ring->stop_from; i < head && i < ring->capacity; i++)
    if (is_mine(&records[i], site))
      return i;
  return ~0u;
}

/* 1 when the thread has to stop. It waits for the host, which decides whether its finding counts, and prints the report
 * first. */
PER_LANE u32 __cr_stop_asked(const struct cs_state *state, u32 site) {
  struct cs_ring *ring = (struct cs_ring *)state->ring;
  if (ring == 0 || *(volatile u32 *)&ring->stop != CS_STOP_ARMED)
    return 0;
  u32 number = find(ring, site), armed = CS_STOP_ARMED, waiting = CS_STOP_WAITING + number;
  if (number == ~0u ||
      !__atomic_compare_exchange_n(&ring->stop, &armed, waiting, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return 0;
  u32 answer;
  do
    answer = *(volatile u32 *)&ring->stop;
  while (answer == waiting);
  return answer == CS_STOP_NOW;
}

PER_LANE void __cr_stop_over(const struct cs_state *state) {
  *(volatile u32 *)&((struct cs_ring *)state->ring)->stop = CS_STOP_OFF;
}

/* Inlined, so that the debugger stops in the kernel. */
void __cr_stop(const struct cs_state *state, u32 site) {
  if (__cr_stop_asked(state, site)) {
    __cr_breakpoint();
    __cr_stop_over(state);
  }
}
