// conditions.h: the comparisons that hold wherever a block is executed: facts of the program, without intervals. C++
// only.
#ifndef CUSAFE_PASS_RANGES_CONDITIONS_H
#define CUSAFE_PASS_RANGES_CONDITIONS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace cusafe::ranges {
using namespace llvm;

struct Guard {
  ICmpInst *compare;
  bool holds;
  BasicBlock *at; // where it is evaluated
  // As it holds: negated if the comparison does not hold.
  CmpInst::Predicate predicate() const { return holds ? compare->getPredicate() : compare->getInversePredicate(); }
};
using Guards = SmallVector<Guard, 4>;

// The comparisons that a condition with this value implies.
Guards implied(Value *condition, bool holds, BasicBlock *at);

// The comparisons that a branch from one block to the other implies.
Guards implied_by_edge(BasicBlock *from, BasicBlock *to);

// v | w > -1: neither has the sign bit. nvcc tests several numbers for their signs in this way.
bool excludes_sign(const Guard &guard, Value *v);

// The comparisons that dominate blocks. Those that dominate the point are not among them: the values at the point
// reflect them.
class Conditions {
public:
  Conditions(const DominatorTree &d, const Instruction *p) : dominators(d), point(p) {}
  // Nearest first.
  Guards of(BasicBlock *block);

private:
  const DominatorTree &dominators;
  const Instruction *point;
  DenseMap<BasicBlock *, Guards> known;
};

} // namespace cusafe::ranges

#endif
