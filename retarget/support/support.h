/* support.h: what the support library builds on: the engine's built-in functions by their mangled OpenCL names, and the
 * primitives that retarget/ replaces in every kernel.
 *
 * The library is CUDA device code in C: compiled for NVPTX, linked into the user's module before the lowering to
 * SPIR-V, and inlined. intrinsics.inc maps intrinsics to these functions. */
#ifndef CUSAFE_RETARGET_SUPPORT_H
#define CUSAFE_RETARGET_SUPPORT_H

#include "cusafe/image.h"
#include <stddef.h>

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned u32;
typedef long long s64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef _Float16 f16;

#define PURE __attribute__((const, nothrow))
#define CONVERGENT __attribute__((convergent, nothrow))
/* Stays a call: the engine then runs it lane by lane, so that a retry loop cannot block a whole sub-group. */
#define PER_LANE __attribute__((noinline, cold))

/* Primitives: see launch.c. */
PURE u32 __cr_local_id(void);                            /* the thread's number in its block */
PURE u32 __cr_tid(u32 dimension);                        /* threadIdx */
PURE u32 __cr_launch_u32(u32 offset);                    /* a 32-bit field of struct cs_launch */
PURE char *__cr_block(void);                             /* struct cs_launch */
PURE char *__cr_dynamic(void);                           /* dynamic shared memory */
PURE u32 __cr_in_shared(char *);                         /* 1 when the address is in the block's shared memory */
PURE u32 __cr_in_local(char *);                          /* 1 when it is a variable on the thread's stack */
__attribute__((noreturn, nothrow)) void __cr_exit(void); /* ends the thread */
CONVERGENT void __cr_yield(void);                        /* lets the other threads of the block run (barriers.c) */
CONVERGENT void __cr_moves(void);                        /* the thread has not only waited since it continued */
CONVERGENT u32 __cr_awaited(u32 passed); /* its argument: whether other threads have done what a wait is for */
CONVERGENT void __cr_pause(void);        /* the same, for a lane that waits for others of its warp */

/* threadIdx and blockIdx (launch.c). */
u32 __cr_tid_x(void);
u32 __cr_tid_y(void);
u32 __cr_tid_z(void);
u32 __cr_ctaid_x(void);
u32 __cr_ctaid_y(void);
u32 __cr_ctaid_z(void);

/* The engine. */
PURE u64 _Z12get_local_idj(u32 dimension);
PURE u64 _Z12get_group_idj(u32 dimension);
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
CONVERGENT u32x4 _Z16sub_group_balloti(s32 predicate);
CONVERGENT void _Z17sub_group_barrierj(u32 fence);
CONVERGENT u32 _Z17sub_group_shufflejj(u32 value, u32 lane);
u64 _Z17clock_read_devicev(void);

static inline u32 bits_f(f32 x) {
  return __builtin_bit_cast(u32, x);
}
static inline f32 float_of(u32 x) {
  return __builtin_bit_cast(f32, x);
}
static inline u64 bits_d(f64 x) {
  return __builtin_bit_cast(u64, x);
}
static inline f64 double_of(u64 x) {
  return __builtin_bit_cast(f64, x);
}
/* .relu: a NaN stays one. */
static inline f32 relu(f32 x) {
  return x > 0 || x != x ? x : 0;
}
/* Subnormal numbers become zeros of the same sign. */
static inline f32 flush(f32 x) {
  return (bits_f(x) & 0x7f800000u) ? x : float_of(bits_f(x) & 0x80000000u);
}

#endif
