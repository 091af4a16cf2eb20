/* walk.c: walks over simple frames, and caches their layout by return address. */
#include "host/stacks/walk.h"
#include "host/stacks/cfi.h"
#include <pthread.h>

#if defined(__x86_64__)
/* A cached frame is one cs_u64, so that threads need no lock: the address's upper bits (the lower ones are the index in
 * the table), then the fields of struct cs_host_cfi in units of 8 bytes. */
enum { INDEX_BITS = 13, KIND_BITS = 2, SIZE_BITS = 20, SAVED_BITS = 8 };
#define ADDRESS_SHIFT (KIND_BITS + SIZE_BITS + SAVED_BITS)
_Static_assert(CS_ADDRESS_BITS - INDEX_BITS + ADDRESS_SHIFT <= 64, "a frame fits a cs_u64");

static cs_u64 table[1 << INDEX_BITS];

static cs_u64 pack(cs_u64 pc, struct cs_host_cfi frame) {
  cs_u64 size = frame.size / 8, saved = frame.saved_bp / 8;
  if (size >> SIZE_BITS || saved >> SAVED_BITS)
    frame.kind = CS_HOST_CFI_OTHER, size = saved = 0;
  return pc >> INDEX_BITS << ADDRESS_SHIFT | (saved << SIZE_BITS | size) << KIND_BITS | frame.kind;
}

/* Whether a library has been unloaded since the last call; if so, clears the table. */
static int was_unloaded(cs_u64 unloaded) {
  static cs_u64 known;
  if (__atomic_exchange_n(&known, unloaded, __ATOMIC_RELAXED) == unloaded)
    return 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    __atomic_store_n(&table[i], 0, __ATOMIC_RELAXED);
  return 1;
}

/* A library that replaces another one has new return addresses, so the first walk through it gets here. It may have
 * used stale frames of the old library before: that walk fails. */
static __attribute__((noinline, cold)) cs_u64 learn(cs_u64 *slot, cs_u64 pc) {
  cs_u64 unloaded;
  if (pc >> CS_ADDRESS_BITS)
    return CS_HOST_CFI_OTHER;
  cs_u64 frame = pack(pc, cs_host_cfi_at(pc - 1, &unloaded));
  if (was_unloaded(unloaded))
    return CS_HOST_CFI_OTHER;
  __atomic_store_n(slot, frame, __ATOMIC_RELAXED);
  return frame;
}

static inline cs_u64 frame_of(cs_u64 pc) {
  cs_u64 *slot = &table[pc & ((1u << INDEX_BITS) - 1)], frame = __atomic_load_n(slot, __ATOMIC_RELAXED);
  return frame >> ADDRESS_SHIFT == pc >> INDEX_BITS ? frame : learn(slot, pc);
}

static inline int is_simple(cs_u64 frame) {
  return (frame & CS_HOST_CFI_FROM_SP & CS_HOST_CFI_FROM_BP) != 0;
}
static inline int is_from_bp(cs_u64 frame) {
  return frame & 1;
}
_Static_assert(CS_HOST_CFI_FROM_SP == 2 && CS_HOST_CFI_FROM_BP == 3,
               "bit 0 distinguishes them, bit 1 separates them from the others");

static inline cs_u64 size_of(cs_u64 frame) {
  return (frame >> KIND_BITS & ((1u << SIZE_BITS) - 1)) * 8;
}
static inline cs_u64 saved_bp_of(cs_u64 frame) {
  return (frame >> (KIND_BITS + SIZE_BITS) & ((1u << SAVED_BITS) - 1)) * 8;
}

/* The thread's own stack. Code on another stack, as in a coroutine, is left to libunwind. */
static _Thread_local cs_u64 stack_start __attribute__((tls_model("initial-exec")));
static _Thread_local cs_u64 stack_end __attribute__((tls_model("initial-exec")));

static __attribute__((noinline, cold)) void find_stack(void) {
  pthread_attr_t attributes;
  void *start;
  size_t bytes;
  stack_end = 1; /* queried, but unknown */
  if (pthread_getattr_np(pthread_self(), &attributes))
    return;
  if (pthread_attr_getstack(&attributes, &start, &bytes) == 0) {
    stack_start = (cs_u64)start;
    stack_end = (cs_u64)start + bytes;
  }
  pthread_attr_destroy(&attributes);
}

static inline int is_on_stack(cs_u64 sp) {
  if (!stack_end)
    find_stack();
  return sp >= stack_start && sp < stack_end;
}

/* With wrong unwind tables the base pointer can be anything: the caller's frame must be above this one, aligned and on
 * the stack. */
static inline int is_above(cs_u64 sp, cs_u64 caller) {
  return caller > sp && caller <= stack_end && (caller & 7) == 0;
}

/* The walk reads the stack outside of variables, which AddressSanitizer would report. */
#define READS_FRAMES __attribute__((no_sanitize("address")))

typedef const volatile cs_u64 __attribute__((may_alias)) stack_value;
READS_FRAMES static inline cs_u64 value_at(cs_u64 address) {
  return *(stack_value *)address;
}

READS_FRAMES __attribute__((noinline)) size_t cs_host_walk(void **pcs, size_t max, struct cs_host_text stop) {
  cs_u64 pc, sp, bp;
  __asm__ volatile("movq %%rbp, %2\n\tmovq %%rsp, %1\n\tleaq 0f(%%rip), %0\n0:" : "=r"(pc), "=r"(sp), "=r"(bp));
  if (!is_on_stack(sp))
    return 0;
  for (size_t count = 0; count < max; count++) {
    cs_u64 frame = frame_of(pc);
    if (!is_simple(frame))
      return (frame & 1) == CS_HOST_CFI_END ? count : 0;
    cs_u64 caller = (is_from_bp(frame) ? bp : sp) + size_of(frame), saved = saved_bp_of(frame);
    if (!is_above(sp, caller))
      return 0;
    pc = value_at(caller - 8);
    bp = saved ? value_at(caller - saved) : bp;
    sp = caller;
    if (cs_host_text_has(stop, pc))
      return count;
    pcs[count] = (void *)pc;
  }
  return max;
}

#else
size_t cs_host_walk(void **pcs, size_t max, struct cs_host_text stop) {
  (void)pcs, (void)max, (void)stop;
  return 0;
}
#endif
