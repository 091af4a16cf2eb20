// bridge.cpp: what bridge.h offers, in LLVM's C++ API.
#include "pass/bridge/bridge.h"
#include "pass/bridge/analyses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

extern "C" int cs_pass_dominates(const cs_pass_analyses *analyses, LLVMValueRef value, LLVMValueRef instruction) {
  auto *definition = dyn_cast<Instruction>(unwrap(value));
  return !definition || analyses->dominators.dominates(definition, unwrap<Instruction>(instruction));
}

extern "C" unsigned cs_pass_replace_dominated(const cs_pass_analyses *analyses, LLVMValueRef value, LLVMValueRef by) {
  auto *replacement = unwrap<Instruction>(by);
  unsigned remaining = 0;
  for (Use &use : make_early_inc_range(unwrap(value)->uses())) {
    if (use.getUser() == replacement)
      continue;
    if (analyses->dominators.dominates(replacement, use))
      use.set(replacement);
    else
      remaining++;
  }
  return remaining;
}

extern "C" LLVMBasicBlockRef cs_pass_common_dominator(const cs_pass_analyses *analyses, LLVMBasicBlockRef a,
                                                      LLVMBasicBlockRef b) {
  if (!analyses->dominators.isReachableFromEntry(unwrap(a)))
    return b;
  if (!analyses->dominators.isReachableFromEntry(unwrap(b)))
    return a;
  return wrap(analyses->dominators.findNearestCommonDominator(unwrap(a), unwrap(b)));
}

extern "C" LLVMBasicBlockRef cs_pass_hoist_block(const cs_pass_analyses *analyses, LLVMBasicBlockRef block,
                                                 LLVMValueRef value) {
  BasicBlock *best = nullptr;
  for (Loop *loop = analyses->loops.getLoopFor(unwrap(block)); loop; loop = loop->getParentLoop()) {
    if (!loop->isLoopInvariant(unwrap(value)) || !loop->getLoopPreheader())
      break;
    best = loop->getLoopPreheader();
  }
  return wrap(best);
}

extern "C" int cs_pass_constant_offset(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base,
                                       long long *offset) {
  const DataLayout &data = *unwrap(layout);
  Value *value = unwrap(pointer);
  APInt sum(data.getIndexTypeSizeInBits(value->getType()), 0);
  if (value->stripAndAccumulateConstantOffsets(data, sum, true) != unwrap(base))
    return 0;
  *offset = sum.getSExtValue();
  return 1;
}

extern "C" int cs_pass_is_virtual_pointer(LLVMValueRef value) {
  auto *load = dyn_cast<LoadInst>(unwrap(value));
  MDNode *tag = load ? load->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return tag && tag->isTBAAVtableAccess();
}

static bool add_step(const DataLayout &data, GEPOperator *gep, Value *&index, APInt &scale, APInt &offset) {
  SmallMapVector<Value *, APInt, 4> steps;
  if (!gep->collectOffset(data, offset.getBitWidth(), steps, offset))
    return false;
  for (auto &step : steps) {
    if (index)
      return false;
    index = step.first, scale = step.second;
  }
  return true;
}

extern "C" void cs_pass_promote(LLVMValueRef function) {
  auto &F = *unwrap<Function>(function);
  SmallVector<AllocaInst *, 16> promoted;
  for (Instruction &I : F.getEntryBlock())
    if (auto *slot = dyn_cast<AllocaInst>(&I); slot && isAllocaPromotable(slot))
      promoted.push_back(slot);
  DominatorTree dominators(F);
  PromoteMemToReg(promoted, dominators);
}

extern "C" void cs_pass_set_unseen(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  f->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  f->setDoesNotThrow();
  f->addFnAttr(Attribute::WillReturn);
  f->addFnAttr(Attribute::NoCallback);
}

extern "C" int cs_pass_index_of(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base,
                                cs_pass_index *found) {
  const DataLayout &data = *unwrap(layout);
  APInt offset(64, 0), scale(64, 0);
  Value *index = nullptr, *at = unwrap(pointer);
  for (; at != unwrap(base); at = cast<Operator>(at)->getOperand(0)) {
    if (data.getIndexTypeSizeInBits(at->getType()) != 64)
      return 0;
    if (auto *gep = dyn_cast<GEPOperator>(at)) {
      if (!add_step(data, gep, index, scale, offset))
        return 0;
    } else if (!isa<AddrSpaceCastOperator, BitCastOperator, FreezeInst>(at)) {
      return 0;
    }
  }
  bool is_unsigned = index && isa<ZExtInst>(index);
  if (index && isa<SExtInst, ZExtInst>(index))
    index = cast<CastInst>(index)->getOperand(0);
  if (!index || !index->getType()->isIntegerTy(32) || !scale.isPowerOf2() || offset.getSignificantBits() > 40)
    return 0;
  *found = {wrap(index), scale.logBase2(), offset.getSExtValue(), is_unsigned};
  return 1;
}

extern "C" int cs_pass_steps_by(LLVMTargetDataRef layout, LLVMValueRef gep, unsigned align) {
  const DataLayout &data = *unwrap(layout);
  auto *op = cast<GEPOperator>(unwrap(gep));
  SmallMapVector<Value *, APInt, 4> steps;
  APInt constant(data.getIndexTypeSizeInBits(op->getType()), 0);
  if (!op->collectOffset(data, constant.getBitWidth(), steps, constant) || constant.urem(align) != 0)
    return 0;
  for (auto &step : steps)
    if (step.second.urem(align) != 0)
      return 0;
  return 1;
}

extern "C" void cs_pass_expand_constants(LLVMValueRef global) {
  convertUsersOfConstantsToInstructions({unwrap<Constant>(global)});
}

extern "C" void cs_pass_demangle(const char *name, char *to, size_t room) {
  snprintf(to, room, "%s", demangle(name).c_str());
}

extern "C" const char *cs_pass_scope_function(LLVMMetadataRef scope, size_t *length) {
  StringRef name;
  if (auto *local = dyn_cast_or_null<DILocalScope>(unwrap(scope)))
    if (DISubprogram *program = local->getSubprogram())
      name = program->getLinkageName().empty() ? program->getName() : program->getLinkageName();
  *length = name.size();
  return name.empty() ? "" : name.data();
}

extern "C" LLVMMetadataRef cs_pass_scope_program(LLVMMetadataRef scope) {
  auto *local = dyn_cast_or_null<DILocalScope>(unwrap(scope));
  return wrap(local ? local->getSubprogram() : nullptr);
}

extern "C" void cs_pass_expand_constant_integers(LLVMModuleRef module) {
  SmallVector<Constant *, 16> numbers, todo;
  for (GlobalVariable &variable : unwrap(module)->globals())
    todo.push_back(&variable);
  while (!todo.empty())
    for (User *user : todo.pop_back_val()->users())
      if (auto *expression = dyn_cast<ConstantExpr>(user))
        (expression->getOpcode() == Instruction::PtrToInt ? numbers : todo).push_back(expression);
  convertUsersOfConstantsToInstructions(numbers, nullptr, false, true);
}

extern "C" void cs_pass_verify(LLVMModuleRef module) {
  if (verifyModule(*unwrap(module), &errs()))
    report_fatal_error("cusafe: the instrumented module is not valid IR; this is a bug in CuSafe", false);
}
