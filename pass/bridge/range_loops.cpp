// range_loops.cpp: loop counters: bounded by the comparison that every iteration must pass, or by the number of iterations.
#include "pass/bridge/ranges.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

Maybe cs_pass_ranges::meeting(PHINode *phi, unsigned depth) {
  Loop *loop = analyses.loops.getLoopFor(phi->getParent());
  if (loop && loop->getHeader() == phi->getParent())
    return counter(phi, loop, depth);
  if (phi->getNumIncomingValues() > 4)
    return {};
  Maybe all;
  for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
    Maybe one = value(phi->getIncomingValue(i), phi->getIncomingBlock(i), depth);
    if (!one)
      return {};
    BasicBlock *from = phi->getIncomingBlock(i);
    Value *may = both(reached(from), possible(from, phi->getParent(), depth));
    if (one->valid &&
        may) { // a value that does not come from this block need not be valid; min and max then hold as well
      one->valid = builder.CreateOr(one->valid, builder.CreateNot(may));
      one->low = larger(one->low, number(one->min)), one->high = smaller(one->high, number(one->max));
    }
    all = all ? unite(*all, *one) : *one;
  }
  return all;
}

// A phi that grows or shrinks by the same amount each iteration.
Maybe cs_pass_ranges::counter(PHINode *phi, Loop *loop, unsigned depth) {
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  BasicBlock *before = loop->getLoopPredecessor();
  if (!recurrence && before && !loop->contains(point->getParent()))
    return scaled(phi, loop, before, depth);
  if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine() || !before ||
      loop->contains(point->getParent()))
    return {};
  unsigned width = phi->getType()->getIntegerBitWidth();
  Maybe start = value(phi->getIncomingValueForBlock(before), before, depth);
  Maybe step = evolve(recurrence->getStepRecurrence(evolution), before, depth);
  if (!start || !step)
    return {};
  start = without_remainders(*start, phi->getIncomingValueForBlock(before), before, depth);
  if (Maybe bounded = bounded_by_exit(phi, loop, before, recurrence, *start, *step, width, depth))
    return bounded;
  Maybe all = after_iterations(*start, *step, loop, before, width, depth);
  return all ? Maybe(up_to_last(*all, recurrence, *step, loop, before, depth)) : all;
}

// LLVM takes for granted that a loop that ends where two values are equal does not leap over that end.
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
bool cs_pass_ranges::may_leap_end(const Loop *loop) {
  SmallVector<BasicBlock *, 4> exiting;
  loop->getExitingBlocks(exiting);
  return any_of(exiting, [&](BasicBlock *block) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    return !branch || (branch->isConditional() && may_leap(evolution, loop, branch->getCondition()));
  });
}

const SCEV *cs_pass_ranges::iterations(const Loop *loop) {
  return may_leap_end(loop) ? evolution.getCouldNotCompute() : evolution.getSymbolicMaxBackedgeTakenCount(loop);
}

// LLVM limits the range of a counter by the number of iterations.
ConstantRange cs_pass_ranges::range_of(Value *value) {
  const SCEV *s = evolution.getSCEV(value);
  bool leaps = SCEVExprContains(s, [&](const SCEV *part) {
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
    return recurrence && may_leap_end(recurrence->getLoop());
  });
  return leaps ? ConstantRange::getFull(unsigned(evolution.getTypeSizeInBits(s->getType())))
               : evolution.getSignedRange(s);
}

Interval cs_pass_ranges::up_to_last(Interval i, const SCEVAddRecExpr *recurrence, Interval step, Loop *loop,
                                    BasicBlock *before, unsigned depth) {
  const SCEV *count = iterations(loop);
  if ((step.min < 0 && step.max > 0) || isa<SCEVCouldNotCompute>(count))
    return i;
  const SCEV *end = recurrence->evaluateAtIteration(count, evolution);
  Maybe last = evolve(end, before, depth);
  if (const SCEV *other = whole ? without_remainders(end) : end; other != end)
    last = intersect(last, evolve(other, before, depth));
  if (!last)
    return i;
  if (step.min >= 0) {
    Value *high = smaller(i.high, last->high);
    i.high = last->valid ? builder.CreateSelect(last->valid, high, i.high) : high;
  } else {
    Value *low = larger(i.low, last->low);
    i.low = last->valid ? builder.CreateSelect(last->valid, low, i.low) : low;
  }
  return i;
}

