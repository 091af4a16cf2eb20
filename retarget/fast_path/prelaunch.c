/* prelaunch.c: the pre-launch check: the condition by which a block chooses between a kernel's fast path and its checked path
 * (pass/eliminate/eliminate.c), evaluated before the launch.
 *
 * The condition is the same for all threads of a block, but an engine that runs them one vector after the other evaluates it for each
 * vector, and in a kernel of a few instructions that is most of the work. So it also becomes a separate kernel, the check, with one
 * thread for each block, which stores the results in memory (`tests` in struct cs_launch). When all blocks of a grid pass, the
 * driver runs a kernel that is the fast path alone: it has neither the condition nor the checked path, parts of which the
 * engine would compute for every block. In the kernel itself a block loads its result, and evaluates the condition if there is none. */
#include "cusafe/ir.h"
#include "retarget/bridge/bridge.h"
#include "retarget/fast_path/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/memory.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static LLVMTypeRef byte(const struct cs_rt_unit *unit) {
  return LLVMInt8TypeInContext(unit->context);
}
static LLVMTypeRef i64(const struct cs_rt_unit *unit) {
  return LLVMInt64TypeInContext(unit->context);
}

/* The branch between the two paths; NULL if it is no longer the end of the entry. */
static LLVMValueRef choice_of(const struct cs_rt_unit *unit, LLVMValueRef function) {
  static const char mark[] = CS_IR_CHOICE;
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(function));
  unsigned kind = LLVMGetMDKindIDInContext(unit->context, mark, (unsigned)strlen(mark));
  int is_choice = LLVMIsABranchInst(branch) && LLVMIsConditional(branch) && LLVMGetMetadata(branch, kind);
  if (!is_choice || !LLVMIsAInstruction(LLVMGetCondition(branch)))
    return NULL;
  LLVMValueRef checked = LLVMBasicBlockAsValue(LLVMGetSuccessor(branch, 1)); /* the branch is its only predecessor */
  LLVMUseRef use = LLVMGetFirstUse(checked);
  return use && !LLVMGetNextUse(use) ? branch : NULL;
}

static LLVMValueRef call_engine(struct cs_rt_unit *unit, LLVMBuilderRef builder, const char *name) {
  LLVMTypeRef index = LLVMInt32TypeInContext(unit->context), type = LLVMFunctionType(i64(unit), &index, 1, 0);
  LLVMValueRef dimension = LLVMConstNull(index);
  return LLVMBuildCall2(builder, type, cs_rt_engine_function(unit, name, type, 0), &dimension, 1, "");
}

/* The address of the results, as an integer. */
static LLVMValueRef results(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function) {
  return cs_rt_load_u64(unit, builder, LLVMGetParam(function, 0), offsetof(struct cs_launch, tests));
}

static LLVMValueRef result_at(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef table) {
  LLVMValueRef at = LLVMBuildAdd(builder, table, call_engine(unit, builder, CS_RT_ENGINE_GROUP_ID), "");
  return LLVMBuildIntToPtr(builder, at, LLVMPointerTypeInContext(unit->context, 1), "");
}

/* --- The check --- */

/* Structures that are passed by value are copied to the stack, and the condition loads from there. */
static int fills_stack(LLVMValueRef i) {
  const char *callee = LLVMIsACallInst(i) ? cs_rt_callee(i) : NULL;
  if (LLVMIsAStoreInst(i))
    return cs_rt_bridge_alloca_of(LLVMGetOperand(i, 1)) != NULL;
  return callee && (cs_rt_starts_with(callee, "llvm.memcpy.") || cs_rt_starts_with(callee, "llvm.memset.")) &&
         cs_rt_bridge_alloca_of(LLVMGetOperand(i, 0)) != NULL;
}

/* Removes what the entry does for the rest of the kernel. */
static void keep_needed(LLVMValueRef last) {
  for (LLVMValueRef i = last, before; i; i = before) {
    before = LLVMGetPreviousInstruction(i);
    if (!LLVMGetFirstUse(i) && !fills_stack(i))
      LLVMInstructionEraseFromParent(i);
  }
}

/* Makes the function a kernel named after this one; the caller frees the name. */
static char *make_kernel(const struct cs_rt_kernel *kernel, LLVMValueRef function, const char *suffix) {
  char *name = cs_rt_allocate(strlen(kernel->name) + strlen(suffix) + 1, 1);
  strcat(strcpy(name, kernel->name), suffix);
  LLVMSetValueName2(function, name, strlen(name));
  LLVMSetLinkage(function, LLVMExternalLinkage);
  LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(kernel->function));
  return name;
}

static LLVMValueRef make_check(struct cs_rt_unit *unit, const struct cs_rt_kernel *kernel) {
  LLVMValueRef check = cs_rt_bridge_copy_function(kernel->function), branch = choice_of(unit, check);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(check);
  LLVMValueRef passes = LLVMGetCondition(branch), last = LLVMGetPreviousInstruction(branch);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMInstructionEraseFromParent(branch);
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMValueRef result = LLVMBuildZExt(builder, passes, byte(unit), "");
  LLVMBuildStore(builder, result, result_at(unit, builder, results(unit, builder, check)));
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  cs_rt_bridge_fold_branches(check); /* removes all other blocks, which are unreachable by now */
  keep_needed(last);
  free(make_kernel(kernel, check, CS_KERNEL_TEST_SUFFIX));
  return check;
}

