/* canary.h: secret bytes in the slack next to buffers, which show whether code without checks has written there.
 *
 * A buffer is smaller than its window, and nothing may write to the rest of the window. The first bytes past the
 * buffer, and the last of the window, which precede the next buffer, get bytes that only this process knows. They are
 * written before the first launch of a kernel without checks that follows the allocation, so a program whose kernels
 * all have checks pays nothing. Any thread. */
#ifndef CUSAFE_HOST_MODULES_CANARY_H
#define CUSAFE_HOST_MODULES_CANARY_H

#include "host/modules/kernel.h"

enum cs_host_canary_mode { CS_HOST_CANARIES_OFF, CS_HOST_CANARIES_FREE, CS_HOST_CANARIES_LAUNCH };
enum cs_host_canary_mode cs_host_canary_mode(void); /* of the option canaries */

/* A buffer was allocated. Cheap before the first launch of a kernel without checks. */
void cs_host_canary_allocated(cs_u64 start);
/* A kernel without checks is about to be launched: all live buffers get their bytes. */
void cs_host_canaries_arm(void);
/* The launch has this address as an argument. */
void cs_host_canary_reached(cs_u64 address, const char *kernel, const struct cs_host_launch_note *note);

/* Inspect the bytes: next to the buffer of this address; next to a buffer that is about to be freed; next to all
 * buffers. No kernel may be writing to the buffer. What has changed is kept for cs_host_canary_take(), and each change
 * once. The current context reads. */
void cs_host_canary_look(cs_u64 address, const char *call, cs_u32 stack);
void cs_host_canary_freeing(cs_u64 start, const char *call, cs_u32 stack);
void cs_host_canaries_look(const char *call, cs_u32 stack);
/* Whether there are any bytes to inspect. */
int cs_host_canaries_exist(void);

/* The heap has freed buffers on its own, with their device's last context. */
void cs_host_canaries_forget_freed(void);

struct cs_host_canary_error {
  cs_u64 start;          /* of the buffer */
  cs_u64 address, bytes; /* from the first to the last byte that has changed */
  const char *call;      /* that inspected them; NULL: the end of the process */
  cs_u32 stack;          /* of that call */
  cs_u64 launches;    /* of kernels without checks with the buffer as an argument, since the bytes were last intact */
  const char *kernel; /* mangled, of the last of these; or NULL */
  struct cs_host_launch_note note;
};
/* The next change that was found. Returns 0, or -1 if there is none. */
int cs_host_canary_take(struct cs_host_canary_error *error);

#endif
