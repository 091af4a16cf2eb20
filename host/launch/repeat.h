/* repeat.h: launches that are not sampled and repeat an earlier one of their thread: the same kernel, grid, block,
 * dynamic shared memory and stream. The wrapper of the call (hooks/repeat.h) launches the form without checks at once:
 * it takes no lock, records no stack and asks the driver nothing. The other launches add what can be repeated.
 *
 * What makes a launch need more is a change (base/changes.h); then it takes the long way once. Not repeated are
 * launches while a stream is captured, in processes with several contexts, while the program selects launches or stops
 * checks, while stream-ordered memory is tracked, and with the option check_arguments. */
#ifndef CUSAFE_HOST_LAUNCH_REPEAT_H
#define CUSAFE_HOST_LAUNCH_REPEAT_H

#include "host/launch/launch.h"

/* A launch, in the types of the call. */
struct cs_host_repeat {
  CUfunction function, bare;
  CUstream stream; /* as the call names it */
  cs_u64 changes;  /* when it was noted; 0: never */
  cs_u32 grid[3], block[3], dynamic;
  char to_two_lines[128 - 32 - 28]; /* of the cache: a slot is found by shifts */
};

enum { CS_HOST_REPEATS = 64 }; /* a slot has one launch */
struct cs_host_repeats {
  struct cs_host_repeat of[2][CS_HOST_REPEATS]; /* [1]: of calls whose stream 0 is the thread's */
};

/* Of a thread. */
struct cs_host_repeating {
  struct cs_host_repeats *repeats; /* never NULL */
  cs_u64 left;                     /* as many of its next launches are not sampled; valid until a change */
};
extern _Thread_local struct cs_host_repeating cs_host_repeating
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline struct cs_host_repeat *cs_host_repeat_slot(int is_per_thread, CUfunction function, cs_u64 width) {
  _Static_assert(sizeof(struct cs_host_repeat) == 128, "as the offset below");
  cs_u64 offset =
      ((cs_u64)function + width * 16) * (sizeof(struct cs_host_repeat) / 16) % sizeof cs_host_repeating.repeats->of[0];
  return (struct cs_host_repeat *)((char *)cs_host_repeating.repeats->of[is_per_thread != 0] +
                                   offset / sizeof(struct cs_host_repeat) * sizeof(struct cs_host_repeat));
}

/* For a launch that took the long way, inside CuSafe: notes it again if only work has ended since. The form to launch,
 * or NULL. launch->stream may differ from what the call names. */
CUfunction cs_host_repeat_again(int is_per_thread, const struct cs_host_launch *launch, CUstream named);
/* The launch has chosen this form. before: cs_host_changes_now() before it did anything else. */
void cs_host_repeat_add(int is_per_thread, const struct cs_host_launch *launch, CUstream named, CUfunction bare,
                        cs_u64 before);

/* Around the captures of streams: before one begins, and once it has ended or has not begun. */
void cs_host_repeat_capturing(void);
void cs_host_repeat_captured(void);
/* The program makes calls that CuSafe does not know: captures may begin unseen. */
void cs_host_repeat_never(void);

#endif
