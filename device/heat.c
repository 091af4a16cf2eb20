/* heat.c: counts who errs, by place: see cusafe/heat.h. Cold. As in error.c, all of it stays in memory (volatile), because registers
 * that are used here are missing in kernels that have no errors: hence one value at a time, and no division. */
#include "device/heat.h"
#include "cusafe/heat.h"
#include "device/attributes.h"

#define STEP static __attribute__((noinline, cold)) /* a call, so that no step keeps registers for the next */

struct heat {
  cs_u32 extent[CS_HEAT_PLANES][3], at[CS_HEAT_PLANES][3];
  cs_u64 key, entry; /* entry: its address */
  cs_u32 plane, i;
};

static void read_thread(volatile struct heat *h) {
  h->extent[CS_HEAT_BLOCKS][0] = __nvvm_read_ptx_sreg_nctaid_x();
  h->extent[CS_HEAT_BLOCKS][1] = __nvvm_read_ptx_sreg_nctaid_y();
  h->extent[CS_HEAT_BLOCKS][2] = __nvvm_read_ptx_sreg_nctaid_z();
  h->extent[CS_HEAT_THREADS][0] = __nvvm_read_ptx_sreg_ntid_x();
  h->extent[CS_HEAT_THREADS][1] = __nvvm_read_ptx_sreg_ntid_y();
  h->extent[CS_HEAT_THREADS][2] = __nvvm_read_ptx_sreg_ntid_z();
  h->at[CS_HEAT_BLOCKS][0] = __nvvm_read_ptx_sreg_ctaid_x();
  h->at[CS_HEAT_BLOCKS][1] = __nvvm_read_ptx_sreg_ctaid_y();
  h->at[CS_HEAT_BLOCKS][2] = __nvvm_read_ptx_sreg_ctaid_z();
  h->at[CS_HEAT_THREADS][0] = __nvvm_read_ptx_sreg_tid_x();
  h->at[CS_HEAT_THREADS][1] = __nvvm_read_ptx_sreg_tid_y();
  h->at[CS_HEAT_THREADS][2] = __nvvm_read_ptx_sreg_tid_z();
}

STEP cs_u32 __cs_heat_shape(volatile struct heat *h) {
  cs_u32 hash = 0;
#pragma unroll 1
  for (h->i = 0; h->i < 2 * 3; h->i++)
    hash = cs_heat_mix(hash, (&h->extent[0][0])[h->i]);
  return hash;
}

/* Whoever takes the entry says what its shape is. */
static void describe(volatile struct heat *h) {
#pragma unroll 1
  for (h->i = 0; h->i < 2 * 3; h->i++)
    (&((struct cs_heat GLOBAL *)h->entry)->extent[0][0])[h->i] = (&h->extent[0][0])[h->i];
}

/* Finds the entry of the key, or takes a free one. Returns 0 if there is no room. */
STEP int __cs_heat_entry(volatile struct heat *h) {
  const struct cs_ring GLOBAL *ring = (const struct cs_ring GLOBAL *)__cs_state.ring;
#pragma unroll 1
  for (h->i = 0; h->i < CS_HEAT_PROBES; h->i++) {
    cs_u32 slot = cs_heat_mix((cs_u32)(h->key >> 32), (cs_u32)h->key) + h->i;
    h->entry = ring->heat + (slot & ring->heat_mask) * sizeof(struct cs_heat);
    cs_u64 expected = 0, key = h->key;
    if (__atomic_compare_exchange_n((cs_u64 GLOBAL *)h->entry, &expected, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      describe(h);
      return 1;
    }
    if (expected == h->key)
      return 1;
  }
  return 0;
}

/* Most threads do not stretch the span any more, and only read. */
static void stretch(cs_u64 to, cs_u32 value) {
  if (*(volatile cs_u32 GLOBAL *)to < value)
    __nvvm_atom_max_gen_ui((unsigned *)to, value);
}

STEP void __cs_heat_count(volatile struct heat *h) {
  cs_u32 p = h->plane, rows = h->extent[p][1] * h->extent[p][2];
  cs_u32 column = h->at[p][0] >> cs_heat_shift_x(h->extent[p][0], rows);
  cs_u32 row = (h->at[p][2] * h->extent[p][1] + h->at[p][1]) >> cs_heat_shift(rows, CS_HEAT_SIDE);
  cs_u32 bin = cs_heat_bin(row, column) & (CS_HEAT_BINS - 1);
  __nvvm_atom_add_gen_i((int *)&((struct cs_heat GLOBAL *)h->entry)->bins[h->plane][bin], 1);
}

COLD void __cs_heat(cs_u32 site, cs_u32 fault) {
  volatile struct heat h;
  if (((const struct cs_ring GLOBAL *)__cs_state.ring)->heat == 0)
    return;
  read_thread(&h);
  h.key = cs_heat_key(site * CS_FAULT_COUNT + fault, 0);
  h.key |= __cs_heat_shape(&h);
  if (!__cs_heat_entry(&h))
    return;
#pragma unroll 1
  for (h.plane = 0; h.plane < CS_HEAT_PLANES; h.plane++)
    __cs_heat_count(&h);
#pragma unroll 1
  for (h.i = 0; h.i < 2 * 3; h.i++) {
    stretch(h.entry + __builtin_offsetof(struct cs_heat, most) + h.i * 4, (&h.at[0][0])[h.i]);
    stretch(h.entry + __builtin_offsetof(struct cs_heat, least) + h.i * 4, ~(&h.at[0][0])[h.i]);
  }
}
