// expressions.cpp: the interval of LLVM's expressions, for steps, numbers of iterations and last values.
#include "pass/ranges/loop_facts.h"
#include "pass/ranges/recursion.h"

namespace cusafe::ranges {

static Maybe convert(const Query &q, const SCEVCastExpr *s) {
  ScalarEvolution &evolution = q.state.evolution;
  auto *low = q.state.whole ? low_part(s) : nullptr;
  unsigned bits = low ? unsigned(evolution.getTypeSizeInBits(low->getType())) : 0;
  if (low && bits < 62)
    return low_bits(q.code(), evolve(q, low->getOperand()), bits);
  Maybe operand = evolve(q, s->getOperand());
  if (!operand)
    return {};
  return s->getSCEVType() == scTruncate ? fit(q.code(), *operand, unsigned(evolution.getTypeSizeInBits(s->getType())))
         : s->getSCEVType() == scZeroExtend ? not_negative(q.code(), *operand)
                                            : *operand;
}

static Maybe quotient_of(const Query &q, const SCEVUDivExpr *s) {
  Maybe a = evolve(q, s->getLHS()), b = evolve(q, s->getRHS());
  if (!a || !b)
    return {};
  Interval x = not_negative(q.code(), narrow_expression(q, s->getLHS(), *a));
  return isa<SCEVConstant>(s->getRHS()) && b->min > 0 ? divide(q.code(), x, b->min)
         : q.state.whole                              ? quotient(q.code(), x, *b)
                                                      : quotient_bound(q.code(), x, *b);
}

static Maybe recurrence_of(const Query &q, const SCEVAddRecExpr *s) {
  ScalarEvolution &evolution = q.state.evolution;
  const Loop *loop = s->getLoop();
  BasicBlock *before = loop->getLoopPredecessor();
  if (!s->isAffine() || !before || loop->contains(q.state.point->getParent()))
    return {};
  for (PHINode &phi : loop->getHeader()->phis())
    if (phi.getType() == s->getType() && evolution.getSCEV(&phi) == s)
      return value(q, &phi);
  Query there = q.in(before);
  Maybe start = evolve(there, s->getStart());
  Maybe step = evolve(there, s->getStepRecurrence(evolution));
  if (!start || !step)
    return {};
  return after_iterations(there, loop, {*start, *step, unsigned(evolution.getTypeSizeInBits(s->getType()))});
}

// Sums, products, minima and maxima of several operands.
static Maybe fold(const Query &q, const SCEV *s) {
  Code &code = q.code();
  SCEVTypes type = s->getSCEVType();
  Maybe all;
  for (const SCEV *operand : s->operands()) {
    Maybe one = evolve(q, operand);
    if (!one)
      return {};
    if (type == scUMaxExpr || type == scUMinExpr || type == scSequentialUMinExpr)
      one = not_negative(code, *one);
    if (!all)
      all = one;
    else if (type == scAddExpr)
      all = add(code, *all, *one);
    else if (type == scMulExpr)
      all = multiply(code, *all, *one);
    else
      all = type == scSMaxExpr || type == scUMaxExpr ? maximum(code, *all, *one) : minimum(code, *all, *one);
  }
  return all ? Maybe(fit(code, *all, unsigned(q.state.evolution.getTypeSizeInBits(s->getType())))) : all;
}

Maybe evolve(const Query &q, const SCEV *s) {
  if (q.depth > MaxDepth || ++q.state.spent > MaxSteps || !s->getType()->isIntegerTy() ||
      q.state.evolution.getTypeSizeInBits(s->getType()) > 64)
    return {};
  switch (s->getSCEVType()) {
  case scConstant: {
    const APInt &c = cast<SCEVConstant>(s)->getAPInt();
    return c.getSignificantBits() <= 62 ? Maybe(constant(q.code(), c.getSExtValue())) : Maybe();
  }
  case scUnknown:
    return value(q.deeper(), cast<SCEVUnknown>(s)->getValue());
  case scTruncate:
  case scZeroExtend:
  case scSignExtend:
    return convert(q.deeper(), cast<SCEVCastExpr>(s));
  case scUDivExpr:
    return quotient_of(q.deeper(), cast<SCEVUDivExpr>(s));
  case scAddRecExpr:
    return recurrence_of(q.deeper(), cast<SCEVAddRecExpr>(s));
  case scAddExpr:
  case scMulExpr:
  case scSMaxExpr:
  case scSMinExpr:
  case scUMaxExpr:
  case scUMinExpr:
  case scSequentialUMinExpr:
    return fold(q.deeper(), s);
  default:
    return {};
  }
}

} // namespace cusafe::ranges