/* --- The fast path --- */

static void add_fast_path(struct cs_rt_unit *unit, unsigned number) {
  struct cs_rt_kernel fast = unit->kernels[number];
  fast.prelaunch = make_check(unit, &unit->kernels[number]);
  fast.function = cs_rt_bridge_copy_function(fast.function);
  fast.name = make_kernel(&unit->kernels[number], fast.function, CS_KERNEL_FAST_SUFFIX);
  LLVMValueRef branch = choice_of(unit, fast.function);
  LLVMSetCondition(branch, LLVMConstAllOnes(LLVMInt1TypeInContext(unit->context)));
  cs_rt_bridge_fold_branches(fast.function);
  unit->kernels[number].fast_path = unit->kernel_count;
  unit->kernels = cs_rt_grow(unit->kernels, unit->kernel_count, sizeof *unit->kernels);
  unit->kernels[unit->kernel_count++] = fast;
}

/* --- The kernel itself --- */

/* The basic blocks that can be reached from one of them. */
struct reached {
  LLVMBasicBlockRef *blocks;
  unsigned count;
};

static int reaches(const struct reached *r, LLVMBasicBlockRef block) {
  for (unsigned i = 0; i < r->count; i++)
    if (r->blocks[i] == block)
      return 1;
  return 0;
}

static struct reached reach(LLVMBasicBlockRef from) {
  struct reached r = {cs_rt_allocate(LLVMCountBasicBlocks(LLVMGetBasicBlockParent(from)), sizeof *r.blocks), 0};
  r.blocks[r.count++] = from;
  for (unsigned i = 0; i < r.count; i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(r.blocks[i]);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
      if (!reaches(&r, LLVMGetSuccessor(end, k)))
        r.blocks[r.count++] = LLVMGetSuccessor(end, k);
  }
  return r;
}

/* The blocks that the condition's instructions may move to: the test, and the checked path, which shares many of them. */
struct paths {
  LLVMBasicBlockRef test, checked;
  struct reached from_fast, from_checked;
};

static int is_in_checked(const struct paths *p, LLVMBasicBlockRef block) {
  return reaches(&p->from_checked, block) && !reaches(&p->from_fast, block);
}

static int is_used_elsewhere(LLVMValueRef instruction, const struct paths *p) {
  for (LLVMUseRef use = LLVMGetFirstUse(instruction); use; use = LLVMGetNextUse(use)) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(use));
    if (block != p->test && !is_in_checked(p, block))
      return 1;
  }
  return 0;
}

static int is_used_in(LLVMValueRef instruction, LLVMBasicBlockRef block) {
  for (LLVMUseRef use = LLVMGetFirstUse(instruction); use; use = LLVMGetNextUse(use))
    if (LLVMGetInstructionParent(LLVMGetUser(use)) == block)
      return 1;
  return 0;
}

static void put_first(LLVMBuilderRef builder, LLVMValueRef instruction, LLVMBasicBlockRef block) {
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(block));
  LLVMInsertIntoBuilder(builder, instruction);
}

static void replace_in(LLVMBasicBlockRef block, LLVMValueRef old, LLVMValueRef new) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    cs_rt_replace_operand(i, old, new);
}

/* Calls without side effects, as they occur in conditions. */
static int is_pure_call(LLVMValueRef call) {
  static const char *const names[] = {"llvm.nvvm.read.ptx.sreg.ntid.",
                                      "llvm.nvvm.read.ptx.sreg.ctaid.",
                                      "llvm.nvvm.read.ptx.sreg.nctaid.",
                                      "llvm.smin.",
                                      "llvm.smax.",
                                      "llvm.umin.",
                                      "llvm.umax.",
                                      "llvm.usub.sat.",
                                      "llvm.abs.",
                                      "llvm.ctlz."};
  const char *callee = cs_rt_callee(call);
  for (size_t i = 0; callee && i < sizeof names / sizeof *names; i++)
    if (cs_rt_starts_with(callee, names[i]))
      return 1;
  return 0;
}

static int writes(LLVMValueRef i) {
  return LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) ||
         (LLVMIsACallInst(i) && !is_pure_call(i));
}

