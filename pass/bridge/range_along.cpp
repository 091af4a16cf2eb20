// range_along.cpp: numbers that grow along with a counter: what a pointer that moves in a loop would have as an index.
#include "pass/bridge/ranges.h"

static constexpr unsigned PartsDepth = 5, SlopeDepth = 10;

// What the whole number `v` grows by if `at` grows by one; null: it is not a sum of products with `at`, or has too many terms.
const SCEV *cs_pass_ranges::slope(Value *v, Along &along, unsigned depth) {
  auto found = along.slopes.find(v);
  if (found != along.slopes.end())
    return found->second;
  const SCEV *result = evolution.getZero(along.by->getType());
  auto *op = dyn_cast<BinaryOperator>(v);
  if (v == along.at)
    result = evolution.getOne(along.by->getType());
  else if (isa<SExtInst, ZExtInst>(v))
    result = depth ? slope(cast<CastInst>(v)->getOperand(0), along, depth - 1) : nullptr;
  else if (op && is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul}, op->getOpcode()))
    result = depth ? slope_of(op, along, depth - 1) : nullptr;
  return along.slopes[v] = result;
}

const SCEV *cs_pass_ranges::slope_of(BinaryOperator *op, Along &along, unsigned depth) {
  const SCEV *a = slope(op->getOperand(0), along, depth), *b = slope(op->getOperand(1), along, depth);
  if (!a || !b)
    return nullptr;
  if (op->getOpcode() == Instruction::Add)
    return evolution.getAddExpr(a, b);
  if (op->getOpcode() == Instruction::Sub)
    return evolution.getMinusSCEV(a, b);
  if (!a->isZero() && !b->isZero())
    return nullptr;
  if (a->isZero() && b->isZero())
    return a;
  // extended as the step has it
  const SCEV *factor = evolution.getSCEV(op->getOperand(a->isZero() ? 0 : 1));
  factor = along.isSigned ? evolution.getNoopOrSignExtend(factor, along.by->getType())
                          : evolution.getNoopOrZeroExtend(factor, along.by->getType());
  return evolution.getMulExpr(a->isZero() ? b : a, factor);
}

// The interval of `v` if `at` is anything in `counter`, as slope() follows it.
Maybe cs_pass_ranges::substitute(Value *v, Along &along, Interval counter) {
  if (v == along.at)
    return counter;
  if (slope(v, along, 0)->isZero())
    return value(v, along.context, along.depth);
  if (auto *cast = dyn_cast<CastInst>(v)) {
    Maybe operand = substitute(cast->getOperand(0), along, counter);
    return operand && isa<ZExtInst>(cast) ? Maybe(within(*operand, 0, MaxNumber)) : operand;
  }
  auto *op = cast<BinaryOperator>(v);
  Maybe a = substitute(op->getOperand(0), along, counter), b = substitute(op->getOperand(1), along, counter);
  if (!a || !b)
    return {};
  unsigned width = op->getType()->getIntegerBitWidth();
  if (op->getOpcode() == Instruction::Add)
    return regrouped(
        op, fit(add(*a, *b), width), along.context, along.depth,
        [&](Value *term) { return substitute(term, along, counter); },
        [&](Value *term) { return slope(term, along, 0)->isZero(); });
  if (op->getOpcode() == Instruction::Sub)
    return fit(add(*a, negate(*b)), width);
  bool first = slope(op->getOperand(0), along, 0)->isZero(); // the factor
  if (!along.isSigned)
    (first ? a : b) = within(first ? *a : *b, 0, MaxNumber);
  return fit(multiply(*a, *b), width);
}

// The values in the context of a counter that starts at `at`, grows by `times` in each iteration, and cannot wrap.
Maybe cs_pass_ranges::counted(const Along &along, int64_t times) {
  for (PHINode &phi : along.loop->getHeader()->phis()) {
    if (&phi == along.phi || phi.getIncomingValueForBlock(along.before) != along.at ||
        constant_step(phi, along.loop) != times)
      continue;
    Maybe all = counter(&phi, along.loop, along.depth);
    return all ? Maybe(narrow(&phi, *all, along.context, along.depth)) : all;
  }
  return {};
}

