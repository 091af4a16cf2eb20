/* spins.cpp: loops in which a thread waits for what another thread stores or unlocks, among other things. */
#include "cusafe/ir.h"
#include "retarget/bridge/bridge.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

static bool reports(const Instruction &I) {
  auto *call = dyn_cast<CallInst>(&I);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() && callee->getName().starts_with(CS_IR_FAIL);
}

/* A check: one side of the branch calls a function that reports the error, and both continue in the same block of the
 * loop. */
static bool is_check(const Instruction &branch, const Loop &L) {
  if (branch.getNumSuccessors() != 2)
    return false;
  for (unsigned i = 0; i < 2; i++) {
    const BasicBlock *side = branch.getSuccessor(i), *next = branch.getSuccessor(1 - i);
    if (side->getSingleSuccessor() == next && side->getSinglePredecessor() && L.contains(side) && L.contains(next) &&
        next != L.getHeader() && any_of(*side, reports))
      return true;
  }
  return false;
}

namespace {
/* What a value of a loop's iteration decides. */
class Influence {
  const Loop &loop;
  const DominatorTree &dominators;
  SmallVector<const Instruction *, 16> todo;
  SmallPtrSet<const Instruction *, 16> seen;

  void add(const Instruction &I) {
    if (loop.contains(&I) && seen.insert(&I).second)
      todo.push_back(&I);
  }

  /* The values that the variable on the stack has afterwards, at any place of the loop. */
  void add_loads(const StoreInst &store) {
    auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(store.getPointerOperand()));
    if (!variable)
      return;
    SmallVector<const User *, 8> uses(variable->users());
    while (!uses.empty()) {
      auto *I = dyn_cast<Instruction>(uses.pop_back_val());
      if (I && isa<LoadInst>(I))
        add(*I);
      else if (I && (isa<GetElementPtrInst>(I) || isa<CastInst>(I)))
        append_range(uses, I->users());
    }
  }

  /* Which value of a phi, and which stores, depends on the side that the branch takes. */
  void add_controlled(const Instruction &branch) {
    for (const BasicBlock *side : successors(&branch)) {
      BasicBlockEdge edge(branch.getParent(), side);
      auto is_controlled = [&](const BasicBlock *B) { return edge.isSingleEdge() && dominators.dominates(edge, B); };
      for (const BasicBlock *B : loop.blocks()) {
        for (const PHINode &phi : B->phis())
          for (const BasicBlock *from : phi.blocks())
            if (is_controlled(from) || (from == branch.getParent() && B == side))
              add(phi);
        if (is_controlled(B))
          for (const Instruction &I : *B)
            if (auto *store = dyn_cast<StoreInst>(&I))
              add_loads(*store);
      }
    }
  }

public:
  Influence(const Loop &loop, const DominatorTree &dominators) : loop(loop), dominators(dominators) {}

  /* Whether another iteration follows. */
  bool reaches_exit(const Instruction &from) {
    add(from);
    while (!todo.empty()) {
      const Instruction &I = *todo.pop_back_val();
      if (I.isTerminator() && !is_check(I, loop)) {
        if (loop.isLoopExiting(I.getParent()))
          return true;
        add_controlled(I);
      }
      if (auto *store = dyn_cast<StoreInst>(&I))
        add_loads(*store);
      for (const User *U : I.users())
        add(*cast<Instruction>(U));
    }
    return false;
  }
};
} // namespace

/* Locks are also taken by conditions inside of a loop that has a fixed length. */
static bool decides_branch(const Instruction &from, const Loop &L) {
  SmallVector<const Instruction *, 16> todo{&from};
  SmallPtrSet<const Instruction *, 16> seen;
  while (!todo.empty()) {
    const Instruction *I = todo.pop_back_val();
    if (!L.contains(I) || !seen.insert(I).second)
      continue;
    if (I->isTerminator() && !is_check(*I, L))
      return true;
    for (const User *U : I->users())
      todo.push_back(cast<Instruction>(U));
  }
  return false;
}

static bool is_volatile_load(const Instruction &I) {
  return isa<LoadInst>(I) && I.isVolatile();
}

/* Calls `found` with each such instruction and its loop, until it returns true. */
static bool any_wait(Function &F, function_ref<bool(Instruction &)> is_source,
                     function_ref<bool(Loop &, Instruction &, const DominatorTree &)> found) {
  DominatorTree dominators(F);
  LoopInfo loops(dominators);
  for (BasicBlock &B : F)
    if (Loop *L = loops.getLoopFor(&B))
      for (Instruction &I : B)
        if (is_source(I) && found(*L, I, dominators))
          return true;
  return false;
}

int cs_rt_bridge_spins(LLVMValueRef function) {
  auto is_source = [](Instruction &I) {
    return isa<AtomicCmpXchgInst>(I) || isa<AtomicRMWInst>(I) || is_volatile_load(I);
  };
  return any_wait(*unwrap<Function>(function), is_source, [](Loop &L, Instruction &I, const DominatorTree &dominators) {
    return is_volatile_load(I) ? Influence(L, dominators).reaches_exit(I) : decides_branch(I, L);
  });
}

/* The ends of loops that wait for a value that another thread stores. */
static SmallPtrSet<Instruction *, 8> ends_of_waits(Function &F) {
  SmallPtrSet<Instruction *, 8> ends;
  any_wait(F, is_volatile_load, [&](Loop &L, Instruction &I, const DominatorTree &dominators) {
    SmallVector<BasicBlock *, 4> latches;
    if (Influence(L, dominators).reaches_exit(I))
      L.getLoopLatches(latches);
    for (BasicBlock *latch : latches)
      ends.insert(latch->getTerminator());
    return false;
  });
  return ends;
}

int cs_rt_bridge_waits(LLVMValueRef function) {
  return !ends_of_waits(*unwrap<Function>(function)).empty();
}

void cs_rt_bridge_add_yields(LLVMValueRef function, LLVMValueRef mark) {
  auto *callee = unwrap<Function>(mark);
  for (Instruction *end : ends_of_waits(*unwrap<Function>(function)))
    CallInst::Create(callee->getFunctionType(), callee, "", end->getIterator())->setConvergent();
}