/* Moves what the fast path does not need to where it is needed. */
static void move_test(struct cs_rt_unit *unit, LLVMBasicBlockRef entry, const struct paths *p) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  int has_written = 0;
  for (LLVMValueRef i = LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(entry)), before; i; i = before) {
    before = LLVMGetPreviousInstruction(i);
    has_written |= writes(i);
    if (writes(i) || LLVMIsAAllocaInst(i) || !LLVMGetFirstUse(i) || is_used_elsewhere(i, p) ||
        (LLVMIsALoadInst(i) && (has_written || LLVMGetVolatile(i))))
      continue;
    if (is_used_in(i, p->test)) {
      LLVMValueRef copy = LLVMInstructionClone(i);
      put_first(builder, copy, p->test);
      replace_in(p->test, i, copy);
    }
    LLVMInstructionRemoveFromParent(i);
    if (LLVMGetFirstUse(i))
      put_first(builder, i, p->checked);
    else
      LLVMDeleteInstruction(i);
  }
  LLVMDisposeBuilder(builder);
}

/* The engine would hoist the test's arithmetic out of its loop over a block's threads, needed or not. It does not hoist a load
 * through an unknown pointer: so everything in the test depends on such a load, the highest bit of a variable's address,
 * which is 0. */
static void prevent_hoisting(struct cs_rt_unit *unit, LLVMValueRef function, LLVMBasicBlockRef test) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMValueRef first = LLVMGetFirstInstruction(test);
  LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef table = cs_rt_load_u64(unit, builder, LLVMGetParam(function, 0), offsetof(struct cs_launch, globals));
  table = LLVMBuildIntToPtr(builder, table, LLVMPointerTypeInContext(unit->context, 1), "");
  LLVMValueRef zero =
      LLVMBuildLShr(builder, cs_rt_load_u64(unit, builder, table, 0), LLVMConstInt(i64(unit), 63, 0), "");
  for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
      LLVMValueRef from = LLVMGetOperand(i, (unsigned)k);
      LLVMTypeRef type = LLVMTypeOf(from);
      if (!LLVMIsAInstruction(from) || LLVMGetInstructionParent(from) == test)
        continue;
      LLVMPositionBuilderBefore(builder, i);
      if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        LLVMValueRef part = LLVMBuildIntCast2(builder, zero, type, 0, "");
        LLVMSetOperand(i, (unsigned)k, LLVMBuildAdd(builder, from, part, ""));
      } else if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMSetOperand(i, (unsigned)k, LLVMBuildGEP2(builder, byte(unit), from, &zero, 1, ""));
      }
    }
  LLVMDisposeBuilder(builder);
}

static void load_result(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMValueRef branch = choice_of(unit, function), condition = LLVMGetCondition(branch);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function), choose = cs_rt_bridge_split_before(branch);
  LLVMBasicBlockRef test = LLVMInsertBasicBlockInContext(unit->context, choose, "test");
  LLVMBasicBlockRef known = LLVMInsertBasicBlockInContext(unit->context, choose, "known");
  LLVMTypeRef bit = LLVMInt1TypeInContext(unit->context);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(entry));
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMValueRef table = results(unit, builder, function);
  LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, table, LLVMConstNull(i64(unit)), ""), test, known);
  LLVMPositionBuilderAtEnd(builder, test);
  LLVMValueRef evaluated = LLVMBuildFreeze(builder, condition, "");
  LLVMBuildBr(builder, choose);
  LLVMPositionBuilderAtEnd(builder, known);
  LLVMValueRef result = LLVMBuildLoad2(builder, byte(unit), result_at(unit, builder, table), "");
  LLVMValueRef loaded = LLVMBuildICmp(builder, LLVMIntNE, result, LLVMConstNull(byte(unit)), "");
  LLVMBuildBr(builder, choose);
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(choose));
  LLVMValueRef phi = LLVMBuildPhi(builder, bit, ""), values[] = {evaluated, loaded};
  LLVMBasicBlockRef from[] = {test, known};
  LLVMAddIncoming(phi, values, from, 2);
  LLVMSetCondition(branch, phi);
  struct paths paths = {test, LLVMGetSuccessor(branch, 1), reach(LLVMGetSuccessor(branch, 0)),
                        reach(LLVMGetSuccessor(branch, 1))};
  move_test(unit, entry, &paths);
  prevent_hoisting(unit, function, test);
  free(paths.from_fast.blocks);
  free(paths.from_checked.blocks);
  LLVMDisposeBuilder(builder);
}

int cs_rt_add_prelaunch_checks(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->program_count && !unit->debug; i++) {
    if (unit->kernels[i].phases || !choice_of(unit, unit->kernels[i].function))
      continue;
    add_fast_path(unit, i);
    load_result(unit, unit->kernels[i].function);
  }
  return 0;
}

/* A thread of the check represents a block. */
static void number_blocks(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      const char *callee = cs_rt_callee(i);
      next = LLVMGetNextInstruction(i);
      if (!callee || strcmp(callee, CS_RT_ENGINE_GROUP_ID) != 0)
        continue;
      LLVMPositionBuilderBefore(builder, i);
      LLVMReplaceAllUsesWith(i, call_engine(unit, builder, CS_RT_ENGINE_GLOBAL_ID));
      LLVMInstructionEraseFromParent(i);
    }
  LLVMDisposeBuilder(builder);
}

int cs_rt_number_blocks(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (unit->kernels[i].prelaunch)
      number_blocks(unit, unit->kernels[i].prelaunch);
  return 0;
}
