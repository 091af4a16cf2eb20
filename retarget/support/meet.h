/* meet.h: warp operations of lanes that do not run in lock step.
 *
 * The threads of a kernel that waits (barriers.c) run one after the other, each from one wait to the next. A warp
 * operation is then a meeting: a lane writes its part to its record and pauses until all lanes of the mask that have
 * not returned have come. The lane that finds them all there writes everyone's result. Nothing here is atomic: one
 * thread of the engine runs the whole block.
 *
 * Without a mask (__activemask, and the operations before sm_70) the lanes that pause at the same place of the code
 * meet. */
#ifndef CUSAFE_RETARGET_MEET_H
#define CUSAFE_RETARGET_MEET_H

#include "support.h"

u32 __cr_laneid(void);

/* REDUX(name, type, start, expression) */
#define REDUX_OPERATIONS(REDUX)                                                                                        \
  REDUX(add, u32, 0, a + b)                                                                                            \
  REDUX(and, u32, ~0u, a &b)                                                                                           \
  REDUX(or, u32, 0, a | b)                                                                                             \
  REDUX(xor, u32, 0, a ^ b)                                                                                            \
  REDUX(umin, u32, ~0u, b < a ? b : a)                                                                                 \
  REDUX(umax, u32, 0, b > a ? b : a)                                                                                   \
  REDUX(min, s32, 0x7fffffff, b < a ? b : a)                                                                           \
  REDUX(max, s32, -0x7fffffff - 1, b > a ? b : a)

#ifdef CR_APART
#define WARP(name) __cr_apart_##name
#define MEET_REDUX(name, type, start, expression) MEET_REDUX_##name,
enum meeting { MEET_SYNC, MEET_BALLOT, MEET_SHUFFLE, MEET_MATCH, REDUX_OPERATIONS(MEET_REDUX) MEET_KINDS };
u64 __cr_meet(u32 mask, u32 kind, u64 value, u32 source);
CONVERGENT u32 __cr_site(void); /* a number for each call of a kernel (barriers.c) */
static inline u64 meet(u32 mask, enum meeting kind, u64 value, u32 source) {
  return __cr_meet(mask, mask ? kind : kind + MEET_KINDS * (1 + __cr_site()), value, source);
}
#else
#define WARP(name) __cr_##name
#endif

#endif
