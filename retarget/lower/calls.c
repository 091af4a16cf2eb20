/* calls.c: calls of intrinsics and of functions that CUDA's device runtime provides become calls of the support
 * library.
 *
 * They are lowered in two stages. Before inlining: external functions, inline assembly, and all of NVVM but its special
 * registers; after it: everything. */
#include "cusafe/ir.h"
#include "ir/module.h"
#include "ir/names.h"
#include "ptx/wmma.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/deadlock.h"
#include "retarget/lower/marks.h"
#include "retarget/lower/steps.h"
#include "retarget/ptx/asm.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/refuse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum stage { DEVICE_CALLS, ALL_CALLS };

/* --- The table --- */

enum action { REFUSE, CALL, KEEP, DROP };
struct entry {
  const char *name, *function;
  enum action action;
};
static const struct entry entries[] = {
#define CS_RT_INTRINSIC(name, function) {name, #function, CALL},
#define CS_RT_KEEP(name) {name, NULL, KEEP},
#define CS_RT_DROP(name) {name, NULL, DROP},
#define CS_RT_SPECIAL(name)
#define CS_RT_REFUSE(name) {name, NULL, REFUSE},
#include "retarget/lower/intrinsics.inc"
#undef CS_RT_INTRINSIC
#undef CS_RT_KEEP
#undef CS_RT_DROP
#undef CS_RT_SPECIAL
#undef CS_RT_REFUSE
};

static const struct entry *find(const char *name) {
  static const struct entry missing = {NULL, NULL, REFUSE};
  if (!cs_ir_starts_with(name, "llvm."))
    return &missing;
  name += 5;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    size_t length = strlen(entries[i].name);
    int prefix = entries[i].name[length - 1] == '.';
    if (prefix ? strncmp(entries[i].name, name, length) == 0 : strcmp(entries[i].name, name) == 0)
      return &entries[i];
  }
  return &missing;
}

/* --- Calls that need more than another callee --- */

struct lowering {
  struct cs_rt_unit *unit;
  enum stage stage;
  LLVMBuilderRef builder;
};

static void replace(LLVMValueRef old, LLVMValueRef new) {
  if (LLVMGetTypeKind(LLVMTypeOf(old)) != LLVMVoidTypeKind)
    LLVMReplaceAllUsesWith(old, new);
  LLVMInstructionEraseFromParent(old);
}

static int call_and_replace(struct lowering *l, LLVMValueRef call, const char *name) {
  LLVMValueRef args[8];
  unsigned count = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < count && i < 8; i++)
    args[i] = LLVMGetOperand(call, i);
  LLVMValueRef made = cs_rt_call_library(l->unit, l->builder, name, args, count < 8 ? count : 8, LLVMTypeOf(call));
  if (!made)
    return 0;
  replace(call, made);
  return 1;
}

/* In functions of the runtime a trap only records the error, and the kernel continues. */
static int lower_trap(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)name;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
  int continues = cs_ir_starts_with(cs_ir_name(function), CS_IR_RUNTIME_PREFIX);
  return call_and_replace(l, call, continues ? "trap_and_go_on" : "trap");
}

/* Code after such a trap is reachable. */
static void lower_unreachable(struct lowering *l, LLVMValueRef unreachable) {
  LLVMValueRef before = LLVMGetPreviousInstruction(unreachable);
  const char *name = before ? cs_rt_callee(before) : NULL;
  if (!name || strcmp(name, "__cr_trap_and_go_on") != 0)
    return;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(unreachable));
  LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(l->builder);
  else
    LLVMBuildRet(l->builder, LLVMConstNull(result));
  LLVMInstructionEraseFromParent(unreachable);
}

/* clang packs printf's arguments into a struct on the stack: its size is that of the alloca. */
static int lower_vprintf(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)name;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(l->unit->context);
  LLVMValueRef pointer = LLVMGetOperand(call, 1), packed = cs_rt_bridge_alloca_of(pointer);
  unsigned long long bytes = packed ? LLVMABISizeOfType(l->unit->layout, LLVMGetAllocatedType(packed)) : 0;
  if (!packed && !LLVMIsNull(pointer))
    return 0;
  LLVMValueRef args[] = {LLVMGetOperand(call, 0), pointer, LLVMConstInt(i32, bytes, 0)};
  replace(call, cs_rt_call_library(l->unit, l->builder, "vprintf", args, 3, i32));
  return 1;
}

