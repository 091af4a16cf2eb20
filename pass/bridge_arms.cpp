// bridge_arms.cpp: an access of its own on either side of a check.
//
// A check gives back the address to use, so the access waits for a choice between two pointers, and nobody can see any more that
// neighbouring threads access neighbouring places. Here the access moves to both sides: the one that is run has the program's own
// pointer. The other is volatile, so that nothing joins them again.
#include "pass/arms.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

struct Check {
  CallInst *call;        // of the cold path
  BasicBlock *from, *to; // the branch, and where both ways meet
  PHINode *choice;
  Instruction *cast; // or null
  Instruction *access;
};

bool isCold(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && (callee->getName() == "__cs_fail" || callee->getName() == "__cs_fail_named");
}

// The access is the first thing that happens where the ways meet.
bool findAccess(Check &check) {
  if (!check.choice->hasOneUse())
    return false;
  Instruction *user = cast<Instruction>(*check.choice->user_begin()), *next = &*check.to->getFirstNonPHIIt();
  check.cast = isa<AddrSpaceCastInst>(user) && user == next && user->hasOneUse() ? user : nullptr;
  if (check.cast) {
    user = cast<Instruction>(*check.cast->user_begin());
    next = check.cast->getNextNode();
  }
  Value *pointer = check.cast ? check.cast : static_cast<Instruction *>(check.choice);
  auto *load = dyn_cast<LoadInst>(user);
  auto *store = dyn_cast<StoreInst>(user);
  bool plain = load ? load->isSimple() : store && store->isSimple() && store->getValueOperand() != pointer;
  check.access = user;
  return plain && user == next;
}

bool recognise(CallInst *call, Check &check) {
  BasicBlock *block = call->getParent();
  check = {call, block->getSinglePredecessor(), block->getSingleSuccessor(), nullptr, nullptr, nullptr};
  if (!check.from || !check.to || !check.to->hasNPredecessors(2) || !call->hasOneUse())
    return false;
  auto *branch = dyn_cast<BranchInst>(check.from->getTerminator());
  check.choice = dyn_cast<PHINode>(*call->user_begin());
  if (!branch || !branch->isConditional() || !check.choice || check.choice->getParent() != check.to ||
      (branch->getSuccessor(0) != check.to && branch->getSuccessor(1) != check.to))
    return false;
  return findAccess(check);
}

Instruction *place(const Check &check, BasicBlock *block, bool cold) {
  IRBuilder<> builder(block->getTerminator());
  builder.SetCurrentDebugLocation(check.access->getDebugLoc());
  Value *pointer = check.choice->getIncomingValueForBlock(block);
  if (check.cast)
    pointer = builder.CreateAddrSpaceCast(pointer, check.cast->getType());
  Instruction *access = check.access->clone();
  access->setOperand(isa<LoadInst>(access) ? 0 : 1, pointer);
  builder.Insert(access);
  if (auto *load = dyn_cast<LoadInst>(access))
    load->setVolatile(cold);
  return access;
}

void split(Check &check) {
  BasicBlock *cold = check.call->getParent(), *warm = SplitEdge(check.from, check.to);
  Instruction *a = place(check, warm, false), *b = place(check, cold, true);
  if (!check.access->getType()->isVoidTy()) {
    auto *value = PHINode::Create(check.access->getType(), 2, "", check.to->begin());
    value->addIncoming(a, warm);
    value->addIncoming(b, cold);
    value->setDebugLoc(check.access->getDebugLoc());
    check.access->replaceAllUsesWith(value);
    value->takeName(check.access);
  }
  check.access->eraseFromParent();
  if (check.cast)
    check.cast->eraseFromParent();
  check.choice->eraseFromParent();
}

} // namespace

void cs_split_arms(Function &function) {
  SmallVector<CallInst *, 16> calls;
  for (Instruction &i : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&i); call && isCold(*call))
      calls.push_back(call);
  Check check;
  for (CallInst *call : calls)
    if (recognise(call, check))
      split(check);
}
