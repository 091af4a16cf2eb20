/* ahead.c: the test by which a block chooses between a kernel's versions (pass/eliminate.c), made ahead of the launch.
 *
 * The test is the same for all threads of a block, but an engine that runs them one vector after the other does it for each vector,
 * and for a kernel of a few instructions that is most of the work. So the test also becomes a kernel of its own, with one
 * thread for each block, which leaves the answers in memory (`tests` in struct cs_launch). When all blocks of a grid pass it, the
 * driver runs a version of the kernel that has nothing else: neither the test, nor the code for blocks that fail, parts of which the
 * engine would compute for every block. In the kernel itself a block reads its answer, and makes the test where there is none. */
#include "cusafe/ir.h"
#include "retarget/retarget.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_GROUP_ID "_Z12get_group_idj"
#define ENGINE_GLOBAL_ID "_Z13get_global_idj"

static LLVMTypeRef byte(const struct cs_rt_unit *unit) {
  return LLVMInt8TypeInContext(unit->context);
}
static LLVMTypeRef word(const struct cs_rt_unit *unit) {
  return LLVMInt64TypeInContext(unit->context);
}

/* The branch by which the entry chooses, or NULL: it is not the first thing that happens any more. */
static LLVMValueRef choice_of(const struct cs_rt_unit *unit, LLVMValueRef function) {
  static const char mark[] = CS_IR_CHOICE;
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(function));
  unsigned kind = LLVMGetMDKindIDInContext(unit->context, mark, (unsigned)strlen(mark));
  int is_choice = LLVMIsABranchInst(branch) && LLVMIsConditional(branch) && LLVMGetMetadata(branch, kind);
  if (!is_choice || !LLVMIsAInstruction(LLVMGetCondition(branch)))
    return NULL;
  LLVMValueRef otherwise = LLVMBasicBlockAsValue(LLVMGetSuccessor(branch, 1)); /* reached from here only */
  LLVMUseRef use = LLVMGetFirstUse(otherwise);
  return use && !LLVMGetNextUse(use) ? branch : NULL;
}

static LLVMValueRef ask_engine(struct cs_rt_unit *unit, LLVMBuilderRef builder, const char *name) {
  LLVMTypeRef index = LLVMInt32TypeInContext(unit->context), type = LLVMFunctionType(word(unit), &index, 1, 0);
  LLVMValueRef dimension = LLVMConstNull(index);
  return LLVMBuildCall2(builder, type, cs_rt_engine_function(unit, name, type, 0), &dimension, 1, "");
}

/* As a number. */
static LLVMValueRef answers(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function) {
  return cs_rt_load_word(unit, builder, LLVMGetParam(function, 0), offsetof(struct cs_launch, tests));
}

static LLVMValueRef answer_at(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef table) {
  LLVMValueRef at = LLVMBuildAdd(builder, table, ask_engine(unit, builder, ENGINE_GROUP_ID), "");
  return LLVMBuildIntToPtr(builder, at, LLVMPointerTypeInContext(unit->context, 1), "");
}

/* --- The kernel that only tests --- */

static void delete_others(LLVMValueRef function) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  for (LLVMBasicBlockRef b = LLVMGetNextBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
  for (LLVMBasicBlockRef b = LLVMGetNextBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
    while (LLVMGetLastInstruction(b))
      LLVMInstructionEraseFromParent(LLVMGetLastInstruction(b));
  while (LLVMGetNextBasicBlock(entry))
    LLVMDeleteBasicBlock(LLVMGetNextBasicBlock(entry));
}

/* Structures that are passed by value are copied to the stack, from where the test reads them. */
static int fills_stack(LLVMValueRef i) {
  const char *callee = LLVMIsACallInst(i) ? cs_rt_callee(i) : NULL;
  if (LLVMIsAStoreInst(i))
    return cs_rt_bridge_alloca_of(LLVMGetOperand(i, 1)) != NULL;
  return callee && (cs_rt_starts_with(callee, "llvm.memcpy.") || cs_rt_starts_with(callee, "llvm.memset.")) &&
         cs_rt_bridge_alloca_of(LLVMGetOperand(i, 0)) != NULL;
}

/* Whatever else the entry does is the kernel's own to do. */
static void keep_needed(LLVMValueRef last) {
  for (LLVMValueRef i = last, before; i; i = before) {
    before = LLVMGetPreviousInstruction(i);
    if (!LLVMGetFirstUse(i) && !fills_stack(i))
      LLVMInstructionEraseFromParent(i);
  }
}

/* Makes the function a kernel; the caller frees its name. */
static char *name_beside(const struct cs_rt_kernel *kernel, LLVMValueRef function, const char *suffix) {
  char *name = cs_rt_allocate(strlen(kernel->name) + strlen(suffix) + 1, 1);
  strcat(strcpy(name, kernel->name), suffix);
  LLVMSetValueName2(function, name, strlen(name));
  LLVMSetLinkage(function, LLVMExternalLinkage);
  LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(kernel->function));
  return name;
}

static LLVMValueRef make_test(struct cs_rt_unit *unit, const struct cs_rt_kernel *kernel) {
  LLVMValueRef test = cs_rt_bridge_copy_function(kernel->function), branch = choice_of(unit, test);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(test);
  LLVMValueRef good = LLVMGetCondition(branch), last = LLVMGetPreviousInstruction(branch);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMInstructionEraseFromParent(branch);
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMValueRef answer = LLVMBuildZExt(builder, good, byte(unit), "");
  LLVMBuildStore(builder, answer, answer_at(unit, builder, answers(unit, builder, test)));
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  delete_others(test);
  keep_needed(last);
  free(name_beside(kernel, test, CS_KERNEL_TEST_SUFFIX));
  return test;
}

/* --- The kernel for grids that pass --- */

