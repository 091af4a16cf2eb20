/* launch.c: the special registers, computed from the thread's position in the range and from the launch block. */
#include "support.h"

static inline u32 group_id(void) {
  return (u32)_Z12get_group_idj(0);
}

u32 __cr_ntid_x(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, block[0]));
}
u32 __cr_ntid_y(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, block[1]));
}
u32 __cr_ntid_z(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, block[2]));
}
u32 __cr_nctaid_x(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, grid[0]));
}
u32 __cr_nctaid_y(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, grid[1]));
}
u32 __cr_nctaid_z(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, grid[2]));
}

u32 __cr_tid_x(void) {
  return __cr_tid(0);
}
u32 __cr_tid_y(void) {
  return __cr_tid(1);
}
u32 __cr_tid_z(void) {
  return __cr_tid(2);
}
u32 __cr_ctaid_x(void) {
  return group_id() % __cr_nctaid_x();
}
u32 __cr_ctaid_y(void) {
  return group_id() / __cr_nctaid_x() % __cr_nctaid_y();
}
u32 __cr_ctaid_z(void) {
  return group_id() / (__cr_nctaid_x() * __cr_nctaid_y());
}

/* threadIdx.x in the version of a kernel for one-dimensional blocks. */
u32 __cr_tid_linear(void) {
  return (u32)_Z12get_local_idj(0);
}

u32 __cr_laneid(void) {
  return __cr_local_id() & 31;
}
u32 __cr_warpid(void) {
  return __cr_local_id() >> 5;
}
u32 __cr_nwarpid(void) {
  return (__cr_ntid_x() * __cr_ntid_y() * __cr_ntid_z() + 31) >> 5;
}
u32 __cr_lanemask_eq(void) {
  return 1u << __cr_laneid();
}
u32 __cr_lanemask_lt(void) {
  return (1u << __cr_laneid()) - 1;
}
u32 __cr_lanemask_le(void) {
  return (2u << __cr_laneid()) - 1;
}
u32 __cr_lanemask_gt(void) {
  return ~__cr_lanemask_le();
}
u32 __cr_lanemask_ge(void) {
  return ~__cr_lanemask_lt();
}
u32 __cr_dynamic_shared(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, dynamic_shared));
}
u32 __cr_gridid(void) {
  return __cr_launch_u32(offsetof(struct cs_launch, number));
}
u32 __cr_zero(void) {
  return 0;
}
u32 __cr_zero_of(char *p) {
  (void)p;
  return 0;
}
u32 __cr_one(void) {
  return 1;
}
u32 __cr_warpsize(void) {
  return 32;
}
_Bool __cr_false(void) {
  return 0;
}
u32 __cr_clock(void) {
  return (u32)_Z17clock_read_devicev();
}
u32 __cr_clock_hi(void) {
  return (u32)(_Z17clock_read_devicev() >> 32);
}
u64 __cr_clock64(void) {
  return _Z17clock_read_devicev();
}
void __cr_nothing(void) {}
void __cr_nothing_u32(u32 x) {
  (void)x;
}
void __cr_fence(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __cr_syncwarp(u32 mask) {
  (void)mask; /* a warp's lanes run in lock step: the barrier covers the sub-group, the fence orders their accesses */
  _Z17sub_group_barrierj(3);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
_Bool __cr_isspacep_shared(char *p) {
  return __cr_in_shared(p) != 0;
}

/* --- Kernels that synchronise their grid: see struct cs_grid --- */

static inline struct cs_grid *grid(void) {
  return (struct cs_grid *)((struct cs_launch *)__cr_block())->phases;
}

/* The address of the grid's workspace; 0 unless the launch is cooperative. */
static inline u64 workspace(void) {
  struct cs_grid *g = grid();
  return g && g->cooperative ? (u64)g->workspace : 0;
}
u32 __cr_envreg1(void) {
  return (u32)(workspace() >> 32);
}
u32 __cr_envreg2(void) {
  return (u32)workspace();
}

char *__cr_grid_frame(void) {
  u64 threads = (u64)__cr_ntid_x() * __cr_ntid_y() * __cr_ntid_z();
  return (char *)(grid()->frames + (group_id() * threads + __cr_local_id()) * grid()->frame_bytes);
}
/* 1 if the address is in the thread's frame. */
u32 __cr_in_frame(u64 address) {
  return grid() && address - (u64)__cr_grid_frame() < grid()->frame_bytes;
}
char *__cr_grid_shared(void) {
  return (char *)(grid()->shared + (u64)group_id() * grid()->shared_bytes);
}
void __cr_grid_wait(u32 alive) {
  __atomic_fetch_add(&grid()->waiting, alive, __ATOMIC_SEQ_CST);
}
