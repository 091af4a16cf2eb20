/* memory.c: loads, stores and atomics, and the barrier of a block. Atomics with another order or scope than the default
 * are inline PTX. */
#include "ir/module.h"
#include "lift/instructions.h"
#include "lift/values.h"
#include <string.h>

/* None of them changes what is loaded or stored. */
#define HINTS                                                                                                          \
  "weak volatile nc ca cg cs lu cv wb wt v2 v4 v8 global shared shared::cta local const param L1::evict_normal "       \
  "L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::64B L2::128B L2::256B"

struct access {
  struct cs_ptx_type type;
  unsigned lanes, space;
  LLVMTypeRef memory; /* an integer, or a vector of them */
  const struct cs_ptx_operand *registers;
  int is_volatile;
};

static unsigned space_of(const struct cs_ptx_instruction *i) {
  static const struct {
    const char *name;
    unsigned space;
  } spaces[] = {{"global", CS_IR_SPACE_GLOBAL},
                {"shared", CS_IR_SPACE_SHARED},
                {"shared::cta", CS_IR_SPACE_SHARED},
                {"const", CS_IR_SPACE_CONSTANT}};
  for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
    if (cs_ptx_has(i, spaces[k].name))
      return spaces[k].space;
  return CS_IR_SPACE_GENERIC;
}

static int read_access(struct cs_lift_function *f, const struct cs_ptx_instruction *i,
                       const struct cs_ptx_operand *registers, struct access *a) {
  struct cs_ptx_type types[2];
  if (i->operand_count != 2 || !cs_ptx_knows(i, HINTS) || cs_ptx_types(i, types) != 1 || types[0].bits > 64)
    return 0;
  *a = (struct access){.type = {types[0].kind, types[0].bits * types[0].lanes, 1},
                       .lanes = registers->kind == CS_PTX_VECTOR ? registers->count : 1,
                       .space = space_of(i),
                       .registers = registers->kind == CS_PTX_VECTOR ? registers->items : registers,
                       .is_volatile = cs_ptx_has(i, "volatile")};
  LLVMTypeRef one = cs_lift_integer(f->unit, a->type.bits);
  a->memory = a->lanes > 1 ? LLVMVectorType(one, a->lanes) : one;
  return a->type.bits != 1;
}

static void set_flags(const struct access *a, LLVMValueRef instruction) {
  LLVMSetAlignment(instruction, a->type.bits / 8 * a->lanes);
  LLVMSetVolatile(instruction, a->is_volatile);
}

int cs_lift_ld(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct access a;
  if (i->operand_count < 2 || !read_access(f, i, &i->operands[0], &a))
    return 0;
  LLVMValueRef loaded = LLVMBuildLoad2(f->builder, a.memory, cs_lift_address(f, &i->operands[1], a.space), "");
  set_flags(&a, loaded);
  for (unsigned k = 0; k < a.lanes; k++)
    cs_lift_assign(f, &a.registers[k],
                   a.lanes > 1 ? LLVMBuildExtractElement(f->builder, loaded, cs_lift_number(f->unit, 32, k), "")
                               : loaded,
                   a.type.kind == 's');
  return 1;
}

int cs_lift_ldu(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return cs_lift_ld(f, i);
}

int cs_lift_st(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct access a;
  if (i->operand_count < 2 || !read_access(f, i, &i->operands[1], &a))
    return 0;
  LLVMValueRef value = a.lanes > 1 ? LLVMGetPoison(a.memory) : cs_lift_value(f, a.registers, a.type);
  for (unsigned k = 0; a.lanes > 1 && k < a.lanes; k++)
    value = LLVMBuildInsertElement(f->builder, value, cs_lift_value(f, &a.registers[k], a.type),
                                   cs_lift_number(f->unit, 32, k), "");
  set_flags(&a, LLVMBuildStore(f->builder, value, cs_lift_address(f, &i->operands[0], a.space)));
  return 1;
}

