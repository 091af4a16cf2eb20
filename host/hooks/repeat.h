/* repeat.h: what the wrappers of launches do first (launch/repeat.h). Each instruction counts: tests/fleet/instructions
 * limits their number. */
#ifndef CUSAFE_HOST_HOOKS_REPEAT_H
#define CUSAFE_HOST_HOOKS_REPEAT_H

#include "host/base/changes.h"
#include "host/base/inside.h"
#include "host/launch/repeat.h"
#include "host/modules/kernel.h"

/* Counts the launch. Whether its form is r->bare; otherwise it takes the long way. */
static inline __attribute__((always_inline)) int cs_host_repeat_begin(const struct cs_host_repeat *r) {
  __atomic_fetch_add(&cs_host_kernel_counts.begun, 1, __ATOMIC_SEQ_CST);
  cs_u64 now = cs_host_changes_now(); /* after it is counted */
  if (__builtin_expect(r->changes != now, 0)) {
    __atomic_fetch_sub(&cs_host_kernel_counts.begun, 1, __ATOMIC_SEQ_CST);
    return 0;
  }
  cs_host_repeating.left--;
  cs_host_inside_enter();
  return 1;
}

static inline __attribute__((always_inline)) void cs_host_repeat_end(const char *call, CUresult result) {
  __atomic_fetch_add(&cs_host_kernel_counts.queued, 1, __ATOMIC_SEQ_CST);
  cs_host_owes_nothing(call, result != CUDA_SUCCESS);
  cs_host_inside_leave();
}

CUresult cs_host_repeat_failed(CUresult result, const char *call);

/* The exported wrappers. long_way: a function with the rest of the call; per_thread: 0 or 1. No sibling calls: those
 * would have all arguments on the stack copied first. Those arguments that are compared are volatile, so that they stay
 * on the stack, and the wrapper saves no registers for them. */
#ifdef __clang__
#define CS_HOST_REPEAT_CALLS disable_tail_calls
#else
#define CS_HOST_REPEAT_CALLS optimize("no-optimize-sibling-calls")
#endif
#define CS_HOST_REPEAT_WRAPPER __attribute__((visibility("default"), CS_HOST_REPEAT_CALLS)) CUresult CUDAAPI

#define CS_HOST_REPEAT_LaunchKernel(call, per_thread, long_way)                                                        \
  CS_HOST_REPEAT_WRAPPER call(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,    \
                              volatile unsigned bz, volatile unsigned shared, CUstream volatile stream,                \
                              void **parameters, void **extra) {                                                       \
    const struct cs_host_repeat *r = cs_host_repeat_slot(per_thread, function, gx);                                    \
    if (__builtin_expect(r->function != function || r->grid[0] != gx || r->grid[1] != gy || r->grid[2] != gz ||        \
                             r->block[0] != bx || r->block[1] != by || r->block[2] != bz || r->dynamic != shared ||    \
                             r->stream != stream || !cs_host_repeating.left || cs_host_inside() ||                     \
                             !cs_host_repeat_begin(r),                                                                 \
                         0))                                                                                           \
      return long_way(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);                            \
    CUresult result =                                                                                                  \
        cs_host_found_driver.call(r->bare, gx, gy, gz, bx, by, r->block[2], r->dynamic, r->stream, parameters, extra); \
    cs_host_repeat_end(#call, result);                                                                                 \
    return __builtin_expect(result != CUDA_SUCCESS, 0) ? cs_host_repeat_failed(result, #call) : result;                \
  }

#define CS_HOST_REPEAT_LaunchKernelEx(call, per_thread, long_way)                                                      \
  CS_HOST_REPEAT_WRAPPER call(const CUlaunchConfig *c, CUfunction function, void **parameters, void **extra) {         \
    const struct cs_host_repeat *r = c ? cs_host_repeat_slot(per_thread, function, c->gridDimX) : NULL;                \
    if (__builtin_expect(!r || r->function != function || r->grid[0] != c->gridDimX || r->grid[1] != c->gridDimY ||    \
                             r->grid[2] != c->gridDimZ || r->block[0] != c->blockDimX ||                               \
                             r->block[1] != c->blockDimY || r->block[2] != c->blockDimZ ||                             \
                             r->dynamic != c->sharedMemBytes || r->stream != c->hStream || !cs_host_repeating.left ||  \
                             cs_host_inside() || !cs_host_repeat_begin(r),                                             \
                         0))                                                                                           \
      return long_way(c, function, parameters, extra);                                                                 \
    CUresult result = cs_host_found_driver.call(c, r->bare, parameters, extra);                                        \
    cs_host_repeat_end(#call, result);                                                                                 \
    return __builtin_expect(result != CUDA_SUCCESS, 0) ? cs_host_repeat_failed(result, #call) : result;                \
  }

#endif
