// version.cpp: copies functions and loops, and builds the branch between the copies.
#include "pass/bridge/version.h"
#include "cusafe/ir.h"
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

static Instruction *choose(BasicBlock *at, Value *holds, BasicBlock *yes, BasicBlock *no) {
  Instruction *old = at->getTerminator();
  IRBuilder<> builder(old);
  MDNode *weights = MDBuilder(at->getContext()).createLikelyBranchWeights();
  Instruction *branch = builder.CreateCondBr(builder.CreateFreeze(holds), yes, no, weights);
  old->eraseFromParent();
  return branch;
}

// A check's cold path takes a variable's address. The fast path has its own variables, whose address does not escape.
static void copy_variables(BasicBlock *entry, ValueToValueMapTy &map) {
  SmallVector<AllocaInst *, 8> variables;
  for (Instruction &i : *entry)
    if (auto *variable = dyn_cast<AllocaInst>(&i))
      variables.push_back(variable);
  for (AllocaInst *variable : variables) {
    Instruction *copy = variable->clone();
    copy->setName(variable->getName() + ".exact");
    copy->insertAfter(variable->getIterator());
    map[variable] = copy;
  }
}

extern "C" void cs_pass_version_function(LLVMValueRef point, LLVMValueRef holds, unsigned mark) {
  auto *first = unwrap<Instruction>(point);
  BasicBlock *entry = first->getParent(), *body = entry->splitBasicBlock(first->getIterator(), "cs.body");
  SmallVector<BasicBlock *, 16> blocks;
  for (BasicBlock &block : *entry->getParent())
    if (&block != entry)
      blocks.push_back(&block);
  ValueToValueMapTy map;
  copy_variables(entry, map);
  mark_all(copy_blocks(blocks, map), mark);
  Instruction *branch = choose(entry, unwrap(holds), body, cast<BasicBlock>(map[body]));
  branch->setMetadata(CS_IR_CHOICE,
                      MDNode::get(branch->getContext(), {})); // uniform in a block: retarget/fast_path/prelaunch.c
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

static void visit(const cs_pass_analyses &analyses, const Loop &loop, cs_pass_visit_loop visitor, void *context) {
  unsigned length = 0;
  for (BasicBlock *block : loop.blocks())
    length += block->size();
  bool holds = loop.getLoopPreheader() && loop.isLCSSAForm(analyses.dominators) && may_copy_loop(loop);
  cs_pass_loop seen{wrap(loop.getLoopPreheader()), wrap(loop.getHeader()), length, holds};
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