// The constant by which a number is multiplied, or divided (negative), 0 for anything else.
int64_t cs_pass_ranges::factor(Value *v, PHINode *phi) {
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
  case Instruction::UDiv:
  case Instruction::SDiv:
    return -c;
  case Instruction::LShr:
  case Instruction::AShr:
    return c < 20 ? -(int64_t(1) << c) : 0;
  default:
    return 0;
  }
}

// A phi that is multiplied or divided by the same constant each iteration: strides of trees. It starts at 0 or above.
Maybe cs_pass_ranges::scaled(PHINode *phi, Loop *loop, BasicBlock *before, unsigned depth) {
  BasicBlock *latch = loop->getLoopLatch();
  Maybe start = value(phi->getIncomingValueForBlock(before), before, depth);
  int64_t by = latch && phi->getNumIncomingValues() == 2 ? factor(phi->getIncomingValueForBlock(latch), phi) : 0;
  if (!start || (by >= -1 && by <= 1))
    return {};
  Interval from = within(*start, 0, MaxNumber);
  if (by < 0)
    return Interval{number(0), from.high, from.valid, 0, from.max};
  unsigned width = phi->getType()->getIntegerBitWidth();
  for (const Guard &guard : exits(loop, phi->getType())) {
    std::optional<Bound> bound = as_bound(guard.compare, guard.holds);
    bool next = bound && bound->lower == phi->getIncomingValueForBlock(latch);
    if (!bound || (!next && bound->lower != phi) || !loop->isLoopInvariant(bound->upper))
      continue;
    Maybe end = value(bound->upper, before, depth);
    if (!end)
      continue;
    if (!bound->isSigned) // 0xffffffff is not -1
      end = within(*end, 0, MaxNumber);
    Interval last = within(bound->touches ? *end : add(*end, constant(-1)), -1, MaxNumber);
    if (!next)
      last = multiply(last, constant(by));
    Interval result = unite(from, last);
    result.low = from.low, result.min = from.min;
    result.valid = both(result.valid, fit(multiply(result, constant(by)), width).valid);
    return result;
  }
  return {};
}

// The comparisons that every further iteration must pass.
SmallVector<Guard, 4> cs_pass_ranges::exits(Loop *loop, Type *type) {
  SmallVector<Guard, 4> list;
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

// 0: it is no counter of the loop, or grows by something else.
int64_t cs_pass_ranges::constant_step(PHINode &phi, Loop *loop) {
  auto *recurrence = phi.getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)) : nullptr;
  auto *step = recurrence && recurrence->isAffine() && recurrence->getLoop() == loop
                   ? dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution))
                   : nullptr;
  return step && step->getAPInt().getSignificantBits() <= Narrow ? step->getAPInt().getSExtValue() : 0;
}

// A counter that every further iteration compares counts the iterations. LLVM does not know their number if the counter may wrap.
Maybe cs_pass_ranges::compared_iterations(Loop *loop, BasicBlock *before, unsigned depth) {
  for (PHINode &phi : loop->getHeader()->phis()) {
    int64_t step = constant_step(phi, loop);
    Maybe start = step > 0 ? value(phi.getIncomingValueForBlock(before), before, depth) : Maybe();
    if (!start)
      continue;
    Maybe all = bounded_by_exit(&phi, loop, before, cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)), *start,
                                constant(step), phi.getType()->getIntegerBitWidth(), depth);
    if (!all)
      continue;
    Interval upTo = divide(add(*all, negate(*start)), step);
    upTo.low = number(0), upTo.min = 0;
    return upTo;
  }
  return {};
}

// start + step * (0 ... iterations).
Maybe cs_pass_ranges::after_iterations(Interval start, Interval step, Loop *loop, BasicBlock *before, unsigned width,
                                       unsigned depth) {
  const SCEV *count = iterations(loop);
  auto *fixed = dyn_cast<SCEVConstant>(count);
  bool known = !isa<SCEVCouldNotCompute>(count);
  if ((!known && !whole) || (fixed && fixed->getAPInt().getActiveBits() > Narrow))
    return {};
  Maybe iterations = known ? evolve(count, before, depth) : compared_iterations(loop, before, depth);
  if (!iterations)
    return {};
  Interval upTo = within(known ? related(*iterations, count, before, depth) : *iterations, 0, MaxNumber);
  upTo.low = number(0), upTo.min = 0;
  return fit(add(start, multiply(step, upTo)), width);
}