/* --- Atomics --- */

/* The operation, by its word and the type's kind: s, u, b, f, or '?' for any of integers. */
static const struct {
  const char *word;
  char kind;
  LLVMAtomicRMWBinOp operation;
} operations[] = {{"add", 'f', LLVMAtomicRMWBinOpFAdd}, {"add", '?', LLVMAtomicRMWBinOpAdd},
                  {"min", 's', LLVMAtomicRMWBinOpMin},  {"min", 'u', LLVMAtomicRMWBinOpUMin},
                  {"max", 's', LLVMAtomicRMWBinOpMax},  {"max", 'u', LLVMAtomicRMWBinOpUMax},
                  {"and", '?', LLVMAtomicRMWBinOpAnd},  {"or", '?', LLVMAtomicRMWBinOpOr},
                  {"xor", '?', LLVMAtomicRMWBinOpXor},  {"exch", '?', LLVMAtomicRMWBinOpXchg}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static unsigned operation_of(const struct cs_ptx_instruction *i, struct cs_ptx_type t) {
  unsigned k = 0;
  while (k < OPERATIONS && !(cs_ptx_has(i, operations[k].word) &&
                             (operations[k].kind == t.kind || (operations[k].kind == '?' && strchr("sub", t.kind)))))
    k++;
  return k;
}

/* Relaxed, and of the device: without words for them PTX means these. `address` is the number of that operand. */
static int atomic(struct cs_lift_function *f, const struct cs_ptx_instruction *i, unsigned address) {
  struct cs_ptx_type types[2];
  if (i->operand_count != address + 2 ||
      !cs_ptx_knows(i, "relaxed gpu global shared shared::cta add min max and or xor exch") ||
      cs_ptx_types(i, types) != 1 || types[0].lanes != 1 || (types[0].bits != 32 && types[0].bits != 64))
    return 0;
  unsigned k = operation_of(i, types[0]);
  if (k == OPERATIONS)
    return 0;
  const struct cs_ptx_operand *given = &i->operands[address + 1];
  LLVMValueRef value = types[0].kind == 'f' ? cs_lift_float(f, given, types[0]) : cs_lift_value(f, given, types[0]);
  LLVMValueRef old = LLVMBuildAtomicRMWSyncScope(
      f->builder, operations[k].operation, cs_lift_address(f, &i->operands[address], space_of(i)), value,
      LLVMAtomicOrderingMonotonic, LLVMGetSyncScopeID(f->unit->context, "device", 6));
  LLVMSetAlignment(old, types[0].bits / 8);
  if (address)
    cs_lift_assign(f, &i->operands[0], old, types[0].kind == 's');
  return 1;
}

int cs_lift_atom(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return atomic(f, i, 1);
}
int cs_lift_red(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return atomic(f, i, 0);
}

/* --- Barriers --- */

/* bar.sync 0: all threads of the block, at one place of the code. */
static int block_barrier(struct cs_lift_function *f, const struct cs_ptx_instruction *i, int is_aligned) {
  if (!cs_ptx_has(i, "sync") || cs_ptx_has(i, "warp") || i->operand_count != 1 || i->operands[0].kind != CS_PTX_INTEGER)
    return 0;
  LLVMValueRef number = cs_lift_number(f->unit, 32, i->operands[0].value);
  cs_lift_intrinsic(f, is_aligned ? "llvm.nvvm.barrier.cta.sync.aligned.all" : "llvm.nvvm.barrier.cta.sync.all", NULL,
                    0, &number, 1);
  return 1;
}

int cs_lift_bar(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return block_barrier(f, i, 1);
}

int cs_lift_barrier(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return block_barrier(f, i, cs_ptx_has(i, "aligned"));
}

int cs_lift_trap(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  (void)i;
  cs_lift_intrinsic(f, "llvm.trap", NULL, 0, NULL, 0);
  return 1;
}
