/* walk.c: walks over simple frames and remembers, by return address, how. */
#include "host/walk.h"
#include "host/cfi.h"

#if defined(__x86_64__)
/* A remembered frame is one word, so that threads need no lock: the address's upper bits (the lower ones say where in the table),
 * then the fields of struct cs_cfi in words of 8 bytes. A library that is unloaded is not forgotten; libunwind does not either. */
enum { INDEX_BITS = 13, KIND_BITS = 2, SIZE_BITS = 20, SAVED_BITS = 8 };
#define ADDRESS_SHIFT (KIND_BITS + SIZE_BITS + SAVED_BITS)
_Static_assert(CS_ADDRESS_BITS - INDEX_BITS + ADDRESS_SHIFT <= 64, "one word");

static cs_u64 table[1 << INDEX_BITS];

static cs_u64 pack(cs_u64 pc, struct cs_cfi frame) {
  cs_u64 size = frame.size / 8, saved = frame.saved_bp / 8;
  if (size >> SIZE_BITS || saved >> SAVED_BITS)
    frame.kind = CS_CFI_OTHER, size = saved = 0;
  return pc >> INDEX_BITS << ADDRESS_SHIFT | (saved << SIZE_BITS | size) << KIND_BITS | frame.kind;
}

static cs_u64 learn(cs_u64 *place, cs_u64 pc) {
  cs_u64 frame = pack(pc, cs_cfi_at(pc - 1));
  __atomic_store_n(place, frame, __ATOMIC_RELAXED);
  return frame;
}

static inline cs_u64 frame_of(cs_u64 pc) {
  cs_u64 *place = &table[pc & ((1u << INDEX_BITS) - 1)], frame = __atomic_load_n(place, __ATOMIC_RELAXED);
  return frame >> ADDRESS_SHIFT == pc >> INDEX_BITS ? frame : learn(place, pc);
}

static inline enum cs_cfi_kind kind_of(cs_u64 frame) {
  return frame & ((1u << KIND_BITS) - 1);
}
static inline cs_u64 size_of(cs_u64 frame) {
  return (frame >> KIND_BITS & ((1u << SIZE_BITS) - 1)) * 8;
}
static inline cs_u64 saved_bp_of(cs_u64 frame) {
  return (frame >> (KIND_BITS + SIZE_BITS) & ((1u << SAVED_BITS) - 1)) * 8;
}

/* The stack is read from outside of its variables, which a build with sanitizers would complain of. */
#define READS_FRAMES __attribute__((no_sanitize("address")))

typedef const volatile cs_u64 __attribute__((may_alias)) stack_word;
READS_FRAMES static inline cs_u64 word_at(cs_u64 address) {
  return *(stack_word *)address;
}

READS_FRAMES __attribute__((noinline)) size_t cs_walk(void **pcs, size_t most) {
  cs_u64 pc, sp, bp;
  __asm__ volatile("leaq 0f(%%rip), %0\n0:\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" : "=r"(pc), "=r"(sp), "=r"(bp));
  for (size_t count = 0; pc >> CS_ADDRESS_BITS == 0; count++) {
    cs_u64 frame = frame_of(pc);
    enum cs_cfi_kind kind = kind_of(frame);
    if (kind == CS_CFI_END || count == most)
      return count;
    cs_u64 caller = (kind == CS_CFI_FROM_SP ? sp : bp) + size_of(frame);
    /* The base pointer of code with wrong tables can be anything: what it says must be near, and above. */
    if (kind == CS_CFI_OTHER || caller - sp - 1 >= 8ull << SIZE_BITS || caller % 8)
      return 0;
    pc = word_at(caller - 8);
    if (saved_bp_of(frame))
      bp = word_at(caller - saved_bp_of(frame));
    sp = caller;
    pcs[count] = (void *)pc;
  }
  return 0;
}

#else
size_t cs_walk(void **pcs, size_t most) {
  (void)pcs, (void)most;
  return 0;
}
#endif