static int lower_assertfail(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)name;
  return call_and_replace(l, call, "assertfail");
}

static int lower_exit(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)name;
  return call_and_replace(l, call, "exit");
}

/* memcpy, memmove and memset: with elements as wide as the alignment and a constant size allow. */
static int lower_block(struct lowering *l, LLVMValueRef call, const char *name) {
  static const char *const kinds[][2] = {{"llvm.memcpy.", "copy"}, {"llvm.memmove.", "move"}, {"llvm.memset.", "set"}};
  const char *kind = NULL;
  for (int i = 0; i < 3; i++)
    if (cs_ir_starts_with(name, kinds[i][0]))
      kind = kinds[i][1];
  if (!kind)
    return 0;
  LLVMValueRef args[] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), LLVMGetOperand(call, 2)};
  LLVMAttributeIndex first = 1;
  unsigned align = cs_ir_attribute_kind("align"), unit = 8;
  for (unsigned i = 0; i < (strcmp(kind, "set") == 0 ? 1 : 2); i++) {
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, first + i, align);
    unsigned long long aligned = attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
    unit = aligned < unit ? (unsigned)aligned : unit;
  }
  while (unit > 1 && (!LLVMIsAConstantInt(args[2]) || LLVMConstIntGetZExtValue(args[2]) % unit))
    unit /= 2;
  char function[32];
  snprintf(function, sizeof function, "%s_%u", kind, unit);
  return cs_rt_call_library(l->unit, l->builder, function, args, 3, LLVMTypeOf(call)) ? (replace(call, NULL), 1) : 0;
}

/* Loads through the read-only cache are plain loads. */
static int lower_load(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)name;
  LLVMValueRef load = LLVMBuildLoad2(l->builder, LLVMTypeOf(call), LLVMGetOperand(call, 0), "");
  LLVMSetAlignment(load, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)));
  replace(call, load);
  return 1;
}

/* Conversions between address spaces and similar: the operand itself. */
static int lower_cast(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)name;
  replace(call, cs_rt_convert(l->builder, LLVMGetOperand(call, 0), LLVMTypeOf(call)));
  return 1;
}

static int lower_reflect(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)name;
  (void)l;
  return LLVMGetFirstUse(call) == NULL ? (LLVMInstructionEraseFromParent(call), 1) : 0;
}

static int lower_expect(struct lowering *l, LLVMValueRef call, const char *name) {
  (void)l;
  (void)name;
  replace(call, LLVMGetOperand(call, 0));
  return 1;
}

/* llvm.nvvm.atomic.OP.gen.{i,f}.{cta,sys}...: the scope has no effect on a coherent memory. */
static int lower_atomic(struct lowering *l, LLVMValueRef call, const char *name) {
  static const struct {
    const char *name;
    LLVMAtomicRMWBinOp op;
  } ops[] = {{"add.gen.f", LLVMAtomicRMWBinOpFAdd}, {"add", LLVMAtomicRMWBinOpAdd}, {"and", LLVMAtomicRMWBinOpAnd},
             {"or", LLVMAtomicRMWBinOpOr},          {"xor", LLVMAtomicRMWBinOpXor}, {"exch", LLVMAtomicRMWBinOpXchg},
             {"max", LLVMAtomicRMWBinOpMax},        {"min", LLVMAtomicRMWBinOpMin}, {"inc", LLVMAtomicRMWBinOpUIncWrap},
             {"dec", LLVMAtomicRMWBinOpUDecWrap}};
  const char *rest = name + strlen("llvm.nvvm.atomic.");
  LLVMValueRef pointer = LLVMGetOperand(call, 0), value = LLVMGetOperand(call, 1);
  const LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
  if (cs_ir_starts_with(rest, "cas.")) {
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(l->builder, pointer, value, LLVMGetOperand(call, 2), order, order, 0);
    replace(call, LLVMBuildExtractValue(l->builder, pair, 0, ""));
    return 1;
  }
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (cs_ir_starts_with(rest, ops[i].name)) {
      replace(call, LLVMBuildAtomicRMW(l->builder, ops[i].op, pointer, value, order, 0));
      return 1;
    }
  return 0;
}

