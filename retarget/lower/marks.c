/* marks.c: the marks of operations that the pass has given a site: calls around what they become, which remain when
 * that is inlined. */
#include "retarget/lower/marks.h"
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/lower/grid.h"
#include "retarget/support/masks.h"
#include "retarget/support/mbarriers.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <string.h>

static LLVMTypeRef u32(struct cs_rt_unit *unit) {
  return LLVMInt32TypeInContext(unit->context);
}

static LLVMTypeRef none(struct cs_rt_unit *unit) {
  return LLVMVoidTypeInContext(unit->context);
}

static void call_mark(struct cs_rt_unit *unit, LLVMBuilderRef builder, const char *name, LLVMTypeRef *params,
                      LLVMValueRef *args, unsigned count) {
  LLVMTypeRef type = LLVMFunctionType(none(unit), params, count, 0);
  LLVMBuildCall2(builder, type, cs_rt_engine_function(unit, name, type, 1), args, count, "");
}

/* The rest of the name of a function of the support library; NULL for other calls. */
static const char *library_name(LLVMValueRef call) {
  const char *name = cs_rt_callee(call);
  return name && cs_ir_starts_with(name, CS_IR_SUPPORT_PREFIX) ? name + strlen(CS_IR_SUPPORT_PREFIX) : NULL;
}

/* --- Warp operations --- */

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
static unsigned kind_of(const char *name) {
  unsigned kind = 0;
  while (kind < OPERATIONS && !is_named(name, operations[kind].name))
    kind++;
  return kind;
}

static void mark_mask(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef call, long long site) {
  const char *name = library_name(call);
  unsigned kind = name && site <= CS_RT_MASK_SITE_MAX ? kind_of(name) : OPERATIONS;
  if (kind == OPERATIONS)
    return;
  LLVMTypeRef params[] = {u32(unit), u32(unit)};
  LLVMValueRef args[] = {LLVMGetOperand(call, operations[kind].mask),
                         LLVMConstInt(u32(unit), (unsigned)site << CS_RT_MASK_KIND_BITS | kind, 0)};
  LLVMPositionBuilderBefore(builder, call);
  call_mark(unit, builder, CS_RT_MASKED, params, args, 2);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(call));
  call_mark(unit, builder, CS_RT_MASKED_AFTER, NULL, NULL, 0);
}

/* --- Operations on mbarriers --- */

static const struct mbarrier_operation {
  const char *name;
  enum cs_rt_mbarrier_kind kind;
  int has_count; /* operand 1 is a count of arrivals; else the operation counts as `arrivals` of them */
  unsigned arrivals;
} mbarrier_operations[] = {{"mbarrier_init", CS_RT_MBARRIER_INIT, 1, 0},
                           {"mbarrier_inval", CS_RT_MBARRIER_INVAL, 0, 0},
                           {"mbarrier_arrive", CS_RT_MBARRIER_CHANGE, 1, 0},
                           {"mbarrier_arrive_drop", CS_RT_MBARRIER_CHANGE, 1, 0},
                           {"mbarrier_arrive_some", CS_RT_MBARRIER_SOME, 1, 0},
                           {"mbarrier_drop_some", CS_RT_MBARRIER_SOME, 1, 0},
                           {"mbarrier_arrive_expect", CS_RT_MBARRIER_CHANGE, 0, 1},
                           {"mbarrier_expect", CS_RT_MBARRIER_CHANGE, 0, 0},
                           {"mbarrier_complete", CS_RT_MBARRIER_CHANGE, 0, 0},
                           {"mbarrier_passed", CS_RT_MBARRIER_WAIT, 0, 0},
                           {"mbarrier_passed_parity", CS_RT_MBARRIER_WAIT, 0, 0},
                           {NULL, CS_RT_MBARRIER_WAIT, 0, 0}};

static void mark_mbarrier(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef call, long long site) {
  const char *name = library_name(call);
  const struct mbarrier_operation *o = mbarrier_operations;
  while (name && o->name && strcmp(o->name, name))
    o++;
  if (!name || !o->name || site > CS_RT_MBARRIER_SITE_MAX)
    return;
  LLVMTypeRef pointer = LLVMPointerTypeInContext(unit->context, 0), params[] = {pointer, u32(unit), u32(unit)};
  LLVMValueRef args[] = {LLVMGetOperand(call, 0),
                         LLVMConstInt(u32(unit), (unsigned)site << CS_RT_MBARRIER_KIND_BITS | o->kind, 0),
                         o->has_count ? LLVMGetOperand(call, 1) : LLVMConstInt(u32(unit), o->arrivals, 0)};
  LLVMPositionBuilderBefore(builder, call);
  call_mark(unit, builder, CS_RT_MBARRIER, params, args, 3);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(call));
  call_mark(unit, builder, CS_RT_MBARRIER_AFTER, params, args, 2);
}

/* --- Both --- */

struct cs_rt_marked cs_rt_marks_begin(struct cs_rt_unit *unit, LLVMValueRef instruction) {
  struct cs_rt_marked marked = {.mask = cs_rt_number_of(unit, instruction, CS_IR_MASK),
                                .mbarrier = cs_rt_number_of(unit, instruction, CS_IR_MBARRIER)};
  if (marked.mask < 0 && marked.mbarrier < 0)
    return marked;
  marked.before = LLVMGetPreviousInstruction(instruction);
  marked.after = LLVMGetNextInstruction(instruction);
  if (!marked.before) { /* the block may be split, but not before its first instruction */
    LLVMBasicBlockRef block = LLVMGetPreviousBasicBlock(LLVMGetInstructionParent(instruction));
    marked.before = block ? LLVMGetBasicBlockTerminator(block) : NULL;
  }
  return marked;
}

void cs_rt_marks_end(struct cs_rt_unit *unit, LLVMBuilderRef builder, const struct cs_rt_marked *marked) {
  if (!marked->after)
    return;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(marked->after));
  LLVMValueRef i = marked->before ? cs_ir_next(marked->before) : cs_ir_first(function), next;
  for (; i && i != marked->after; i = next) {
    next = cs_ir_next(i);
    if (marked->mask >= 0)
      mark_mask(unit, builder, i, marked->mask);
    if (marked->mbarrier >= 0)
      mark_mbarrier(unit, builder, i, marked->mbarrier);
  }
}

int cs_rt_marks_are_checked(struct cs_rt_unit *unit, LLVMValueRef function) {
  return cs_rt_kernel_of(unit, function) && LLVMGetNamedGlobal(unit->module, CS_SYM_STATE) &&
         LLVMGetNamedGlobal(unit->module, CS_SYM_COUNTS) && !cs_rt_reads_workspace(function);
}
