/* mbarriers.h: what a block keeps to check operations on mbarriers (mbarriers.c). lower/mbarriers.c makes a shared
 * variable of this size. */
#ifndef CUSAFE_RETARGET_SUPPORT_MBARRIERS_H
#define CUSAFE_RETARGET_SUPPORT_MBARRIERS_H

#include "cusafe/image.h"

/* An operation, in 32 bits: its site, and its kind. */
#define CS_RT_MBARRIER_KIND_BITS 3
#define CS_RT_MBARRIER_SITE_MAX 0x1fffffff
enum cs_rt_mbarrier_kind {
  CS_RT_MBARRIER_INIT,
  CS_RT_MBARRIER_INVAL,
  CS_RT_MBARRIER_CHANGE,
  CS_RT_MBARRIER_SOME, /* arrivals that do not complete the phase: another follows */
  CS_RT_MBARRIER_WAIT
};

enum { CS_RT_MBARRIERS_MAX = 64, CS_RT_MBARRIER_THREADS = 1024 };

enum cs_rt_mbarrier_state {
  CS_RT_MBARRIER_VALID,
  CS_RT_MBARRIER_INVALID,
  CS_RT_MBARRIER_REPORTED /* its first error explains those that follow */
};
struct cs_rt_mbarrier {
  cs_u64 object;             /* its address */
  cs_u64 word;               /* after the last operation */
  cs_u32 state;              /* enum cs_rt_mbarrier_state */
  cs_u32 number;             /* of the initialisation, in the block; 0: all threads may use it */
  cs_u32 init_site, init_by; /* the thread */
  cs_u32 last_site, last_by;
};
struct cs_rt_mbarriers {
  cs_u64 state, counts, status; /* addresses: struct cs_state, cs_fault_counts[], the launch's status or 0 */
  cs_u32 shape, x, yz;          /* struct block */
  cs_u32 launch, group;         /* whose block the rest is of */
  cs_u32 count, is_full;
  cs_u32 inits;                        /* so far */
  cs_u32 seen[CS_RT_MBARRIER_THREADS]; /* those of them that the thread may have learnt of */
  struct cs_rt_mbarrier objects[CS_RT_MBARRIERS_MAX];
};

#endif
