// claims.h: what the analysis claims about the accesses of one function,
// compared with runs of it. C++ only.
#ifndef CUSAFE_PASS_RANGES_TESTS_CLAIMS_H
#define CUSAFE_PASS_RANGES_TESTS_CLAIMS_H

#include "pass/bridge/analyses.h"
#include "pass/ranges/ranges.h"
#include "pass/ranges/tests/run.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace cusafe::ranges::tests {

// The function @f(ptr, integers ...), whose stores are the accesses; the
// pointer is their root. %point is where code is added.
class Claims {
public:
  Claims(Module &module, bool whole);
  ~Claims();

  // Executes the function with these integers, and these results of calls.
  // Returns false, and prints why, if a claim was wrong.
  bool hold(const std::vector<int64_t> &arguments, const std::map<std::string, int64_t> &calls);

  // A loop that does not end is not defined in C++, and LLVM assumes that one ends whose end is a comparison for an
  // order.
  bool assumes_end = false;
  unsigned long accesses = 0, answered = 0,
                narrow = 0; // executed; of those, with a valid claim; of less than 2^16 bytes

private:
  struct Claim {
    const Instruction *access;
    cs_pass_extent extent;
  };
  bool holds(Run &run, const Claim &claim, int64_t distance);

  Function &function;
  Instruction *point = nullptr;
  Triple triple;
  TargetLibraryInfoImpl libraries;
  TargetLibraryInfo library;
  AssumptionCache assumptions;
  DominatorTree dominators;
  LoopInfo loops;
  ScalarEvolution evolution;
  cs_pass_analyses analyses;
  cs_pass_ranges *ranges;
  std::vector<Claim> claims;
  std::string wrong; // the last claim that did not hold
};

} // namespace cusafe::ranges::tests

#endif