static unsigned result_count(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVoidTypeKind     ? 0
         : LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                       : 1;
}

/* As the inline PTX of other compilers. */
static int lower_wmma(struct lowering *l, LLVMValueRef call, const char *name) {
  char text[CS_PTX_WMMA_TEXT];
  if (!cs_ptx_wmma_text(name, result_count(LLVMTypeOf(call)), LLVMGetNumArgOperands(call), text))
    return 0;
  cs_rt_lower_as_asm(l->unit, call, text);
  return 1;
}

/* The intrinsics are named as the instructions. */
static int lower_cluster_barrier(struct lowering *l, LLVMValueRef call, const char *name) {
  char text[64];
  snprintf(text, sizeof text, "%s;", name + strlen("llvm.nvvm."));
  cs_rt_lower_as_asm(l->unit, call, text);
  return 1;
}

/* llvm.bswap.iN and llvm.bitreverse.iN. The optimiser finds them in code that permutes the lowest N bits of a number: N
 * may be 3. Those of the next width of the table, shifted down. */
static int lower_reversal(struct lowering *l, LLVMValueRef call, const char *name) {
  LLVMTypeRef type = LLVMTypeOf(call);
  unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0, width = 8;
  while (width < bits)
    width *= 2;
  char wide_name[32];
  snprintf(wide_name, sizeof wide_name, "%.*si%u", (int)(strrchr(name, '.') + 1 - name), name, width);
  const char *function = find(wide_name)->function;
  if (bits == 0 || !function)
    return 0;
  if (bits == width)
    return call_and_replace(l, call, function);
  LLVMTypeRef wide = LLVMIntTypeInContext(l->unit->context, width);
  LLVMValueRef operand = LLVMBuildZExt(l->builder, LLVMGetOperand(call, 0), wide, "");
  LLVMValueRef reversed = cs_rt_call_library(l->unit, l->builder, function, &operand, 1, wide);
  LLVMValueRef lowest = LLVMBuildLShr(l->builder, reversed, LLVMConstInt(wide, width - bits, 0), "");
  replace(call, LLVMBuildTrunc(l->builder, lowest, type, ""));
  return 1;
}

/* A cluster is one block. */
static int lower_mapa(struct lowering *l, LLVMValueRef call, const char *name) {
  return strcmp(name, "llvm.nvvm.mapa") == 0 && lower_cast(l, call, name);
}

/* First match wins; names are prefixes. */
static const struct {
  const char *prefix;
  int (*lower)(struct lowering *, LLVMValueRef call, const char *name);
  enum stage stage;
} special[] = {
    {"llvm.trap", lower_trap, DEVICE_CALLS},
    {"llvm.ubsantrap", lower_trap, DEVICE_CALLS},
    {"llvm.nvvm.exit", lower_exit, DEVICE_CALLS},
    {"malloc", call_and_replace, DEVICE_CALLS},
    {"free", call_and_replace, DEVICE_CALLS},
    {"vprintf", lower_vprintf, DEVICE_CALLS},
    {"__assertfail", lower_assertfail, DEVICE_CALLS},
    {"llvm.nvvm.atomic.", lower_atomic, DEVICE_CALLS},
    {"llvm.nvvm.wmma.", lower_wmma, DEVICE_CALLS},
    {"llvm.nvvm.barrier.cluster.", lower_cluster_barrier, DEVICE_CALLS},
    {"llvm.nvvm.mapa", lower_mapa, DEVICE_CALLS},
    {"llvm.nvvm.ldg.", lower_load, DEVICE_CALLS},
    {"llvm.nvvm.ldu.", lower_load, DEVICE_CALLS},
    {"llvm.nvvm.ptr.", lower_cast, DEVICE_CALLS},
    {"llvm.nvvm.move.", lower_cast, DEVICE_CALLS},
    {"llvm.nvvm.internal.addrspace.wrap", lower_cast, DEVICE_CALLS},
    {"llvm.nvvm.reflect", lower_reflect, DEVICE_CALLS},
    {"llvm.expect", lower_expect, ALL_CALLS},
    {"llvm.launder.invariant.group", lower_expect, ALL_CALLS},
    {"llvm.strip.invariant.group", lower_expect, ALL_CALLS},
    {"llvm.arithmetic.fence", lower_expect, ALL_CALLS},
    {"llvm.bswap.", lower_reversal, ALL_CALLS},
    {"llvm.bitreverse.", lower_reversal, ALL_CALLS},
    {"llvm.memcpy.", lower_block, ALL_CALLS},
    {"llvm.memmove.", lower_block, ALL_CALLS},
    {"llvm.memset.", lower_block, ALL_CALLS},
};

