/* memory.c: loads, stores, atomics, copies and fences of inline PTX. Memory is coherent: scopes and cache hints have no
 * effect, memory orders do. */
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <string.h>

#define SPACES "global shared shared::cta local const generic "

static int is_shared(const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "shared") || cs_ptx_has(s, "shared::cta");
}

static int fence(struct cs_rt_asm *a) {
  return cs_rt_asm_call(a, "fence", NULL, 0) != NULL;
}

/* --- Loads and stores --- */

static int is_strong(const struct cs_ptx_instruction *s) {
  static const char *const strong[] = {"volatile", "relaxed", "acquire", "release", "mmio", "cv", "wt"};
  for (size_t i = 0; i < sizeof strong / sizeof *strong; i++)
    if (cs_ptx_has(s, strong[i]))
      return 1;
  return 0;
}

static LLVMValueRef element(struct cs_rt_asm *a, LLVMValueRef base, unsigned index, unsigned bits) {
  LLVMValueRef at = LLVMConstInt(cs_rt_asm_integer(a, 64), index, 0);
  return index ? LLVMBuildGEP2(a->builder, cs_rt_asm_integer(a, bits), base, &at, 1, "") : base;
}

static LLVMValueRef load(struct cs_rt_asm *a, LLVMValueRef at, unsigned bits, int strong) {
  LLVMValueRef made = LLVMBuildLoad2(a->builder, cs_rt_asm_integer(a, bits), at, "");
  LLVMSetAlignment(made, bits / 8);
  LLVMSetVolatile(made, strong);
  return made;
}
static void store(struct cs_rt_asm *a, LLVMValueRef value, LLVMValueRef at, unsigned bits, int strong) {
  LLVMValueRef made = LLVMBuildStore(a->builder, value, at);
  LLVMSetAlignment(made, bits / 8);
  LLVMSetVolatile(made, strong);
}

/* The operands of ld or st. */
struct vector {
  struct cs_ptx_type type;
  unsigned count, bits; /* elements, and the width of one */
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  LLVMValueRef values[CS_PTX_MAX_ELEMENTS]; /* each of `bits` bits */
};

/* Strong accesses to vectors are single-copy atomic: other threads see all elements or none. PTX does not guarantee it,
 * but cub relies on it. So they use as few integers of up to 64 bits as possible, and two of them are accessed under a
 * lock. */
static LLVMTypeRef chunk_type(struct cs_rt_asm *a, const struct vector *v) {
  unsigned bits = v->bits * v->count;
  return cs_rt_asm_integer(a, bits < 64 ? bits : 64);
}
static void load_whole(struct cs_rt_asm *a, struct vector *v, LLVMValueRef base) {
  unsigned bits = v->bits * v->count, in_chunk = (bits < 64 ? bits : 64) / v->bits;
  LLVMTypeRef type = chunk_type(a, v), part = cs_rt_asm_integer(a, v->bits);
  LLVMValueRef chunks[2] = {NULL, NULL};
  if (bits <= 64) {
    chunks[0] = load(a, base, bits, 1);
  } else {
    LLVMValueRef pair = cs_rt_asm_slot(a, LLVMArrayType2(type, 2)), args[] = {base, pair};
    cs_rt_asm_call(a, "load_whole", args, 2);
    chunks[0] = load(a, pair, 64, 0);
    chunks[1] = load(a, element(a, pair, 1, 64), 64, 0);
  }
  for (unsigned i = 0; i < v->count; i++) {
    LLVMValueRef by = LLVMConstInt(type, (unsigned long long)(i % in_chunk) * v->bits, 0);
    v->values[i] = LLVMBuildIntCast2(a->builder, LLVMBuildLShr(a->builder, chunks[i / in_chunk], by, ""), part, 0, "");
  }
}
static void store_whole(struct cs_rt_asm *a, struct vector *v, LLVMValueRef base) {
  unsigned bits = v->bits * v->count, in_chunk = (bits < 64 ? bits : 64) / v->bits;
  LLVMTypeRef type = chunk_type(a, v);
  LLVMValueRef chunks[] = {LLVMConstNull(type), LLVMConstNull(type)};
  for (unsigned i = 0; i < v->count; i++) {
    LLVMValueRef by = LLVMConstInt(type, (unsigned long long)(i % in_chunk) * v->bits, 0);
    LLVMValueRef part = LLVMBuildIntCast2(a->builder, v->values[i], type, 0, "");
    chunks[i / in_chunk] = LLVMBuildOr(a->builder, chunks[i / in_chunk], LLVMBuildShl(a->builder, part, by, ""), "");
  }
  LLVMValueRef args[] = {base, chunks[0], chunks[1]};
  if (bits <= 64)
    store(a, chunks[0], base, bits, 1);
  else
    cs_rt_asm_call(a, "store_whole", args, 3);
}

