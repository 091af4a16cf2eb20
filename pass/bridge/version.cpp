// version.cpp: copies functions and loops, and builds the branch between the copies of a loop.
#include "pass/bridge/version.h"
#include "pass/bridge/analyses.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

static bool may_copy(const Instruction &i) {
  auto *call = dyn_cast<CallBase>(&i);
  return !(call && call->cannotDuplicate()) && !i.getType()->isTokenTy();
}

extern "C" LLVMValueRef cs_pass_version_entry(LLVMValueRef function) {
  for (Instruction &i : instructions(unwrap<Function>(function)))
    if (!may_copy(i))
      return nullptr;
  BasicBlock &entry = unwrap<Function>(function)->getEntryBlock();
  SmallVector<AllocaInst *, 8> variables;
  for (Instruction &i : entry)
    if (auto *variable = dyn_cast<AllocaInst>(&i))
      variables.push_back(variable);
  auto point = entry.begin();
  for (AllocaInst *variable : variables) {
    if (!variable->isStaticAlloca())
      return nullptr;
    if (&*point == variable)
      ++point;
    else
      variable->moveBefore(point);
  }
  return wrap(&*point);
}

static void mark_all(ArrayRef<BasicBlock *> blocks, unsigned mark) {
  for (BasicBlock *block : blocks)
    for (Instruction &i : *block)
      if (i.mayReadOrWriteMemory())
        i.setMetadata(mark, MDNode::get(i.getContext(), {}));
}

static SmallVector<BasicBlock *, 16> copy_blocks(ArrayRef<BasicBlock *> blocks, ValueToValueMapTy &map) {
  SmallVector<BasicBlock *, 16> copies;
  for (BasicBlock *block : blocks) {
    BasicBlock *copy = CloneBasicBlock(block, map, ".exact", block->getParent());
    map[block] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, map);
  return copies;
}

static void choose(BasicBlock *at, Value *holds, BasicBlock *yes, BasicBlock *no) {
  Instruction *old = at->getTerminator();
  IRBuilder<> builder(old);
  MDNode *weights = MDBuilder(at->getContext()).createLikelyBranchWeights();
  builder.CreateCondBr(builder.CreateFreeze(holds), yes, no, weights);
  old->eraseFromParent();
}

extern "C" LLVMValueRef cs_pass_version_copy(LLVMValueRef function, const char *name) {
  ValueToValueMapTy map;
  Function *copy = CloneFunction(unwrap<Function>(function), map);
  copy->setComdat(nullptr);
  if (copy->hasLocalLinkage())
    copy->setLinkage(GlobalValue::ExternalLinkage); // the host looks it up by name
  copy->setName(name);
  return wrap(copy);
}

extern "C" LLVMValueRef cs_pass_version_extend(LLVMValueRef function, unsigned parameters) {
  auto *old = unwrap<Function>(function);
  SmallVector<Type *, 16> types(old->getFunctionType()->params());
  types.append(parameters, Type::getInt64Ty(old->getContext()));
  auto *type = FunctionType::get(old->getReturnType(), types, false);
  Function *made = Function::Create(type, old->getLinkage(), old->getAddressSpace(), "", old->getParent());
  made->copyAttributesFrom(old);
  made->copyMetadata(old, 0);
  made->takeName(old);
  made->splice(made->begin(), old);
  for (unsigned i = 0; i < old->arg_size(); i++) {
    old->getArg(i)->replaceAllUsesWith(made->getArg(i));
    made->getArg(i)->takeName(old->getArg(i));
  }
  old->eraseFromParent();
  return wrap(made);
}

extern "C" unsigned cs_pass_function_length(LLVMValueRef function) {
  return unwrap<Function>(function)->getInstructionCount();
}

static bool may_copy_loop(const Loop &loop) {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block) {
      auto *call = dyn_cast<CallBase>(&i);
      if ((call && call->isConvergent()) || !may_copy(i))
        return false;
    }
  return true;
}

static unsigned called_in(const BasicBlock &block, unsigned depth);

static unsigned called_by(const Instruction &i, unsigned depth) {
  auto *call = dyn_cast<CallBase>(&i);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  unsigned length = 0;
  if (callee && !callee->isDeclaration() && depth)
    for (const BasicBlock &block : *callee)
      length += unsigned(block.size()) + called_in(block, depth - 1);
  return length;
}

static unsigned called_in(const BasicBlock &block, unsigned depth) {
  unsigned length = 0;
  for (const Instruction &i : block)
    length += called_by(i, depth);
  return length;
}

static void visit(const cs_pass_analyses &analyses, const Loop &loop, cs_pass_visit_loop visitor, void *context) {
  enum { Depth = 3 }; // of calls: most code of a large function is in those that it calls itself
  unsigned length = 0, called = 0;
  for (BasicBlock *block : loop.blocks()) {
    length += block->size();
    called += called_in(*block, Depth);
  }
  bool holds = loop.getLoopPreheader() && loop.isLCSSAForm(analyses.dominators) && may_copy_loop(loop);
  cs_pass_loop seen{wrap(loop.getLoopPreheader()), wrap(loop.getHeader()), length, called, holds};
  if (visitor(context, &seen))
    for (Loop *inner : loop)
      visit(analyses, *inner, visitor, context);
}

extern "C" void cs_pass_visit_loops(const cs_pass_analyses *analyses, cs_pass_visit_loop visitor, void *context) {
  for (Loop *loop : analyses->loops)
    visit(*analyses, *loop, visitor, context);
}

static Loop *loop_of(const cs_pass_analyses *analyses, LLVMBasicBlockRef header) {
  return analyses->loops.getLoopFor(unwrap(header));
}

extern "C" int cs_pass_loop_contains(const cs_pass_analyses *analyses, LLVMBasicBlockRef header,
                                     LLVMBasicBlockRef block) {
  return loop_of(analyses, header)->contains(unwrap(block));
}

extern "C" void cs_pass_version_loop(const cs_pass_analyses *analyses, LLVMBasicBlockRef header, LLVMValueRef holds,
                                     unsigned mark) {
  Loop *loop = loop_of(analyses, header);
  BasicBlock *preheader = loop->getLoopPreheader();
  SmallVector<BasicBlock *, 8> exits;
  loop->getUniqueExitBlocks(exits);
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 16> blocks(loop->blocks());
  mark_all(copy_blocks(blocks, map), mark);
  for (BasicBlock *exit : exits)
    for (PHINode &phi : exit->phis())
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; i++)
        if (loop->contains(phi.getIncomingBlock(i))) {
          Value *value = phi.getIncomingValue(i), *copy = map.lookup(value);
          phi.addIncoming(copy ? copy : value, cast<BasicBlock>(map[phi.getIncomingBlock(i)]));
        }
  choose(preheader, unwrap(holds), loop->getHeader(), cast<BasicBlock>(map[loop->getHeader()]));
}
