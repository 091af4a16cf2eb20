/* memory.c: loads, stores and atomics, and the barriers of a block. Atomics with an order are inline PTX. */
#include "ir/module.h"
#include "lift/instructions.h"
#include "lift/values.h"
#include <stdio.h>
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
} operations[] = {{"add", 'f', LLVMAtomicRMWBinOpFAdd},     {"add", '?', LLVMAtomicRMWBinOpAdd},
                  {"min", 's', LLVMAtomicRMWBinOpMin},      {"min", 'u', LLVMAtomicRMWBinOpUMin},
                  {"max", 's', LLVMAtomicRMWBinOpMax},      {"max", 'u', LLVMAtomicRMWBinOpUMax},
                  {"and", '?', LLVMAtomicRMWBinOpAnd},      {"or", '?', LLVMAtomicRMWBinOpOr},
                  {"xor", '?', LLVMAtomicRMWBinOpXor},      {"exch", '?', LLVMAtomicRMWBinOpXchg},
                  {"inc", 'u', LLVMAtomicRMWBinOpUIncWrap}, {"dec", 'u', LLVMAtomicRMWBinOpUDecWrap}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static unsigned operation_of(const struct cs_ptx_instruction *i, struct cs_ptx_type t) {
  unsigned k = 0;
  while (k < OPERATIONS && !(cs_ptx_has(i, operations[k].word) &&
                             (operations[k].kind == t.kind || (operations[k].kind == '?' && strchr("sub", t.kind)))))
    k++;
  return k;
}

/* LLVM moves no access over this: kernels take locks with atom.cas, and count with atom.inc which block is last. */
static void stay(struct cs_lift_function *f) {
  static const char clobbers[] = "~{memory}";
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->unit->context), NULL, 0, 0);
  LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, clobbers, strlen(clobbers), 1, 0, LLVMInlineAsmDialectATT, 0);
  LLVMAddCallSiteAttribute(LLVMBuildCall2(f->builder, type, nothing, NULL, 0, ""),
                           (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                           cs_ir_attribute(f->unit->context, "nounwind"));
}

static unsigned device_scope(const struct cs_lift_function *f) {
  return LLVMGetSyncScopeID(f->unit->context, "device", strlen("device"));
}

/* The intrinsic of an operation for the threads of the block or of the system, as clang calls it. Its minimum and
 * maximum are those of signed integers. */
static LLVMValueRef scoped(struct cs_lift_function *f, const char *word, const char *scope, LLVMValueRef pointer,
                           LLVMValueRef *values, unsigned count) {
  char name[64];
  LLVMTypeRef types[] = {LLVMTypeOf(values[0]), cs_lift_pointer(f->unit, CS_IR_SPACE_GENERIC)};
  LLVMValueRef arguments[] = {cs_lift_cast(f, pointer, CS_IR_SPACE_GENERIC), values[0], count > 1 ? values[1] : NULL};
  int is_float = LLVMGetTypeKind(types[0]) != LLVMIntegerTypeKind;
  snprintf(name, sizeof name, "llvm.nvvm.atomic.%s.gen.%s.%s", word, is_float ? "f" : "i", scope);
  return cs_lift_intrinsic(f, name, types, 2, arguments, count + 1);
}

static const char *scope_of(const struct cs_ptx_instruction *i) {
  return cs_ptx_has(i, "cta") ? "cta" : cs_ptx_has(i, "sys") ? "sys" : NULL;
}

/* Relaxed: without a word for the order PTX means that, and without one for the scope the device. `address` is the
 * number of that operand. */