static void access_elements(struct cs_rt_asm *a, struct vector *v, LLVMValueRef base, int storing, int strong) {
  for (unsigned i = 0; i < v->count; i++) {
    LLVMValueRef at = element(a, base, i, v->bits);
    if (storing)
      store(a, v->values[i], at, v->bits, strong);
    else
      v->values[i] = load(a, at, v->bits, strong);
  }
}

static int assign_all(struct cs_rt_asm *a, struct vector *v) {
  for (unsigned i = 0; i < v->count; i++) {
    LLVMValueRef made = v->values[i];
    if (v->type.kind == 's') /* sign-extended to the width of its register */
      made = LLVMBuildIntCast2(a->builder, made, cs_rt_asm_integer(a, 64), 1, "");
    if (!cs_rt_asm_assign(a, v->names[i], made))
      return 0;
  }
  return 1;
}

/* The operands are {a,b} or one name. */
static int access(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, int storing) {
  struct cs_ptx_type types[2];
  struct vector v;
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, SPACES CS_PTX_SCOPES CS_PTX_ORDERS CS_PTX_CACHES) ||
      s->operand_count < 2 || s->operand_count > 3)
    return 0;
  v.type = types[0];
  v.count = cs_ptx_elements(&s->operands[storing ? 1 : 0], 1, v.names);
  v.bits = v.type.bits * v.type.lanes;
  LLVMValueRef base = cs_rt_asm_address(a, &s->operands[storing ? 0 : 1], is_shared(s));
  if (!base || !v.count || v.bits > 64 || v.bits < 8)
    return 0;
  if (cs_ptx_has(s, "release") && !fence(a))
    return 0;
  for (unsigned i = 0; i < v.count && storing; i++)
    if (!(v.values[i] = cs_rt_asm_value(a, v.names[i], v.type)))
      return 0;
  unsigned bits = v.bits * v.count;
  int whole = is_strong(s) && v.count > 1 && (bits == 16 || bits == 32 || bits == 64 || bits == 128);
  if (!whole)
    access_elements(a, &v, base, storing, is_strong(s));
  else if (storing)
    store_whole(a, &v, base);
  else
    load_whole(a, &v, base);
  if (!storing && !assign_all(a, &v))
    return 0;
  return !cs_ptx_has(s, "acquire") || fence(a);
}

int cs_rt_ptx_ld(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return access(a, s, 0);
}
int cs_rt_ptx_st(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return access(a, s, 1);
}

/* --- Atomics --- */

static const struct {
  const char *name, *kinds;
  LLVMAtomicRMWBinOp op;
} operations[] = {
    {"add", "us", LLVMAtomicRMWBinOpAdd},     {"add", "f", LLVMAtomicRMWBinOpFAdd},
    {"and", "bus", LLVMAtomicRMWBinOpAnd},    {"or", "bus", LLVMAtomicRMWBinOpOr},
    {"xor", "bus", LLVMAtomicRMWBinOpXor},    {"exch", "bus", LLVMAtomicRMWBinOpXchg},
    {"min", "s", LLVMAtomicRMWBinOpMin},      {"max", "s", LLVMAtomicRMWBinOpMax},
    {"min", "u", LLVMAtomicRMWBinOpUMin},     {"max", "u", LLVMAtomicRMWBinOpUMax},
    {"inc", "u", LLVMAtomicRMWBinOpUIncWrap}, {"dec", "u", LLVMAtomicRMWBinOpUDecWrap},
};

