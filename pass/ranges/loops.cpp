// loops.cpp: loop counters: bounded by the comparison that every iteration must pass, or by the number of iterations.
#include "pass/ranges/loop_facts.h"
#include "pass/ranges/recursion.h"

namespace cusafe::ranges {

// A number that grows by the same amount in each iteration.
namespace {
struct Counter {
  PHINode *phi;
  const SCEVAddRecExpr *recurrence;
  Progression values;
};
} // namespace

static Maybe rises(const Query &q, const Counter &c, const Bound &bound) {
  ScalarEvolution &evolution = q.state.evolution;
  const Interval &step = c.values.step;
  bool next = is_next(evolution, c.recurrence, bound.lower);
  if ((!next && bound.lower != c.phi) || !c.recurrence->getLoop()->isLoopInvariant(bound.upper) || step.max <= 0)
    return {};
  Maybe end = value(q, bound.upper);
  if (!end)
    return {};
  bool meets = q.state.whole && step.is_constant() && ends_at(evolution, c.recurrence, bound.upper, step.min);
  return rising(q.code(), c.values, {*end, bound.touches, bound.isSigned, next, meets});
}

static Maybe falls(const Query &q, const Counter &c, const Bound &bound) {
  bool next = is_next(q.state.evolution, c.recurrence, bound.upper);
  if ((!next && bound.upper != c.phi) || !c.recurrence->getLoop()->isLoopInvariant(bound.lower) ||
      c.values.step.min >= 0)
    return {};
  Maybe end = value(q, bound.lower);
  if (!end)
    return {};
  return falling(q.code(), c.values, {*end, bound.touches, bound.isSigned, next, false});
}

// The query's context is the block before the loop, here and below.
static Maybe bounded_by_exit(const Query &q, const Counter &c) {
  for (const Guard &guard : exits(q.state.analyses, c.recurrence->getLoop(), c.phi->getType())) {
    std::optional<Bound> bound = as_bound(guard);
    if (!bound)
      continue;
    if (Maybe up = rises(q, c, *bound))
      return up;
    if (Maybe down = falls(q, c, *bound))
      return down;
  }
  return {};
}

// A counter that every further iteration compares counts the iterations. LLVM does not know their number if the counter
// may wrap.
static Maybe compared_iterations(const Query &q, const Loop *loop) {
  ScalarEvolution &evolution = q.state.evolution;
  for (PHINode &phi : loop->getHeader()->phis()) {
    int64_t step = constant_step(evolution, phi, loop);
    Maybe start = step > 0 ? value(q, phi.getIncomingValueForBlock(q.context)) : Maybe();
    if (!start)
      continue;
    Progression values{*start, constant(q.code(), step), phi.getType()->getIntegerBitWidth()};
    Maybe all = bounded_by_exit(q, {&phi, cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)), values});
    if (all)
      return iterations_of(q.code(), values, *all);
  }
  return {};
}

Maybe after_iterations(const Query &q, const Loop *loop, const Progression &p) {
  const SCEV *count = iterations(q.state.evolution, loop);
  auto *fixed = dyn_cast<SCEVConstant>(count);
  bool known = !isa<SCEVCouldNotCompute>(count);
  if ((!known && !q.state.whole) || (fixed && fixed->getAPInt().getActiveBits() > Narrow))
    return {};
  Maybe upTo = known ? evolve(q, count) : compared_iterations(q, loop);
  if (!upTo)
    return {};
  return iterated(q.code(), p, known ? narrow_expression(q, count, *upTo) : *upTo);
}

Interval up_to_last(const Query &q, const SCEVAddRecExpr *recurrence, const Interval &step, Interval all) {
  ScalarEvolution &evolution = q.state.evolution;
  const SCEV *count = iterations(evolution, recurrence->getLoop());
  if ((step.min < 0 && step.max > 0) || isa<SCEVCouldNotCompute>(count))
    return all;
  const SCEV *end = recurrence->evaluateAtIteration(count, evolution);
  Maybe last = evolve(q, end);
  if (const SCEV *other = q.state.whole ? without_remainders(evolution, end) : end; other != end)
    last = intersect(q.code(), last, evolve(q, other));
  return last ? up_to(q.code(), all, step, *last) : all;
}