/* Left to other steps: barriers of the block, and in the first stage special registers, which show lower-barriers what
 * is uniform. */
static int is_left(const char *name, enum stage stage) {
  if (cs_ir_starts_with(name, "llvm.nvvm.barrier.cta."))
    return find(name)->action != CALL;
  if (stage == ALL_CALLS)
    return 0;
  return cs_ir_starts_with(name, "llvm.nvvm.read.ptx.sreg.") ||
         (cs_ir_starts_with(name, "llvm.") && !cs_ir_starts_with(name, "llvm.nvvm."));
}

/* Whether the function belongs to the support library, or is one of the engine's that it uses. */
static int is_known(struct cs_rt_unit *unit, const char *name) {
  return LLVMGetNamedFunction(unit->support, name) != NULL || cs_ir_starts_with(name, "_Z7barrier") ||
         cs_ir_starts_with(name, "_Z14work_group") || cs_ir_starts_with(name, "_Z21work_group") ||
         strcmp(name, CS_IR_SUPPORT_PREFIX "waits_at") == 0 || cs_ir_starts_with(name, CS_RT_MASKED) ||
         cs_ir_starts_with(name, CS_RT_MBARRIER);
}

static int lower_special(struct lowering *l, LLVMValueRef call, const char *name, int *done) {
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    if (cs_ir_starts_with(name, special[i].prefix)) {
      if (special[i].stage <= l->stage)
        *done = special[i].lower(l, call, name);
      return 1;
    }
  return 0;
}

static void refuse_undefined(struct cs_rt_unit *unit, LLVMValueRef call, const char *name) {
  char *plain = cs_rt_bridge_demangle(name);
  cs_rt_refuse_undefined(unit, call, plain);
  free(plain);
}

static void lower_named(struct lowering *l, LLVMValueRef call, const char *name) {
  int done = 1;
  if (lower_special(l, call, name, &done)) {
    if (!done)
      cs_rt_refuse(l->unit, call, name);
    return;
  }
  if (is_left(name, l->stage))
    return;
  const struct entry *entry = find(name);
  switch (entry->action) {
  case CALL:
    if (!call_and_replace(l, call, entry->function))
      cs_rt_refuse(l->unit, call, name);
    return;
  case DROP:
    replace(call, LLVMGetUndef(LLVMTypeOf(call)));
    return;
  case KEEP:
    return;
  case REFUSE:
    if (is_known(l->unit, name))
      return;
    if (cs_ir_starts_with(name, "_Z"))
      refuse_undefined(l->unit, call, name);
    else
      cs_rt_refuse(l->unit, call, name);
  }
}

/* On the device an out-of-range conversion saturates; in LLVM it is poison. */
static void lower_float_to_int(struct lowering *l, LLVMValueRef cast) {
  LLVMValueRef operand = LLVMGetOperand(cast, 0);
  LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(operand));
  LLVMTypeRef to = LLVMTypeOf(cast);
  if (LLVMGetTypeKind(to) != LLVMIntegerTypeKind || (from != LLVMFloatTypeKind && from != LLVMDoubleTypeKind))
    return;
  unsigned width = LLVMGetIntTypeWidth(to);
  if (width > 64)
    return;
  char name[16];
  snprintf(name, sizeof name, "%c2%s%s_rz", from == LLVMFloatTypeKind ? 'f' : 'd',
           LLVMGetInstructionOpcode(cast) == LLVMFPToUI ? "u" : "", width > 32 ? "ll" : "i");
  replace(cast, cs_rt_call_library(l->unit, l->builder, name, &operand, 1, to));
}