static void add_good(struct cs_rt_unit *unit, unsigned number) {
  struct cs_rt_kernel good = unit->kernels[number];
  good.test = make_test(unit, &unit->kernels[number]);
  good.function = cs_rt_bridge_copy_function(good.function);
  good.name = name_beside(&unit->kernels[number], good.function, CS_KERNEL_GOOD_SUFFIX);
  LLVMValueRef branch = choice_of(unit, good.function);
  LLVMSetCondition(branch, LLVMConstAllOnes(LLVMInt1TypeInContext(unit->context)));
  cs_rt_bridge_fold_branches(good.function);
  unit->kernels[number].good = unit->kernel_count;
  unit->kernels = cs_rt_grow(unit->kernels, unit->kernel_count, sizeof *unit->kernels);
  unit->kernels[unit->kernel_count++] = good;
}

/* --- The kernel that asks --- */

/* Blocks that are reached from this one. */
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

/* Where a test's instructions may go: the test, and the version that is run when it fails, which has many of them in common
 * with it. */
struct places {
  LLVMBasicBlockRef test, exact;
  struct reached good, bad;
};

static int is_in_exact(const struct places *p, LLVMBasicBlockRef block) {
  return reaches(&p->bad, block) && !reaches(&p->good, block);
}

static int is_used_elsewhere(LLVMValueRef instruction, const struct places *p) {
  for (LLVMUseRef use = LLVMGetFirstUse(instruction); use; use = LLVMGetNextUse(use)) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(use));
    if (block != p->test && !is_in_exact(p, block))
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

/* In the test, a copy of its own. */
static void replace_in(LLVMBasicBlockRef block, LLVMValueRef old, LLVMValueRef new) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    cs_rt_replace_operand(i, old, new);
}

/* Calls whose only effect is their result, as they occur in a test. */
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

/* What the version that is run otherwise does not need goes to where it is needed. */
static void move_test(struct cs_rt_unit *unit, LLVMBasicBlockRef entry, const struct places *p) {
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
      put_first(builder, i, p->exact);
    else
      LLVMDeleteInstruction(i);
  }
  LLVMDisposeBuilder(builder);
}

/* The engine would make the test's arithmetic in front of its loop over a block's threads, needed or not. It does not so with
 * what is loaded through a pointer that may be anything: so everything in the test starts from such a load, the highest bit of a
 * variable's address, which is 0. */
static void hold_back(struct cs_rt_unit *unit, LLVMValueRef function, LLVMBasicBlockRef test) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMValueRef first = LLVMGetFirstInstruction(test);
  LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef table = cs_rt_load_word(unit, builder, LLVMGetParam(function, 0), offsetof(struct cs_launch, globals));
  table = LLVMBuildIntToPtr(builder, table, LLVMPointerTypeInContext(unit->context, 1), "");
  LLVMValueRef zero =
      LLVMBuildLShr(builder, cs_rt_load_word(unit, builder, table, 0), LLVMConstInt(word(unit), 63, 0), "");
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

static void ask(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMValueRef branch = choice_of(unit, function), good = LLVMGetCondition(branch);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function), choose = cs_rt_bridge_split_before(branch);
  LLVMBasicBlockRef test = LLVMInsertBasicBlockInContext(unit->context, choose, "test");
  LLVMBasicBlockRef known = LLVMInsertBasicBlockInContext(unit->context, choose, "known");
  LLVMTypeRef bit = LLVMInt1TypeInContext(unit->context);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(entry));
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMValueRef table = answers(unit, builder, function);
  LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, table, LLVMConstNull(word(unit)), ""), test, known);
  LLVMPositionBuilderAtEnd(builder, test);
  LLVMValueRef here = LLVMBuildFreeze(builder, good, "");
  LLVMBuildBr(builder, choose);
  LLVMPositionBuilderAtEnd(builder, known);
  LLVMValueRef answer = LLVMBuildLoad2(builder, byte(unit), answer_at(unit, builder, table), "");
  LLVMValueRef there = LLVMBuildICmp(builder, LLVMIntNE, answer, LLVMConstNull(byte(unit)), "");
  LLVMBuildBr(builder, choose);
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(choose));
  LLVMValueRef phi = LLVMBuildPhi(builder, bit, ""), values[] = {here, there};
  LLVMBasicBlockRef from[] = {test, known};
  LLVMAddIncoming(phi, values, from, 2);
  LLVMSetCondition(branch, phi);
  struct places places = {test, LLVMGetSuccessor(branch, 1), reach(LLVMGetSuccessor(branch, 0)),
                          reach(LLVMGetSuccessor(branch, 1))};
  move_test(unit, entry, &places);
  hold_back(unit, function, test);
  free(places.good.blocks);
  free(places.bad.blocks);
  LLVMDisposeBuilder(builder);
}

int cs_rt_test_ahead(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->program_count && !unit->debug; i++) {
    if (unit->kernels[i].phases || !choice_of(unit, unit->kernels[i].function))
      continue;
    add_good(unit, i);
    ask(unit, unit->kernels[i].function);
  }
  return 0;
}

/* A thread of the test stands for a block. */
static void number_blocks(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      const char *callee = cs_rt_callee(i);
      next = LLVMGetNextInstruction(i);
      if (!callee || strcmp(callee, ENGINE_GROUP_ID) != 0)
        continue;
      LLVMPositionBuilderBefore(builder, i);
      LLVMReplaceAllUsesWith(i, ask_engine(unit, builder, ENGINE_GLOBAL_ID));
      LLVMInstructionEraseFromParent(i);
    }
  LLVMDisposeBuilder(builder);
}

int cs_rt_number_blocks(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (unit->kernels[i].test)
      number_blocks(unit, unit->kernels[i].test);
  return 0;
}
