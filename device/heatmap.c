/* heatmap.c: counts offending threads by site and by cell of the grid (cusafe/heat.h). Cold. As in error.c, all of its
 * state stays in memory (volatile): every register used here is one fewer for kernels without errors. Hence one value
 * at a time, and no division. */
#include "device/heatmap.h"
#include "cusafe/heat.h"
#include "device/attributes.h"

#define COORDINATES (CS_HEAT_PLANES * 3)
#define COORDINATE_BYTES ((cs_u32)sizeof(cs_u32))

struct thread {
#ifdef __bpf__
  const cs_u32 (*extent)[3], (*at)[3]; /* the environment has them in this order */
#else
  cs_u32 extent[CS_HEAT_PLANES][3], at[CS_HEAT_PLANES][3];
#endif
  cs_u64 key, entry; /* entry: address of the struct cs_heat */
  cs_u32 plane, i;
};

static struct cs_heat GLOBAL *entry_of(const KEPT struct thread *t) {
  return (struct cs_heat GLOBAL *)t->entry;
}

static void read_thread(KEPT struct thread *t) {
#ifdef __bpf__
  t->extent = &cs_environment.extent[0];
  t->at = &cs_environment.at[0];
#else
  t->extent[CS_HEAT_BLOCKS][0] = __nvvm_read_ptx_sreg_nctaid_x();
  t->extent[CS_HEAT_BLOCKS][1] = __nvvm_read_ptx_sreg_nctaid_y();
  t->extent[CS_HEAT_BLOCKS][2] = __nvvm_read_ptx_sreg_nctaid_z();
  t->extent[CS_HEAT_THREADS][0] = __nvvm_read_ptx_sreg_ntid_x();
  t->extent[CS_HEAT_THREADS][1] = __nvvm_read_ptx_sreg_ntid_y();
  t->extent[CS_HEAT_THREADS][2] = __nvvm_read_ptx_sreg_ntid_z();
  t->at[CS_HEAT_BLOCKS][0] = __nvvm_read_ptx_sreg_ctaid_x();
  t->at[CS_HEAT_BLOCKS][1] = __nvvm_read_ptx_sreg_ctaid_y();
  t->at[CS_HEAT_BLOCKS][2] = __nvvm_read_ptx_sreg_ctaid_z();
  t->at[CS_HEAT_THREADS][0] = __nvvm_read_ptx_sreg_tid_x();
  t->at[CS_HEAT_THREADS][1] = __nvvm_read_ptx_sreg_tid_y();
  t->at[CS_HEAT_THREADS][2] = __nvvm_read_ptx_sreg_tid_z();
#endif
}

STEP cs_u32 __cs_heatmap_shape(KEPT struct thread *t) {
  cs_u32 hash = 0;
#pragma unroll 1
  for (t->i = 0; t->i < COORDINATES; t->i++)
    hash = cs_heat_mix(hash, (&t->extent[0][0])[t->i]);
  return hash;
}

/* The thread that claims the entry writes its launch shape. */
static void describe(KEPT struct thread *t) {
#pragma unroll 1
  for (t->i = 0; t->i < COORDINATES; t->i++)
    (&entry_of(t)->extent[0][0])[t->i] = (&t->extent[0][0])[t->i];
}

/* Stores the key in an entry that has none. Returns the key that the entry had. */
static cs_u64 claim(struct cs_heat GLOBAL *entry, cs_u64 key) {
#ifdef __bpf__
  return cs_machine_EXCHANGE_64(&entry->key, 0, key);
#else
  cs_u64 before = 0;
  __atomic_compare_exchange_n(&entry->key, &before, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return before;
#endif
}

/* Finds the entry of the key, or claims a free one. Returns 0 when the table is full. */
STEP int __cs_heatmap_entry(KEPT struct thread *t) {
  const struct cs_ring GLOBAL *ring = (const struct cs_ring GLOBAL *)__cs_state.ring;
#pragma unroll 1
  for (t->i = 0; t->i < CS_HEAT_PROBES; t->i++) {
    cs_u32 slot = cs_heat_mix((cs_u32)(t->key >> 32), (cs_u32)t->key) + t->i;
    t->entry = ring->heat + (slot & ring->heat_mask) * sizeof(struct cs_heat);
    cs_u64 before = claim(entry_of(t), t->key);
    if (before == 0)
      describe(t);
    if (before == 0 || before == t->key)
      return 1;
  }
  return 0;
}

/* Most threads are inside the span already, and only read it. */
static void extend(cs_u64 to, cs_u32 value) {
  if (*(volatile cs_u32 GLOBAL *)to < value)
    __nvvm_atom_max_gen_ui((unsigned *)to, value);
}

STEP void __cs_heatmap_count(KEPT struct thread *t) {
  cs_u32 p = t->plane, rows = t->extent[p][1] * t->extent[p][2];
  cs_u32 column = t->at[p][0] >> cs_heat_shift_x(t->extent[p][0], rows);
  cs_u32 row = (t->at[p][2] * t->extent[p][1] + t->at[p][1]) >> cs_heat_shift(rows, CS_HEAT_SIDE);
  cs_u32 bin = cs_heat_bin(row, column) & (CS_HEAT_BINS - 1);
  __nvvm_atom_add_gen_i((int *)&entry_of(t)->bins[t->plane][bin], 1);
}

COLD void __cs_heatmap_add(cs_u32 site, cs_u32 fault) {
  KEPT struct thread t;
  if (((const struct cs_ring GLOBAL *)__cs_state.ring)->heat == 0)
    return;
  read_thread(&t);
  t.key = cs_heat_key(site * CS_FAULT_COUNT + fault, 0);
  t.key |= __cs_heatmap_shape(&t);
  if (!__cs_heatmap_entry(&t))
    return;
#pragma unroll 1
  for (t.plane = 0; t.plane < CS_HEAT_PLANES; t.plane++)
    __cs_heatmap_count(&t);
#pragma unroll 1
  for (t.i = 0; t.i < COORDINATES; t.i++) {
    extend(t.entry + __builtin_offsetof(struct cs_heat, most) + t.i * COORDINATE_BYTES, (&t.at[0][0])[t.i]);
    extend(t.entry + __builtin_offsetof(struct cs_heat, least) + t.i * COORDINATE_BYTES, ~(&t.at[0][0])[t.i]);
  }
}
