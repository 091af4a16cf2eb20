/* record.h: the records of errors that the support library finds: barriers, deadlocks, masks. */
#ifndef CUSAFE_RETARGET_SUPPORT_RECORD_H
#define CUSAFE_RETARGET_SUPPORT_RECORD_H

#include "cusafe/abi.h"
#include "support.h"

/* What primitives give: a function that stays a call does not have them. */
struct block {
  u32 shape; /* the block's width and height, 16 bits each */
  u32 x, yz; /* its index */
};
#define THIS_BLOCK (__cr_ntid_x() | __cr_ntid_y() << 16), __cr_ctaid_x(), (__cr_ctaid_y() | __cr_ctaid_z() << 16)

u32 __cr_ntid_x(void);
u32 __cr_ntid_y(void);
u32 __cr_ntid_z(void);

static inline void record_thread(u32 *index, u32 thread, u32 shape) {
  u32 x = shape & 0xffff, y = shape >> 16;
  index[0] = thread % x;
  index[1] = thread / x % y;
  index[2] = thread / x / y;
}

/* Counts the error. Returns a record for the first of this kind at the site, and 0 otherwise. */
static inline struct cs_record *record_begin(const struct cs_state *state, cs_fault_counts *counts, u32 site, u32 fault,
                                             u32 thread, struct block block) {
  struct cs_ring *ring = (struct cs_ring *)state->ring;
  u32 before = __atomic_fetch_add(&counts[site][fault], 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&ring->errors, 1, __ATOMIC_SEQ_CST);
  u32 index = before == 0 ? __atomic_fetch_add(&ring->head, 1, __ATOMIC_SEQ_CST) : ~0u;
  if (index >= ring->capacity)
    return 0;
  struct cs_record *record = (struct cs_record *)(ring + 1) + index;
  record->address = record->root = record->word = record->size = record->start = record->bytes = 0;
  record->site = site;
  record->module = state->module;
  record->fault = fault;
  record->other_site = CS_NONE;
  record->block[0] = record->other_block[0] = block.x;
  record->block[1] = record->other_block[1] = block.yz & 0xffff;
  record->block[2] = record->other_block[2] = block.yz >> 16;
  record_thread(record->thread, thread, block.shape);
  record_thread(record->other_thread, thread, block.shape);
  return record;
}

/* record: complete, or 0. A host that has seen the bell sees the error. */
static inline void record_end(const struct cs_state *state, struct cs_record *record) {
  if (record) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    *(volatile u32 *)&record->ready = 1;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_fetch_add((u64 *)((struct cs_ring *)state->ring)->bell, 1, __ATOMIC_SEQ_CST);
}

/* The launch with this status (struct cs_launch) fails with the error, unless it already has. */
static inline void fail(u64 status, u32 error) {
  u32 *to = (u32 *)status, none = 0;
  if (to)
    __atomic_compare_exchange_n(to, &none, error, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static inline void fail_launch(u32 error) {
  fail(((struct cs_launch *)__cr_block())->status, error);
}

#endif