// The same for a counter whose phi LLVM has removed.
Maybe cs_pass_ranges::growing(const Along &along, int64_t times) {
  Type *type = along.at->getType();
  const SCEV *start = evolution.getSCEV(along.at), *step = evolution.getConstant(type, uint64_t(times), true);
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getAddRecExpr(start, step, along.loop, SCEV::FlagAnyWrap));
  Maybe from = value(along.at, along.before, along.depth);
  if (!recurrence || !from)
    return {};
  Interval by = constant(times);
  Maybe all = after_iterations(*from, by, along.loop, along.before, type->getIntegerBitWidth(), along.depth);
  return all ? Maybe(up_to_last(*all, recurrence, by, along.loop, along.before, along.depth)) : all;
}

// The operands of sums and products in an index: each may be where a counter starts.
static void parts_of(Value *v, unsigned depth, SmallVectorImpl<Value *> &to) {
  auto *op = dyn_cast<Instruction>(v);
  if (!isa<Constant>(v))
    to.push_back(v);
  if (op && depth && (isa<BinaryOperator>(op) || isa<SExtInst, ZExtInst>(op)))
    for (Value *operand : op->operands())
      parts_of(operand, depth - 1, to);
}

// The interval of `v` in the context, if `at` moves with the counter. Where a condition leaves out the start, that must not have wrapped.
Maybe cs_pass_ranges::follow(Value *v, Along &along, Maybe counter) {
  Maybe start = value(along.at, along.context, along.depth);
  if (!counter || !start)
    return {};
  Maybe index = substitute(v, along, *counter), first = substitute(v, along, *start);
  if (!index || !first)
    return {};
  index->valid = both(index->valid, first->valid);
  return index;
}

// `v` moves as a counter that starts at `at` does: by a power of two in each iteration. A pointer's counter may be gone.
Maybe cs_pass_ranges::index_from(Value *v, int64_t scale, bool compared, Along &along) {
  const SCEV *grows = slope(v, along, SlopeDepth);
  for (int64_t times = 1; grows && !grows->isZero() && times <= 64; times *= 2) {
    if (evolution.getMulExpr(grows, evolution.getConstant(along.by->getType(), uint64_t(scale * times), true)) !=
        along.by)
      continue;
    Maybe counter = counted(along, times);
    if (!counter && !compared && along.phi->getType()->isPointerTy())
      counter = growing(along, times);
    if (Maybe index = follow(v, along, counter))
      return index;
  }
  return {};
}

// scale * v, for all values that `v` has in the context while the phi grows: along a counter that may be compared, or along any.
Maybe cs_pass_ranges::index_along(const Along &of, Value *v, int64_t scale) {
  SmallVector<Value *, 8> starts;
  parts_of(v, PartsDepth, starts);
  bool guarded = is_guarded(of.context, of.loop);
  for (bool compared : {true, false})
    for (Value *start : starts)
      for (bool isSigned : {true, false}) {
        Along along = of;
        along.at = start, along.isSigned = isSigned;
        Maybe index = guarded || !compared ? index_from(v, scale, compared, along) : Maybe();
        if (index)
          return multiply(*index, constant(scale));
      }
  return {};
}

// Whether conditions in the loop hold in the context that do not hold in each iteration.
bool cs_pass_ranges::is_guarded(BasicBlock *context, Loop *loop) {
  return loop->contains(context) && conditions(context).size() > conditions(loop->getHeader()).size();
}

// A number that starts at a sum of products with a counter is at that sum for the counter in each iteration, where the counter may be
// compared and the number is not.
Maybe cs_pass_ranges::counter_along(PHINode *phi, BasicBlock *context, unsigned depth) {
  Loop *loop = whole ? analyses.loops.getLoopFor(phi->getParent()) : nullptr;
  BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
  if (!before || loop->getHeader() != phi->getParent() || loop->contains(point->getParent()) ||
      !is_guarded(context, loop))
    return {};
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine())
    return {};
  return index_along({phi, recurrence->getStepRecurrence(evolution), loop, before, context, depth},
                     phi->getIncomingValueForBlock(before), 1);
}