// A phi that is multiplied or divided by the same constant each iteration: strides of trees.
static Maybe scaled(const Query &q, PHINode *phi, Loop *loop) {
  BasicBlock *latch = loop->getLoopLatch();
  Maybe start = value(q, phi->getIncomingValueForBlock(q.context));
  int64_t by = latch && phi->getNumIncomingValues() == 2 ? factor(phi->getIncomingValueForBlock(latch), phi) : 0;
  if (!start || (by >= -1 && by <= 1))
    return {};
  Interval from = not_negative(q.code(), *start);
  if (by < 0)
    return divided(q.code(), from);
  for (const Guard &guard : exits(q.state.analyses, loop, phi->getType())) {
    std::optional<Bound> bound = as_bound(guard);
    bool next = bound && bound->lower == phi->getIncomingValueForBlock(latch);
    if (!bound || (!next && bound->lower != phi) || !loop->isLoopInvariant(bound->upper))
      continue;
    Maybe end = value(q, bound->upper);
    if (end)
      return multiplied(q.code(), from, by, phi->getType()->getIntegerBitWidth(),
                        {*end, bound->touches, bound->isSigned, next, false});
  }
  return {};
}

// The start of a counter, where the difference to a bound says more than the parts.
static Interval narrow_start(const Query &q, Value *start, Interval i) {
  const SCEV *before = q.state.evolution.getSCEV(start);
  const SCEV *after = q.state.whole && !i.exact() ? without_remainders(q.state.evolution, before) : before;
  Maybe other = after == before ? Maybe() : evolve(q, after);
  return other ? intersect(q.code(), i, *other) : i;
}

Maybe counter(const Query &q, PHINode *phi, Loop *loop) {
  ScalarEvolution &evolution = q.state.evolution;
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  BasicBlock *before = loop->getLoopPredecessor();
  if (!before || loop->contains(q.state.point->getParent()))
    return {};
  Query there = q.in(before);
  if (!recurrence)
    return scaled(there, phi, loop);
  if (recurrence->getLoop() != loop || !recurrence->isAffine())
    return {};
  Value *first = phi->getIncomingValueForBlock(before);
  Maybe start = value(there, first);
  Maybe step = evolve(there, recurrence->getStepRecurrence(evolution));
  if (!start || !step)
    return {};
  Progression values{narrow_start(there, first, *start), *step, phi->getType()->getIntegerBitWidth()};
  if (Maybe bounded = bounded_by_exit(there, {phi, recurrence, values}))
    return bounded;
  Maybe all = after_iterations(there, loop, values);
  return all ? Maybe(up_to_last(there, recurrence, *step, *all)) : all;
}

Maybe merged(const Query &q, PHINode *phi) {
  Code &code = q.code();
  Loop *loop = q.state.analyses.loops.getLoopFor(phi->getParent());
  if (loop && loop->getHeader() == phi->getParent())
    return counter(q, phi, loop);
  if (phi->getNumIncomingValues() > 4)
    return {};
  Maybe all;
  for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
    BasicBlock *from = phi->getIncomingBlock(i);
    Maybe one = value(q.in(from), phi->getIncomingValue(i));
    if (!one)
      return {};
    Value *may = both(code, reached(q.state, from), possible(q, from, phi->getParent()));
    if (one->valid && may) { // what does not come from this block need not be valid; min and max then hold as well
      one->valid = code.CreateOr(one->valid, code.CreateNot(may));
      one->low = larger(code, one->low, number(code, one->min));
      one->high = smaller(code, one->high, number(code, one->max));
    }
    all = all ? unite(code, *all, *one) : *one;
  }
  return all;
}

} // namespace cusafe::ranges
