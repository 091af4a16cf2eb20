// loop_facts.cpp: how loops end, and how numbers change in them.
#include "pass/ranges/loop_facts.h"

namespace cusafe::ranges {

// LLVM assumes that a loop that ends where two values are equal does not leap over that end.
static bool may_leap(ScalarEvolution &evolution, const Loop *loop, Value *condition) {
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (isa<ExtractValueInst>(condition)) // the overflow of an addition
    return true;
  if (!compare) { // of several conditions, each may be the end
    auto *parts = dyn_cast<Instruction>(condition);
    return parts && isa<BinaryOperator, SelectInst>(parts) &&
           any_of(parts->operands(), [&](Value *part) { return may_leap(evolution, loop, part); });
  }
  if (!compare->isEquality() || !evolution.isSCEVable(compare->getOperand(0)->getType()))
    return false;
  const SCEV *between =
      evolution.getMinusSCEV(evolution.getSCEV(compare->getOperand(0)), evolution.getSCEV(compare->getOperand(1)));
  while (isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(between))
    between = cast<SCEVIntegralCastExpr>(between)->getOperand();
  auto *distance = dyn_cast<SCEVAddRecExpr>(between);
  if (!distance || distance->getLoop() != loop || !distance->isAffine())
    return false;
  auto *step = dyn_cast<SCEVConstant>(distance->getStepRecurrence(evolution));
  return !step || evolution.getConstantMultiple(distance->getStart()).urem(step->getAPInt().abs()) != 0;
}

// A switch ends a loop where values are equal, too; of other terminators nothing is known.
static bool may_leap_end(ScalarEvolution &evolution, const Loop *loop) {
  SmallVector<BasicBlock *, 4> exiting;
  loop->getExitingBlocks(exiting);
  return any_of(exiting, [&](BasicBlock *block) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    return !branch || (branch->isConditional() && may_leap(evolution, loop, branch->getCondition()));
  });
}

const SCEV *iterations(ScalarEvolution &evolution, const Loop *loop) {
  return may_leap_end(evolution, loop) ? evolution.getCouldNotCompute()
                                       : evolution.getSymbolicMaxBackedgeTakenCount(loop);
}

ConstantRange range_of(ScalarEvolution &evolution, Value *value) {
  const SCEV *s = evolution.getSCEV(value);
  bool leaps = SCEVExprContains(s, [&](const SCEV *part) {
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
    return recurrence && may_leap_end(evolution, recurrence->getLoop());
  });
  return leaps ? ConstantRange::getFull(unsigned(evolution.getTypeSizeInBits(s->getType())))
               : evolution.getSignedRange(s);
}

Guards exits(const cs_pass_analyses &analyses, const Loop *loop, Type *type) {
  Guards list;
  SmallVector<BasicBlock *, 4> exiting;
  loop->getExitingBlocks(exiting);
  BasicBlock *latch = loop->getLoopLatch();
  for (BasicBlock *block : exiting) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (compare && latch && analyses.dominators.dominates(block, latch) && compare->getOperand(0)->getType() == type)
      list.push_back({compare, loop->contains(branch->getSuccessor(0)), block});
  }
  return list;
}

std::optional<Bound> as_bound(const Guard &guard) {
  CmpInst::Predicate p = guard.predicate();
  Value *a = guard.compare->getOperand(0), *b = guard.compare->getOperand(1);
  if (ICmpInst::isGT(p) || ICmpInst::isGE(p)) {
    p = CmpInst::getSwappedPredicate(p);
    std::swap(a, b);
  }
  if (!ICmpInst::isLT(p) && !ICmpInst::isLE(p))
    return {};
  return Bound{a, b, ICmpInst::isLE(p), ICmpInst::isSigned(p)};
}

int64_t constant_step(ScalarEvolution &evolution, PHINode &phi, const Loop *loop) {
  auto *recurrence = phi.getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)) : nullptr;
  auto *step = recurrence && recurrence->isAffine() && recurrence->getLoop() == loop
                   ? dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution))
                   : nullptr;
  return step && step->getAPInt().getSignificantBits() <= Narrow ? step->getAPInt().getSExtValue() : 0;
}

int64_t factor(Value *v, PHINode *phi) {
  auto *op = dyn_cast<BinaryOperator>(v);
  auto *by = op && op->getOperand(0) == phi ? dyn_cast<ConstantInt>(op->getOperand(1)) : nullptr;
  if (!by || by->getValue().getActiveBits() > 20)
    return 0;
  int64_t c = int64_t(by->getZExtValue());
  switch (op->getOpcode()) {
  case Instruction::Mul:
    return c;
  case Instruction::Shl:
    return c < 20 ? int64_t(1) << c : 0;
  case Instruction::SDiv:
    return by->isNegative() ? 0 : -c; // of 20 bits or fewer: the sign changes with each iteration
  case Instruction::UDiv:
    return -c;
  case Instruction::LShr:
  case Instruction::AShr:
    return c < 20 ? -(int64_t(1) << c) : 0;
  default:
    return 0;
  }
}

bool is_next(ScalarEvolution &evolution, const SCEVAddRecExpr *recurrence, Value *v) {
  return evolution.getSCEV(v) == recurrence->getPostIncExpr(evolution);
}

bool ends_at(ScalarEvolution &evolution, const SCEVAddRecExpr *recurrence, Value *bound, int64_t step) {
  const SCEV *distance = evolution.getMinusSCEV(evolution.getSCEV(bound), recurrence->getStart());
  return step > 0 && (step & (step - 1)) == 0 &&
         evolution.getConstantMultiple(without_remainders(evolution, distance)).urem(uint64_t(step)) == 0;
}

namespace {
struct Remainders : SCEVRewriteVisitor<Remainders> {
  explicit Remainders(ScalarEvolution &e) : SCEVRewriteVisitor(e) {}
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): the base calls it by its template argument
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *s) {
    auto *low = low_part(s);
    if (!low)
      return s;
    unsigned bits = unsigned(SE.getTypeSizeInBits(low->getType())),
             width = unsigned(SE.getTypeSizeInBits(s->getType()));
    const SCEV *x = low->getOperand(), *by = SE.getConstant(APInt::getOneBitSet(width, bits));
    return SE.getMinusSCEV(x, SE.getMulExpr(by, SE.getUDivExpr(x, by)));
  }
};
} // namespace

const SCEV *without_remainders(ScalarEvolution &evolution, const SCEV *s) {
  return Remainders(evolution).visit(s);
}

const SCEVTruncateExpr *low_part(const SCEV *s) {
  auto *extended = dyn_cast<SCEVZeroExtendExpr>(s);
  auto *low = extended ? dyn_cast<SCEVTruncateExpr>(extended->getOperand()) : nullptr;
  return low && low->getOperand()->getType() == s->getType() ? low : nullptr;
}

} // namespace cusafe::ranges
