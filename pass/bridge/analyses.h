/* analyses.h: LLVM's analyses of one function, as the bridge files share them. C++ only. */
#ifndef CUSAFE_PASS_BRIDGE_ANALYSES_H
#define CUSAFE_PASS_BRIDGE_ANALYSES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

struct cs_pass_analyses {
  llvm::DominatorTree &dominators;
  llvm::LoopInfo &loops;
  llvm::ScalarEvolution &evolution;
};

#endif