/* 16 bits at a time: PTX guarantees atomicity for each half of a pair only. */
static LLVMValueRef add_halves(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef at,
                               LLVMValueRef value, struct cs_ptx_type type) {
  const char *name = type.kind == 'h' ? "h_atomic_add" : "b_atomic_add";
  LLVMTypeRef half = cs_rt_asm_integer(a, 16), whole = cs_rt_asm_integer(a, 32);
  LLVMValueRef made = NULL, by = LLVMConstInt(whole, 16, 0);
  if (!cs_ptx_has(s, "add"))
    return NULL;
  for (unsigned i = 0; i < type.lanes; i++) {
    LLVMValueRef part = i ? LLVMBuildLShr(a->builder, value, by, "") : value;
    LLVMValueRef args[] = {element(a, at, i, 16), LLVMBuildIntCast2(a->builder, part, half, 0, "")};
    LLVMValueRef old = cs_rt_asm_call(a, name, args, 2);
    if (!old || type.lanes == 1)
      return old;
    old = LLVMBuildZExt(a->builder, old, whole, "");
    made = made ? LLVMBuildOr(a->builder, made, LLVMBuildShl(a->builder, old, by, ""), "") : old;
  }
  return made;
}

static LLVMValueRef swap(struct cs_rt_asm *a, LLVMValueRef at, LLVMValueRef expected, LLVMValueRef desired,
                         struct cs_ptx_type type) {
  const LLVMAtomicOrdering all = LLVMAtomicOrderingSequentiallyConsistent;
  LLVMValueRef narrow[] = {at, expected, desired};
  if (type.bits == 16)
    return cs_rt_asm_call(a, "cas_16", narrow, 3);
  return LLVMBuildExtractValue(a->builder, LLVMBuildAtomicCmpXchg(a->builder, at, expected, desired, all, all, 0), 0,
                               "");
}

static LLVMValueRef operate(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef at,
                            LLVMValueRef value, struct cs_ptx_type type) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (cs_ptx_has(s, operations[i].name) && strchr(operations[i].kinds, type.kind) && type.bits >= 32) {
      if (type.kind == 'f')
        value = cs_rt_asm_float(a, value);
      return LLVMBuildAtomicRMW(a->builder, operations[i].op, at, value, LLVMAtomicOrderingSequentiallyConsistent, 0);
    }
  return NULL;
}

/* atom d, [a], b{, c}; red [a], b. */
static int atomic(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, unsigned first) {
  struct cs_ptx_type types[2];
  if (cs_ptx_types(s, types) != 1 ||
      !cs_ptx_knows(s, SPACES CS_PTX_SCOPES CS_PTX_ORDERS CS_PTX_OPERATIONS "L2::cache_hint") || types[0].bits > 64 ||
      s->operand_count < first + 2)
    return 0;
  struct cs_ptx_type type = types[0];
  LLVMValueRef at = cs_rt_asm_address(a, &s->operands[first], is_shared(s));
  LLVMValueRef value = at ? cs_rt_asm_value(a, &s->operands[first + 1], type) : NULL, made;
  if (!value)
    return 0;
  if (cs_ptx_has(s, "cas")) {
    LLVMValueRef desired = s->operand_count > first + 2 ? cs_rt_asm_value(a, &s->operands[first + 2], type) : NULL;
    made = desired ? swap(a, at, value, desired, type) : NULL;
  } else if (type.kind == 'h' || type.kind == 'g') {
    made = add_halves(a, s, at, value, type);
  } else {
    made = type.lanes == 1 ? operate(a, s, at, value, type) : NULL;
  }
  return made && (!first || cs_rt_asm_assign(a, &s->operands[0], made));
}

