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

bool mayCopy(const Function &function) {
  unsigned length = 0;
  for (const Instruction &i : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&i);
    if ((call && !cs_pass_is_failure(call) && (call->isConvergent() || call->cannotDuplicate())) ||
        i.getType()->isTokenTy() || ++length > MaxLength)
      return false;
  }
  return true;
}

// Whether the block omits an access that cannot be contained (spaces.cpp).
bool omitsAccess(const BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  auto *test = branch && branch->isConditional() ? dyn_cast<IntrinsicInst>(branch->getCondition()) : nullptr;
  return test && test->getIntrinsicID() == Intrinsic::nvvm_isspacep_shared &&
         cs_pass_is_failure(test->getArgOperand(0));
}

// Only the block of a failed check: it calls the runtime and returns to where the check holds.
bool isCold(const BasicBlock &block) {
  if (!block.getSinglePredecessor() || !(block.getSingleSuccessor() || omitsAccess(block)))
    return false;
  for (const Instruction &i : block)
    if (cs_pass_is_failure(&i))
      return true;
  return false;
}

bool isUsedOutside(const Instruction &i) {
  for (const User *user : i.users())
    if (cast<Instruction>(user)->getParent() != i.getParent() || isa<PHINode>(user))
      return true;
  return false;
}

// Whether computing the value again costs no more than keeping it.
bool isCheap(const Instruction &i) {
  return isa<ICmpInst>(i) || (isa<CastInst>(i) && i.getType()->isIntegerTy());
}

void removeCopies(Function &function) {
  for (BasicBlock &block : function)
    for (PHINode &phi : make_early_inc_range(block.phis()))
      if (phi.getNumIncomingValues() == 1) {
        phi.replaceAllUsesWith(phi.getIncomingValue(0));
        phi.eraseFromParent();
      }
}

// Computes again after a loop what was computed in it. Otherwise each iteration would keep the value in a register of
// its own, for the block in which both copies of the loop end.
void computeAfterLoops(Function &function) {
  removeCopies(function);
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  auto isAfter = [&](const Instruction &user, const Loop &loop) {
    const Loop *around = loops.getLoopFor(user.getParent());
    return !isa<PHINode>(user) && !loop.contains(&user) && (!around || around->contains(&loop));
  };
  for (BasicBlock &block : reverse(function)) {
    const Loop *loop = loops.getLoopFor(&block);
    for (Instruction &i : reverse(block))
      if (loop && isCheap(i))
        for (Use &use : make_early_inc_range(i.uses()))
          if (auto *user = cast<Instruction>(use.getUser()); isAfter(*user, *loop)) {
            Instruction *again = i.clone();
            again->insertBefore(user->getIterator());
            use.set(again);
          }
  }
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

bool cs_pass_is_failure(const Value *value) {
  auto *call = dyn_cast<CallBase>(value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(CS_IR_FAIL);
}

bool cs_pass_leave_on_failure(Function &function) {
  std::vector<BasicBlock *> cold, blocks;
  for (BasicBlock &block : function)
    if (isCold(block))
      cold.push_back(&block);
  if (cold.empty() || !mayCopy(function))
    return false;
  computeAfterLoops(function);
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
