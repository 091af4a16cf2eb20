// range_related.cpp: loops that start where the thread does, as a compiler unrolls them: a loop over the remainder, then one whose steps end exactly at the
// bound. Where they end depends on where they start: expressions in which the two cancel out, and conditions on their differences.
#include "pass/bridge/ranges.h"

// ---- remainders ----

namespace {
// x % 2^m is written as x - 2^m * (x / 2^m): next to -x, the x is gone.
struct Remainders : SCEVRewriteVisitor<Remainders> {
  explicit Remainders(ScalarEvolution &e) : SCEVRewriteVisitor(e) {}
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): the base calls it by its template argument
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *s) {
    auto *low = cs_pass_ranges::low_bits(s);
    if (!low)
      return s;
    unsigned bits = unsigned(SE.getTypeSizeInBits(low->getType())),
             width = unsigned(SE.getTypeSizeInBits(s->getType()));
    const SCEV *x = low->getOperand(), *by = SE.getConstant(APInt::getOneBitSet(width, bits));
    return SE.getMinusSCEV(x, SE.getMulExpr(by, SE.getUDivExpr(x, by)));
  }
};
} // namespace

const SCEV *cs_pass_ranges::without_remainders(const SCEV *s) {
  return Remainders(evolution).visit(s);
}

const SCEVTruncateExpr *cs_pass_ranges::low_bits(const SCEV *s) {
  auto *extended = dyn_cast<SCEVZeroExtendExpr>(s);
  auto *low = extended ? dyn_cast<SCEVTruncateExpr>(extended->getOperand()) : nullptr;
  return low && low->getOperand()->getType() == s->getType() ? low : nullptr;
}

// x % 2^m: x itself where that is small enough.
Maybe cs_pass_ranges::remainder_of(const SCEVTruncateExpr *low, BasicBlock *context, unsigned depth) {
  int64_t mask = (int64_t(1) << evolution.getTypeSizeInBits(low->getType())) - 1;
  Maybe x = evolve(low->getOperand(), context, depth);
  Interval below{number(0), number(mask), nullptr, 0, mask};
  if (!x)
    return below;
  if (!x->exact())
    return intersect(below, within(*x, 0, mask));
  below.low = below.high = builder.CreateAnd(x->low, number(mask));
  below.valid = x->valid;
  return below;
}

// The start of a counter, where the difference to a bound says more than the parts.
Interval cs_pass_ranges::without_remainders(Interval i, Value *start, BasicBlock *context, unsigned depth) {
  const SCEV *before = evolution.getSCEV(start), *after = whole && !i.exact() ? without_remainders(before) : before;
  Maybe other = after == before ? Maybe() : evolve(after, context, depth);
  return other ? intersect(i, *other) : i;
}

// Both hold; where only one is valid, that one.
Interval cs_pass_ranges::intersect(Interval a, Interval b) {
  auto or_else = [&](Interval i, Value *end, int64_t wide) {
    return i.valid ? builder.CreateSelect(i.valid, end, number(wide)) : end;
  };
  Interval result;
  result.low = larger(or_else(a, a.low, -MaxNumber), or_else(b, b.low, -MaxNumber));
  result.high = smaller(or_else(a, a.high, MaxNumber), or_else(b, b.high, MaxNumber));
  result.valid = a.valid && b.valid ? builder.CreateOr(a.valid, b.valid) : nullptr;
  result.min = std::min(a.min, b.min), result.max = std::max(a.max, b.max);
  return result;
}

Maybe cs_pass_ranges::intersect(Maybe a, Maybe b) {
  return a && b ? Maybe(intersect(*a, *b)) : a ? a : b;
}

// ---- conditions on expressions ----

// x + 1 > n bounds x - n. The sides are compared as whole numbers: their difference, and the expression, must not wrap.
Interval cs_pass_ranges::related(Interval i, const SCEV *s, BasicBlock *context, unsigned depth) {
  unsigned width = unsigned(evolution.getTypeSizeInBits(s->getType()));
  if (!whole || depth > Depth)
    return i;
  for (const Guard &guard : SmallVector<Guard, 4>(conditions(context))) {
    CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
    Value *a = guard.compare->getOperand(0), *b = guard.compare->getOperand(1);
    if (a->getType() != s->getType() || p == CmpInst::ICMP_EQ)
      continue;
    if (ICmpInst::isLT(p) || ICmpInst::isLE(p))
      std::swap(a, b), p = CmpInst::getSwappedPredicate(p);
    const SCEV *difference = evolution.getMinusSCEV(evolution.getSCEV(a), evolution.getSCEV(b));
    auto *by = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(s, difference)); // s is a - b + by
    if (!by || by->getAPInt().getSignificantBits() > Narrow)
      continue;
    Maybe x = value(a, guard.at, depth), y = value(b, guard.at, depth);
    if (!x || !y)
      continue;
    if (ICmpInst::isUnsigned(p))
      x = within(*x, 0, MaxNumber), y = within(*y, 0, MaxNumber);
    int64_t c = by->getAPInt().getSExtValue(), least = c + (p != CmpInst::ICMP_SGE && p != CmpInst::ICMP_UGE);
    Interval distance = fit(add(fit(add(*x, negate(*y)), width), constant(c)), width);
    Value *low = p == CmpInst::ICMP_NE
                     ? builder.CreateSelect(builder.CreateICmpEQ(i.low, number(c)), number(least), i.low)
                     : larger(i.low, number(least));
    i.low = distance.valid ? builder.CreateSelect(distance.valid, low, i.low) : low;
  }
  return i;
}
