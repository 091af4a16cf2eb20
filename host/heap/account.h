/* account.h: the bytes that the buffers of a memory pool use, and the most that they may use.
 *
 * A buffer carries its account's number as the flags of its call (buffer.h); 0 means none. A buffer whose free has
 * begun is not in use: the memory is there for what is submitted to the stream afterwards. */
#ifndef CUSAFE_HOST_HEAP_ACCOUNT_H
#define CUSAFE_HOST_HEAP_ACCOUNT_H

#include "host/heap/buffer.h"

struct cs_host_account {
  cs_u64 used, used_high, reserved_high;
  cs_u64 limit; /* 0: none */
  int open;
};

/* With the lock of heaps. */
cs_u32 cs_host_account_of(cs_u32 call);
/* Returns 0, or -1 if the bytes would exceed the limit. Then either raise, or give back. */
int cs_host_account_take(cs_u32 number, cs_u64 bytes);
void cs_host_account_raise(cs_u32 number);
void cs_host_account_give(cs_u32 number, cs_u64 bytes);
/* A buffer whose free had begun is in use again. */
void cs_host_account_restore(cs_u32 number, cs_u64 bytes);

/* Without the lock. The number of a new account, or 0 if all are in use. */
cs_u32 cs_host_account_open(cs_u64 limit);
/* No more buffers; those that there are keep the number. */
void cs_host_account_close(cs_u32 number);
struct cs_host_account cs_host_account_read(cs_u32 number);
/* The maximum of the bytes in use, or else of those reserved, begins again with those in use now. */
void cs_host_account_reset_high(cs_u32 number, int used);

#endif
