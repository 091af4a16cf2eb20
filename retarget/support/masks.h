/* masks.h: the masks of warp operations: what a block keeps to check them (masks.c). lower/masks.c makes a shared
 * variable of this size. */
#ifndef CUSAFE_RETARGET_SUPPORT_MASKS_H
#define CUSAFE_RETARGET_SUPPORT_MASKS_H

#include "cusafe/image.h"

/* A warp operation, in 32 bits: its site, and its kind: lanes meet in operations of one kind. */
#define CS_RT_MASK_KIND_BITS 5
#define CS_RT_MASK_SITE_MAX 0x7ffffffu
#define CS_RT_MASK_NOWHERE 0xffffffffu

enum { CS_RT_MASK_WARPS = 32, CS_RT_MASK_LANES = 32, CS_RT_MASK_THREADS = 1024, CS_RT_MASK_OPEN = 8 };

/* An operation that lanes of its mask have not come to. */
struct cs_rt_open {
  cs_u32 mask, came;
  cs_u32 what, thread; /* the first that came */
  cs_u32 epoch;
};
struct cs_rt_masked_warp {
  cs_u32 count;
  cs_u32 lost; /* 1 plus the epoch in which nothing more is checked; 0: none */
  struct cs_rt_open open[CS_RT_MASK_OPEN];
};
struct cs_rt_masks {
  cs_u64 state, counts, status; /* addresses: struct cs_state, cs_fault_counts[], the launch's status or 0 */
  cs_u32 shape, x, yz;          /* struct block */
  cs_u32 threads;
  /* Twice the barriers of the block that the thread has passed, which is its epoch; odd while it waits at one. */
  cs_u32 passed[CS_RT_MASK_THREADS];
  cs_u32 waits_at[CS_RT_MASK_THREADS]; /* the site of that barrier, or CS_RT_MASK_NOWHERE */
  cs_u32 mask[CS_RT_MASK_THREADS];     /* of the operation that the lane executes, if masks may differ there */
  struct cs_rt_masked_warp warps[CS_RT_MASK_WARPS];
};

#ifdef CR_APART
/* For lanes that meet in memory: the mask lacks the lane, or names `other`, which never comes. */
void __cr_masks_lack(__attribute__((address_space(3))) struct cs_rt_masks *m, cs_u32 mask, cs_u32 what, cs_u32 thread);
void __cr_masks_never(__attribute__((address_space(3))) struct cs_rt_masks *m, cs_u32 mask, cs_u32 came, cs_u32 what,
                      cs_u32 thread, cs_u32 other, cs_u32 other_what);
#endif

#endif