std::optional<cs_pass_ranges::Bound> cs_pass_ranges::as_bound(ICmpInst *compare, bool holds) {
  CmpInst::Predicate p = holds ? compare->getPredicate() : compare->getInversePredicate();
  Value *a = compare->getOperand(0), *b = compare->getOperand(1);
  if (ICmpInst::isGT(p) || ICmpInst::isGE(p)) {
    p = CmpInst::getSwappedPredicate(p);
    std::swap(a, b);
  }
  if (!ICmpInst::isLT(p) && !ICmpInst::isLE(p))
    return {};
  return Bound{a, b, ICmpInst::isLE(p), ICmpInst::isSigned(p)};
}

Maybe cs_pass_ranges::bounded_by_exit(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence,
                                      Interval start, Interval step, unsigned width, unsigned depth) {
  for (const Guard &guard : exits(loop, phi->getType())) {
    std::optional<Bound> bound = as_bound(guard.compare, guard.holds);
    if (!bound)
      continue;
    if (Maybe up = rising(phi, loop, before, recurrence, *bound, start, step, width, depth))
      return up;
    if (Maybe down = falling(phi, loop, before, recurrence, *bound, start, step, width, depth))
      return down;
  }
  return {};
}

bool cs_pass_ranges::is_next(const SCEVAddRecExpr *recurrence, Value *v) {
  return evolution.getSCEV(v) == recurrence->getPostIncExpr(evolution);
}

// Whether the counter, a multiple of a power of two away from the bound, would reach it: below it, it is a whole step below.
bool cs_pass_ranges::ends_at(const SCEVAddRecExpr *recurrence, Value *bound, int64_t step) {
  const SCEV *distance = evolution.getMinusSCEV(evolution.getSCEV(bound), recurrence->getStart());
  return step > 0 && (step & (step - 1)) == 0 &&
         evolution.getConstantMultiple(without_remainders(distance)).urem(uint64_t(step)) == 0;
}

// Goes up while it, or its next value, is below the bound. It cannot wrap if one step from the highest value does not.
Maybe cs_pass_ranges::rising(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence,
                             Bound bound, Interval start, Interval step, unsigned width, unsigned depth) {
  bool next = is_next(recurrence, bound.lower);
  if ((!next && bound.lower != phi) || !loop->isLoopInvariant(bound.upper) || step.max <= 0)
    return {};
  Maybe end = value(bound.upper, before, depth);
  if (!end)
    return {};
  step = within(step, 0, MaxNumber);
  if (!bound.isSigned)
    start = within(start, 0, MaxNumber), end = within(*end, 0, MaxNumber);
  Interval last = bound.touches ? *end : add(*end, constant(-1));
  if (start.exact() && step.min == step.max && step.min > 1) // only every step-th number
    last = add(start, multiply(divide(add(last, negate(start)), step.min), constant(step.min)));
  else if (whole && !bound.touches && step.min == step.max && ends_at(recurrence, bound.upper, step.min))
    last = add(*end, constant(-step.min));
  if (!next)
    last = add(last, step);
  Interval result = unite(start, last);
  result.low = start.low, result.min = start.min;
  result.valid = both(result.valid, both(step.valid, fit(add(result, step), width).valid));
  return result;
}

// Goes down while it, or its next value, is above the bound.
Maybe cs_pass_ranges::falling(PHINode *phi, Loop *loop, BasicBlock *before, const SCEVAddRecExpr *recurrence,
                              Bound bound, Interval start, Interval step, unsigned width, unsigned depth) {
  bool next = is_next(recurrence, bound.upper);
  if ((!next && bound.upper != phi) || !loop->isLoopInvariant(bound.lower) || step.min >= 0)
    return {};
  Maybe end = value(bound.lower, before, depth);
  if (!end)
    return {};
  step = within(step, -MaxNumber, 0);
  if (!bound.isSigned)
    start = within(start, 0, MaxNumber), end = within(*end, 0, MaxNumber);
  Interval last = bound.touches ? *end : add(*end, constant(1));
  if (!next)
    last = add(last, step);
  Interval result = unite(start, last);
  result.high = start.high, result.max = start.max;
  Interval stepped = add(result, step);
  stepped = bound.isSigned ? fit(stepped, width) : within(stepped, 0, maxOf(width));
  result.valid = both(result.valid, both(step.valid, stepped.valid));
  return result;
}

