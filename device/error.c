/* error.c: the exact decision behind a failed comparison, and the record that the host drains. */
#include "device/error.h"
#include "device/runtime.h"

#define COLD __attribute__((noinline, cold, visibility("default")))
#define GLOBAL __attribute__((address_space(1)))

extern struct cs_state GLOBAL __cs_state;
extern cs_u32 GLOBAL __cs_counts[]; /* defined by the pass, one for each site */

/* Bounds of the buffer that a root belongs to, marked or not. */
struct bounds {
  cs_u64 start, size, word;
};

static struct bounds bounds_of(cs_u64 root) {
  cs_u64 home = cs_is_marked(root) ? cs_marked_root(root) : root;
  if (!cs_is_tagged(home))
    return (struct bounds){0, 0, 0};
  cs_u64 word = *(const cs_u64 GLOBAL *)cs_meta_address(home, CS_PLACEMENT);
  return (struct bounds){cs_buffer_start(home, CS_PLACEMENT), cs_meta_size(home, word), word};
}

static void fill(struct cs_record GLOBAL *record, cs_u64 address, cs_u64 root, cs_u64 word, cs_u64 bytes, cs_u32 site) {
  record->address = address;
  record->root = root;
  record->word = word;
  record->size = bytes;
  record->site = site;
  record->module = __cs_state.module;
  record->block[0] = __nvvm_read_ptx_sreg_ctaid_x();
  record->block[1] = __nvvm_read_ptx_sreg_ctaid_y();
  record->block[2] = __nvvm_read_ptx_sreg_ctaid_z();
  record->thread[0] = __nvvm_read_ptx_sreg_tid_x();
  record->thread[1] = __nvvm_read_ptx_sreg_tid_y();
  record->thread[2] = __nvvm_read_ptx_sreg_tid_z();
  __nvvm_membar_sys();
  *(volatile cs_u32 GLOBAL *)&record->ready = 1;
}

/* Counts every error, writes a record for the first at each site. Counters that the host reads need system scope, which
 * LLVM's NVPTX back end gives only to these builtins. */
static void report(cs_u64 address, cs_u64 root, cs_u64 word, cs_u64 bytes, cs_u32 site) {
  struct cs_ring GLOBAL *ring = (struct cs_ring GLOBAL *)__cs_state.ring;
  cs_u32 before = (cs_u32)__nvvm_atom_sys_add_gen_i((int *)&__cs_counts[site], 1);
  __nvvm_atom_sys_add_gen_ll((long long *)&ring->errors, 1);
  if (before == 0) {
    cs_u32 index = (cs_u32)__nvvm_atom_sys_add_gen_i((int *)&ring->head, 1);
    if (index < ring->capacity)
      fill((struct cs_record GLOBAL *)(ring + 1) + index, address, root, word, bytes, site);
  }
}

/* Not __builtin_trap: that never returns, and with a CPU device the kernel has to run to its end. */
COLD void __cs_trap(void) {
  __asm__ volatile("trap;");
}

/* 0 when the access is in order after all, 1 after an error was recorded. */
static int judge(cs_u64 pointer, cs_u64 root, cs_u64 bytes, cs_u32 site) {
  cs_u64 address = cs_strip(pointer);
  struct bounds bounds = bounds_of(root);
  if (address - bounds.start < __cs_limit(bounds.size, bytes))
    return 0;
  if (__cs_state.ring == 0)
    return 0; /* no host runtime in this process: nobody hands out tagged memory, nobody listens */
  report(address, root, bounds.word, bytes, site);
  if (__cs_state.mode & CS_MODE_TRAP)
    __cs_trap();
  return 1;
}

COLD void *__cs_fail(void *pointer, void *root, cs_u64 bytes, cs_u32 access, cs_u32 site) {
  if (judge((cs_u64)pointer, (cs_u64)root, bytes, site) == 0)
    return (void *)cs_strip((cs_u64)pointer);
  /* Reads see the half that nobody writes. */
  return (void *)(__cs_state.sink + (access == CS_ACCESS_READ ? 0 : CS_SINK_BYTES / 2));
}

COLD void *__cs_fail_range(void *pointer, void *root, cs_u64 bytes, cs_u32 access, cs_u32 site) {
  (void)access;
  return judge((cs_u64)pointer, (cs_u64)root, bytes, site) == 0 ? (void *)cs_strip((cs_u64)pointer) : (void *)0;
}

COLD void *__cs_escape_far(void *pointer, void *root) {
  cs_u64 p = (cs_u64)pointer, r = (cs_u64)root;
  cs_u64 home = cs_is_marked(r) ? cs_marked_root(r) : r;
  if (home == 0)
    return (void *)(CS_MARK | CS_DISTANCE_LOST << CS_DISTANCE_SHIFT | (p & ((1ull << CS_ADDRESS_BITS) - 1)));
  return (void *)cs_mark(cs_strip(p), home);
}
