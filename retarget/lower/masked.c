/* masked.c: the marks of warp operations whose mask the pass has given a site: calls around what they become, which
 * remain when that is inlined. */
#include "retarget/lower/masked.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/support/masks.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <string.h>

static LLVMTypeRef u32(struct cs_rt_unit *unit) {
  return LLVMInt32TypeInContext(unit->context);
}

/* Operations of the support library, by the start of their names. The index is the kind: lanes meet in operations of
 * one kind. */
static const struct {
  const char *name;
  unsigned mask; /* the operand */
} operations[] = {{"syncwarp", 0},  {"shfl_up", 0},    {"shfl_down", 0},  {"shfl_bfly", 0}, {"shfl_idx", 0},
                  {"all", 0},       {"any", 0},        {"uni", 0},        {"ballot", 0},    {"match_any", 0},
                  {"match_all", 0}, {"elect", 0},      {"redux_add", 1},  {"redux_and", 1}, {"redux_or", 1},
                  {"redux_xor", 1}, {"redux_umin", 1}, {"redux_umax", 1}, {"redux_min", 1}, {"redux_max", 1}};
enum { OPERATIONS = sizeof operations / sizeof *operations };
_Static_assert(OPERATIONS <= 1 << CS_RT_MASK_KIND_BITS, "a kind fits");

/* A suffix is the type: shfl_up_f. all_shfl_up is a shuffle without a mask. */
static int is_named(const char *name, const char *operation) {
  size_t length = strlen(operation);
  return strncmp(name, operation, length) == 0 && (!name[length] || (name[length] == '_' && strcmp(operation, "all")));
}

/* OPERATIONS: it is none. */
static unsigned kind_of(LLVMValueRef call) {
  const char *name = cs_rt_callee(call);
  unsigned kind = 0;
  if (!name || !cs_ir_starts_with(name, CS_IR_SUPPORT_PREFIX))
    return OPERATIONS;
  name += strlen(CS_IR_SUPPORT_PREFIX);
  while (kind < OPERATIONS && !is_named(name, operations[kind].name))
    kind++;
  return kind;
}

struct cs_rt_masked cs_rt_masked_begin(struct cs_rt_unit *unit, LLVMValueRef instruction) {
  struct cs_rt_masked masked = {0};
  long long number = cs_rt_number_of(unit, instruction, CS_IR_MASK);
  if (number < 0)
    return masked;
  masked.is_checked = number <= CS_RT_MASK_SITE_MAX;
  masked.site = (unsigned)number;
  masked.before = LLVMGetPreviousInstruction(instruction);
  masked.after = LLVMGetNextInstruction(instruction);
  if (!masked.before) { /* the block may be split, but not before its first instruction */
    LLVMBasicBlockRef block = LLVMGetPreviousBasicBlock(LLVMGetInstructionParent(instruction));
    masked.before = block ? LLVMGetBasicBlockTerminator(block) : NULL;
  }
  return masked;
}

static void add_marks(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef call, unsigned what) {
  LLVMTypeRef params[] = {u32(unit), u32(unit)},
              type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), params, 2, 0);
  LLVMTypeRef after = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), NULL, 0, 0);
  LLVMValueRef args[] = {LLVMGetOperand(call, operations[what % (1u << CS_RT_MASK_KIND_BITS)].mask),
                         LLVMConstInt(u32(unit), what, 0)};
  LLVMPositionBuilderBefore(builder, call);
  LLVMBuildCall2(builder, type, cs_rt_engine_function(unit, CS_RT_MASKED, type, 1), args, 2, "");
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(call));
  LLVMBuildCall2(builder, after, cs_rt_engine_function(unit, CS_RT_MASKED_AFTER, after, 1), NULL, 0, "");
}

void cs_rt_masked_end(struct cs_rt_unit *unit, LLVMBuilderRef builder, const struct cs_rt_masked *masked) {
  if (!masked->is_checked)
    return;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(masked->after));
  LLVMValueRef i = masked->before ? cs_ir_next(masked->before) : cs_ir_first(function), next;
  for (; i && i != masked->after; i = next) {
    next = cs_ir_next(i);
    unsigned kind = kind_of(i);
    if (kind < OPERATIONS)
      add_marks(unit, builder, i, masked->site << CS_RT_MASK_KIND_BITS | kind);
  }
}