// The number of iterations is below 2^32, so it is the difference of the two ends, unless that wraps.
extern "C" int cs_pass_ranges_ends(cs_pass_ranges *ranges, LLVMValueRef index, LLVMValueRef *first,
                                   LLVMValueRef *last) {
  ScalarEvolution &evolution = ranges->evolution;
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(unwrap(index)));
  if (!recurrence || !recurrence->isAffine() || !recurrence->getStepRecurrence(evolution)->isOne() ||
      recurrence->getLoop()->getLoopPreheader() != ranges->point->getParent())
    return 0;
  const SCEV *count = ranges->iterations(recurrence->getLoop());
  if (isa<SCEVCouldNotCompute>(count) || evolution.getTypeSizeInBits(count->getType()) > 32)
    return 0;
  const SCEV *ends[] = {recurrence->getStart(), recurrence->evaluateAtIteration(count, evolution)};
  SCEVExpander expander(evolution, "");
  if (!expander.isSafeToExpandAt(ends[0], ranges->point) || !expander.isSafeToExpandAt(ends[1], ranges->point))
    return 0;
  *first = wrap(expander.expandCodeFor(ends[0], recurrence->getType(), ranges->point));
  *last = wrap(expander.expandCodeFor(ends[1], recurrence->getType(), ranges->point));
  return 1;
}

Maybe cs_pass_ranges::evolve(const SCEV *s, BasicBlock *context, unsigned depth) {
  unsigned width = evolution.getTypeSizeInBits(s->getType());
  if (depth > Depth || ++spent > Budget || !s->getType()->isIntegerTy() || width > 64)
    return {};
  depth++;
  switch (s->getSCEVType()) {
  case scConstant: {
    const APInt &c = cast<SCEVConstant>(s)->getAPInt();
    return c.getSignificantBits() <= 62 ? Maybe(constant(c.getSExtValue())) : Maybe();
  }
  case scUnknown:
    return value(cast<SCEVUnknown>(s)->getValue(), context, depth);
  case scTruncate:
  case scZeroExtend:
  case scSignExtend: {
    if (auto *low = whole ? low_bits(s) : nullptr; low && evolution.getTypeSizeInBits(low->getType()) < 62)
      return remainder_of(low, context, depth);
    Maybe operand = evolve(cast<SCEVCastExpr>(s)->getOperand(), context, depth);
    if (!operand)
      return {};
    return s->getSCEVType() == scTruncate     ? fit(*operand, width)
           : s->getSCEVType() == scZeroExtend ? within(*operand, 0, MaxNumber)
                                              : *operand;
  }
  case scUDivExpr: {
    auto *division = cast<SCEVUDivExpr>(s);
    Maybe a = evolve(division->getLHS(), context, depth), b = evolve(division->getRHS(), context, depth);
    if (!a || !b)
      return {};
    auto *by = dyn_cast<SCEVConstant>(division->getRHS());
    Interval x = within(related(*a, division->getLHS(), context, depth), 0, MaxNumber);
    return by && b->min > 0 ? divide(x, b->min) : quotient(x, *b);
  }
  case scAddRecExpr: {
    auto *recurrence = cast<SCEVAddRecExpr>(s);
    const Loop *loop = recurrence->getLoop();
    BasicBlock *before = loop->getLoopPredecessor();
    if (!recurrence->isAffine() || !before || loop->contains(point->getParent()))
      return {};
    for (PHINode &phi : loop->getHeader()->phis())
      if (phi.getType() == s->getType() && evolution.getSCEV(&phi) == s)
        return value(&phi, context, depth);
    Maybe start = evolve(recurrence->getStart(), before, depth);
    Maybe step = evolve(recurrence->getStepRecurrence(evolution), before, depth);
    return start && step ? after_iterations(*start, *step, const_cast<Loop *>(loop), before, width, depth) : Maybe();
  }
  case scAddExpr:
  case scMulExpr:
  case scSMaxExpr:
  case scSMinExpr:
  case scUMaxExpr:
  case scUMinExpr:
  case scSequentialUMinExpr:
    return fold(s, context, width, depth);
  default:
    return {};
  }
}

Maybe cs_pass_ranges::fold(const SCEV *s, BasicBlock *context, unsigned width, unsigned depth) {
  Maybe all;
  for (const SCEV *operand : s->operands()) {
    Maybe one = evolve(operand, context, depth);
    if (!one)
      return {};
    SCEVTypes type = s->getSCEVType();
    if (type == scUMaxExpr || type == scUMinExpr || type == scSequentialUMinExpr)
      one = within(*one, 0, MaxNumber);
    if (!all)
      all = one;
    else if (type == scAddExpr)
      all = add(*all, *one);
    else if (type == scMulExpr)
      all = multiply(*all, *one);
    else
      all = type == scSMaxExpr || type == scUMaxExpr ? maximum(*all, *one) : minimum(*all, *one);
  }
  return all ? Maybe(fit(*all, width)) : all;
}