/* A number may be the lower half of an address in shared memory: on a GPU that is all of it. */
static void lower_int_to_shared(struct lowering *l, LLVMValueRef cast) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(l->unit->context);
  LLVMValueRef number = LLVMGetOperand(cast, 0);
  if (cs_ir_space_of(cast) != CS_IR_SPACE_SHARED || LLVMTypeOf(number) != i64 || LLVMIsConstant(number))
    return;
  LLVMSetOperand(cast, 0, cs_rt_call_library(l->unit, l->builder, "shared_address", &number, 1, i64));
}

static void lower_one(LLVMValueRef instruction, void *with) {
  struct lowering *l = with;
  LLVMPositionBuilderBefore(l->builder, instruction);
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  if (l->stage == DEVICE_CALLS && (opcode == LLVMFPToSI || opcode == LLVMFPToUI)) {
    lower_float_to_int(l, instruction);
    return;
  }
  if (l->stage == DEVICE_CALLS && LLVMIsAIntToPtrInst(instruction))
    lower_int_to_shared(l, instruction);
  if (opcode == LLVMUnreachable)
    lower_unreachable(l, instruction);
  if (opcode != LLVMCall)
    return;
  struct cs_rt_marked marked = {0};
  if (l->stage == DEVICE_CALLS) {
    cs_rt_mark_wait(l->unit, l->builder, instruction);
    marked = cs_rt_marks_begin(l->unit, instruction);
  }
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  if (LLVMIsAInlineAsm(callee))
    cs_rt_lower_asm(l->unit, instruction);
  else if (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee))
    lower_named(l, instruction, cs_rt_callee(instruction));
  else if (l->stage == DEVICE_CALLS && cs_rt_callee(instruction) &&
           cs_ir_starts_with(cs_rt_callee(instruction), "__cs_in_frame"))
    call_and_replace(l, instruction, "in_frame");
  cs_rt_marks_end(l->unit, l->builder, &marked);
}

int cs_rt_link_library(struct cs_rt_unit *unit) {
  LLVMModuleRef copy = cs_rt_parse_library(unit->context);
  LLVMSetDataLayout(copy, LLVMGetDataLayoutStr(unit->module));
  LLVMSetTarget(copy, LLVMGetTarget(unit->module));
  return cs_rt_bridge_link_needed(unit->module, copy);
}

static int lower_calls(struct cs_rt_unit *unit, enum stage stage) {
  struct lowering lowering = {unit, stage, LLVMCreateBuilderInContext(unit->context)};
  cs_rt_each_instruction(unit->module, lower_one, &lowering);
  LLVMDisposeBuilder(lowering.builder);
  return cs_rt_link_library(unit);
}

int cs_rt_lower_device_calls(struct cs_rt_unit *unit) {
  return lower_calls(unit, DEVICE_CALLS);
}
int cs_rt_lower_all_calls(struct cs_rt_unit *unit) {
  return lower_calls(unit, ALL_CALLS);
}

/* Removes the hints that inlining introduces; no other intrinsic may reach the back end but the
 * llvm.expect of skip-cold-calls. */
static void settle_one(LLVMValueRef instruction, void *with) {
  struct cs_rt_unit *unit = with;
  const char *name = cs_rt_callee(instruction);
  if (!name || !LLVMIsDeclaration(LLVMGetCalledValue(instruction)))
    return;
  enum action action = find(name)->action;
  if (action == DROP)
    replace(instruction, LLVMGetUndef(LLVMTypeOf(instruction)));
  else if (action != KEEP && cs_ir_starts_with(name, "llvm.") && !cs_ir_starts_with(name, "llvm.expect"))
    cs_rt_refuse(unit, instruction, name);
}

int cs_rt_settle_calls(struct cs_rt_unit *unit) {
  cs_rt_each_instruction(unit->module, settle_one, unit);
  return 0;
}