static int atomic(struct cs_lift_function *f, const struct cs_ptx_instruction *i, unsigned address) {
  struct cs_ptx_type types[2];
  if (i->operand_count != address + 2 ||
      !cs_ptx_knows(i, "relaxed gpu cta sys global shared shared::cta add min max and or xor exch inc dec") ||
      cs_ptx_types(i, types) != 1 || types[0].lanes != 1 || (types[0].bits != 32 && types[0].bits != 64))
    return 0;
  unsigned k = operation_of(i, types[0]);
  const char *scope = scope_of(i);
  if (k == OPERATIONS || (scope && operations[k].word[0] == 'm'))
    return 0;
  const struct cs_ptx_operand *given = &i->operands[address + 1];
  LLVMValueRef value = types[0].kind == 'f' ? cs_lift_float(f, given, types[0]) : cs_lift_value(f, given, types[0]);
  LLVMValueRef pointer = cs_lift_address(f, &i->operands[address], space_of(i)), old;
  int is_ordered = scope || operations[k].operation == LLVMAtomicRMWBinOpUIncWrap ||
                   operations[k].operation == LLVMAtomicRMWBinOpUDecWrap;
  if (is_ordered)
    stay(f);
  if (scope)
    old = scoped(f, operations[k].word, scope, pointer, &value, 1);
  else {
    old = LLVMBuildAtomicRMWSyncScope(f->builder, operations[k].operation, pointer, value, LLVMAtomicOrderingMonotonic,
                                      device_scope(f));
    LLVMSetAlignment(old, types[0].bits / 8);
  }
  if (is_ordered)
    stay(f);
  if (address)
    cs_lift_assign(f, &i->operands[0], old, types[0].kind == 's');
  return 1;
}

/* atom.cas.b32 old, [address], expected, value */
static int compare_and_swap(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type types[2];
  if (i->operand_count != 4 || !cs_ptx_has(i, "cas") ||
      !cs_ptx_knows(i, "relaxed gpu cta sys global shared shared::cta cas") || cs_ptx_types(i, types) != 1 ||
      types[0].lanes != 1 || (types[0].bits != 32 && types[0].bits != 64))
    return 0;
  const char *scope = scope_of(i);
  LLVMValueRef pointer = cs_lift_address(f, &i->operands[1], space_of(i)), old;
  LLVMValueRef values[] = {cs_lift_value(f, &i->operands[2], types[0]), cs_lift_value(f, &i->operands[3], types[0])};
  const LLVMAtomicOrdering relaxed = LLVMAtomicOrderingMonotonic;
  stay(f);
  if (scope)
    old = scoped(f, "cas", scope, pointer, values, 2);
  else {
    old = LLVMBuildAtomicCmpXchgSyncScope(f->builder, pointer, values[0], values[1], relaxed, relaxed, device_scope(f));
    LLVMSetAlignment(old, types[0].bits / 8);
    old = LLVMBuildExtractValue(f->builder, old, 0, "");
  }
  stay(f);
  cs_lift_assign(f, &i->operands[0], old, 0);
  return 1;
}

int cs_lift_atom(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return atomic(f, i, 1) || compare_and_swap(f, i);
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

/* bar.red.popc.u32 result, 0, condition: all threads of the block, as __syncthreads_count() has it. */
static int counting_barrier(struct cs_lift_function *f, const struct cs_ptx_instruction *i, int is_aligned) {
  const char *word = cs_ptx_has(i, "popc") ? "popc" : cs_ptx_has(i, "and") ? "and" : "or";
  if (!cs_ptx_has(i, "red") || !cs_ptx_knows(i, "cta red popc and or pred aligned") || i->operand_count != 3 ||
      i->operands[1].kind != CS_PTX_INTEGER || i->operands[2].kind != CS_PTX_NAME)
    return 0;
  char name[64];
  snprintf(name, sizeof name, "llvm.nvvm.barrier.cta.red.%s%s.all", word, is_aligned ? ".aligned" : "");
  LLVMValueRef arguments[] = {cs_lift_number(f->unit, 32, i->operands[1].value),
                              cs_lift_predicate(f, i->operands[2].name, i->operands[2].negated)};
  cs_lift_assign(f, &i->operands[0], cs_lift_intrinsic(f, name, NULL, 0, arguments, 2), 0);
  return 1;
}

int cs_lift_bar(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return block_barrier(f, i, 1) || counting_barrier(f, i, 1);
}

int cs_lift_barrier(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  int is_aligned = cs_ptx_has(i, "aligned");
  return block_barrier(f, i, is_aligned) || counting_barrier(f, i, is_aligned);
}

int cs_lift_trap(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  (void)i;
  cs_lift_intrinsic(f, "llvm.trap", NULL, 0, NULL, 0);
  return 1;
}
