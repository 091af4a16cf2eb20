// counters.cpp: hides the counters of loops with checks behind moves, which ptxas removes.
#include "pass/bridge/counters.h"
#include "pass/bridge/cold.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace {

// A check in the loop leaves it for a block that reports the failure.
bool hasChecks(const Loop &loop) {
  SmallVector<BasicBlock *, 8> exits;
  loop.getExitBlocks(exits);
  for (const BasicBlock *block : exits)
    if (any_of(*block, [](const Instruction &i) { return cs_pass_is_failure(&i); }))
      return true;
  return false;
}

void hide(PHINode &counter) {
  IRBuilder<> builder(&*counter.getParent()->getFirstInsertionPt());
  Type *type = counter.getType();
  bool wide = type->isIntegerTy(64);
  auto *move = InlineAsm::get(FunctionType::get(type, {type}, false), wide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
                              wide ? "=l,l" : "=r,r", false);
  CallInst *hidden = builder.CreateCall(move, {&counter}, counter.getName());
  hidden->setDoesNotAccessMemory();
  hidden->setDoesNotThrow();
  counter.replaceUsesWithIf(hidden, [&](Use &use) { return use.getUser() != hidden; });
}

} // namespace

bool cs_pass_keep_counters(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !hasChecks(*loop))
      continue;
    for (PHINode &phi : loop->getHeader()->phis())
      if (phi.getType()->isIntegerTy(32) || phi.getType()->isIntegerTy(64)) {
        hide(phi);
        changed = true;
      }
  }
  return changed;
}
