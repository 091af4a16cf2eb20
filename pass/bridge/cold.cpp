// cold.cpp: a copy of a function for threads whose check has failed.
#include "pass/bridge/cold.h"
#include "cusafe/ir.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {

constexpr unsigned MaxLength = 1500; // instructions

bool isFailure(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with(CS_IR_FAIL);
}

bool mayCopy(const Function &function) {
  unsigned length = 0;
  for (const Instruction &i : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&i);
    if ((call && !isFailure(*call) && (call->isConvergent() || call->cannotDuplicate())) || i.getType()->isTokenTy() ||
        ++length > MaxLength)
      return false;
  }
  return true;
}

// Whether the block omits an access that cannot be contained (spaces.cpp).
bool omitsAccess(const BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  auto *test = branch && branch->isConditional() ? dyn_cast<IntrinsicInst>(branch->getCondition()) : nullptr;
  return test && test->getIntrinsicID() == Intrinsic::nvvm_isspacep_shared && isa<CallInst>(test->getArgOperand(0)) &&
         isFailure(*cast<CallInst>(test->getArgOperand(0)));
}

// Only the block of a failed check: it calls the runtime and returns to where the check holds.
bool isCold(const BasicBlock &block) {
  if (!block.getSinglePredecessor() || !(block.getSingleSuccessor() || omitsAccess(block)))
    return false;
  for (const Instruction &i : block)
    if (auto *call = dyn_cast<CallInst>(&i); call && isFailure(*call))
      return true;
  return false;
}

bool isUsedOutside(const Instruction &i) {
  for (const User *user : i.users())
    if (cast<Instruction>(user)->getParent() != i.getParent() || isa<PHINode>(user))
      return true;
  return false;
}

// All that one block passes to another is in memory, which both copies share.
std::vector<AllocaInst *> demote(Function &function) {
  std::vector<Instruction *> values;
  std::vector<PHINode *> phis;
  std::vector<AllocaInst *> slots;
  for (Instruction &i : instructions(function)) {
    if (auto *phi = dyn_cast<PHINode>(&i))
      phis.push_back(phi);
    if (!isa<AllocaInst>(i) && isUsedOutside(i))
      values.push_back(&i);
  }
  for (Instruction *value : values)
    if (AllocaInst *slot = DemoteRegToStack(*value))
      slots.push_back(slot);
  for (PHINode *phi : phis)
    if (AllocaInst *slot = DemotePHIToStack(phi))
      slots.push_back(slot);
  return slots;
}

// A thread that left in a loop returns to the original where the loop ends: there the warp's other threads wait for it.
// If it went on in the copy, no block would be on the way of all threads that enter the loop, and those that left the
// loop first would not wait.
void returnAfterLoops(Function &function, ValueToValueMapTy &map) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (Loop *loop : loops)
    for (BasicBlock *block : loop->blocks()) {
      Instruction *end = cast<BasicBlock>(map[block])->getTerminator();
      for (BasicBlock *next : successors(block))
        if (!loop->contains(next))
          end->replaceSuccessorWith(cast<BasicBlock>(map[next]), next);
    }
}

} // namespace

bool cs_pass_leave_on_failure(Function &function) {
  std::vector<BasicBlock *> cold, blocks;
  for (BasicBlock &block : function)
    if (isCold(block))
      cold.push_back(&block);
  if (cold.empty() || !mayCopy(function))
    return false;
  std::vector<AllocaInst *> slots = demote(function);
  for (BasicBlock &block : function)
    if (&block != &function.getEntryBlock())
      blocks.push_back(&block);
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 32> copies;
  for (BasicBlock *block : blocks) {
    BasicBlock *copy = CloneBasicBlock(block, map, ".left", &function);
    map[block] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, map);
  returnAfterLoops(function, map);
  for (BasicBlock *block : cold)
    block->getSinglePredecessor()->getTerminator()->replaceSuccessorWith(block, cast<BasicBlock>(map[block]));
  removeUnreachableBlocks(function);
  DominatorTree dominators(function);
  PromoteMemToReg(slots, dominators);
  return true;
}
