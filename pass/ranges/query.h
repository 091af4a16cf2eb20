// query.h: the analysis at one point of a function, and the question that its functions answer. C++ only.
#ifndef CUSAFE_PASS_RANGES_QUERY_H
#define CUSAFE_PASS_RANGES_QUERY_H

#include "pass/bridge/analyses.h"
#include "pass/ranges/conditions.h"
#include "pass/ranges/interval.h"

// What ranges.h declares for C.
struct cs_pass_ranges {
  using Value = llvm::Value;
  using Block = llvm::BasicBlock;

  llvm::Function &function;
  const cs_pass_analyses &analyses;
  llvm::ScalarEvolution &evolution;
  llvm::Instruction *point; // before which code is added
  bool whole;               // for all threads of a grid: the code is the host's
  cusafe::ranges::Code code;
  cusafe::ranges::Conditions conditions;
  unsigned spent = 0; // steps of the recursion (recursion.h)
  llvm::DenseMap<std::pair<Value *, Block *>, cusafe::ranges::Maybe> intervals;
  llvm::DenseMap<Block *, Value *> reached;
  llvm::DenseMap<Value *, Value *> at_point;

  cs_pass_ranges(const cs_pass_analyses &analyses, llvm::Instruction *point, bool whole);
};

namespace cusafe::ranges {

// What is the interval of a value in a context? It holds for every execution of that block: in all iterations of the
// loops around it that do not contain the point, and, for a whole grid, by all threads of all its blocks. Conditions
// that dominate the block narrow it: inside `if (i < n)`, i is below n. An interval means nothing if its context is
// never reached, so its user adds "or not reached" to the test.
struct Query {
  cs_pass_ranges &state;
  BasicBlock *context;
  unsigned depth = 0; // of the recursion

  Query in(BasicBlock *block) const { return {state, block, depth}; }
  Query deeper() const { return {state, context, depth + 1}; }
  Code &code() const { return state.code; }
  Guards conditions() const { return state.conditions.of(context); }
};

} // namespace cusafe::ranges

#endif