int cs_rt_ptx_atom(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return s->operand_count > 1 && atomic(a, s, 1);
}
int cs_rt_ptx_red(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return atomic(a, s, 0);
}

/* --- Order and hints --- */

int cs_rt_ptx_fence(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return cs_ptx_knows(s, CS_PTX_SCOPES
                      "gl sc acq_rel acquire release proxy alias async async.global mbarrier_init shared::cta") &&
         fence(a);
}

int cs_rt_ptx_hint(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  (void)a;
  (void)s;
  return 1;
}

/* A policy is opaque, and only cache hints use it. */
int cs_rt_ptx_createpolicy(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return s->operand_count && cs_rt_asm_assign(a, &s->operands[0], LLVMConstNull(cs_rt_asm_integer(a, 64)));
}

/* --- Asynchronous copies, performed synchronously --- */

static int copy_async(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  const struct cs_ptx_type b32 = {'b', 32, 1};
  if (!cs_ptx_knows(s, "async ca cg shared shared::cta global L2::cache_hint L2::64B L2::128B L2::256B") ||
      s->operand_count < 3)
    return 0;
  LLVMValueRef to = cs_rt_asm_address(a, &s->operands[0], 1), from = cs_rt_asm_address(a, &s->operands[1], 0);
  LLVMValueRef size = cs_rt_asm_value(a, &s->operands[2], b32), taken = size;
  unsigned extra = s->operand_count - 3 - (cs_ptx_has(s, "L2::cache_hint") ? 1 : 0);
  if (extra == 1)
    taken = cs_rt_asm_value(a, &s->operands[3], b32); /* the remaining bytes become zeros */
  LLVMValueRef args[] = {to, from, size, taken};
  return to && from && size && taken && extra <= 1 && cs_rt_asm_call(a, "copy_async", args, 4) != NULL;
}

/* cp.async.bulk [to], [from], bytes{, [object]}{, policy}, between global memory and the block's own shared memory. */
static int copy_bulk(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  const struct cs_ptx_type b32 = {'b', 32, 1};
  int arrives = cs_ptx_has(s, "mbarrier::complete_tx::bytes");
  unsigned count = s->operand_count - (cs_ptx_has(s, "L2::cache_hint") ? 1 : 0);
  if (!cs_ptx_knows(s, "async bulk shared::cluster shared::cta global mbarrier::complete_tx::bytes bulk_group "
                       "L2::cache_hint") ||
      s->part_count < 5 || count != (arrives ? 4 : 3))
    return 0;
  int to_global = strcmp(s->parts[3], "global") == 0, from_global = strcmp(s->parts[4], "global") == 0;
  LLVMValueRef to = cs_rt_asm_address(a, &s->operands[0], !to_global);
  LLVMValueRef from = cs_rt_asm_address(a, &s->operands[1], !from_global);
  LLVMValueRef bytes = cs_rt_asm_value(a, &s->operands[2], b32), args[] = {to, from, bytes};
  if (!to || !from || !bytes || !cs_rt_asm_call(a, "copy_bulk", args, 3))
    return 0;
  LLVMValueRef done[] = {arrives ? cs_rt_asm_address(a, &s->operands[3], 1) : NULL, bytes};
  return !arrives || (done[0] && cs_rt_asm_call(a, "mbarrier_complete", done, 2));
}

/* Copies have been performed when a thread waits for them. */
static int is_wait(const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "commit_group") || cs_ptx_has(s, "wait_group") || cs_ptx_has(s, "wait_all");
}

int cs_rt_ptx_cp(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  if (is_wait(s))
    return cs_ptx_knows(s, "async bulk commit_group wait_group wait_all read");
  if (cs_ptx_has(s, "prefetch"))
    return cs_ptx_knows(s, "async bulk prefetch L2 global L2::cache_hint");
  if (cs_ptx_has(s, "bulk"))
    return copy_bulk(a, s);
  return cs_ptx_has(s, "mbarrier") ? cs_rt_ptx_copies_arrive(a, s) : copy_async(a, s);
}
