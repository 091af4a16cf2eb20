// range_along.cpp: numbers that grow along with a counter: what a pointer that moves in a loop would have as an index.
#include "pass/bridge/ranges.h"

static constexpr unsigned PartsDepth = 5, SlopeDepth = 10;

// What the whole number `v` grows by if `at` grows by one; null: it is not a sum of products with `at`, or has too many terms.
const SCEV *cs_pass_ranges::slope(Value *v, Along &along, unsigned depth) {
  auto found = along.slopes.find(v);
  if (found != along.slopes.end())
    return found->second;
  const SCEV *result = evolution.getZero(along.type);
  auto *op = dyn_cast<BinaryOperator>(v);
  if (v == along.at)
    result = evolution.getOne(along.type);
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
  factor = along.isSigned ? evolution.getNoopOrSignExtend(factor, along.type)
                          : evolution.getNoopOrZeroExtend(factor, along.type);
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

// The values in the context of a counter that starts at `start`, grows by `by` in each iteration, and cannot wrap.
Maybe cs_pass_ranges::counted(const Along &along, int64_t by, Loop *loop, BasicBlock *before, unsigned depth) {
  for (PHINode &phi : loop->getHeader()->phis()) {
    if (&phi == along.phi || phi.getIncomingValueForBlock(before) != along.at || constant_step(phi, loop) != by)
      continue;
    Maybe all = counter(&phi, loop, depth);
    return all ? Maybe(narrow(&phi, *all, along.context, depth)) : all;
  }
  return {};
}

// The same for a counter whose phi LLVM has removed.
Maybe cs_pass_ranges::growing(const Along &along, int64_t by, Loop *loop, BasicBlock *before, unsigned depth) {
  Value *start = along.at;
  const SCEV *step = evolution.getConstant(start->getType(), uint64_t(by), true);
  auto *recurrence =
      dyn_cast<SCEVAddRecExpr>(evolution.getAddRecExpr(evolution.getSCEV(start), step, loop, SCEV::FlagAnyWrap));
  Maybe from = value(start, before, depth);
  Maybe all = recurrence && from
                  ? after_iterations(*from, constant(by), loop, before, start->getType()->getIntegerBitWidth(), depth)
                  : Maybe();
  return all ? Maybe(up_to_last(*all, recurrence, constant(by), loop, before, depth)) : all;
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

// scale * v, for all values that `v` has in the context while the phi grows by `by`: along a counter that may be compared, or along any.
Maybe cs_pass_ranges::index_along(PHINode *phi, Value *v, int64_t scale, const SCEV *by, Loop *loop, BasicBlock *before,
                                  BasicBlock *context, unsigned depth) {
  SmallVector<Value *, 8> starts;
  parts_of(v, PartsDepth, starts);
  for (bool compared : {true, false})
    for (Value *start : starts)
      for (bool isSigned : {true, false}) {
        Along along{phi, start, by->getType(), isSigned, context, depth};
        const SCEV *grows = !compared || is_guarded(context, loop) ? slope(v, along, SlopeDepth) : nullptr;
        for (int64_t times = 1; grows && !grows->isZero() && times <= 64; times *= 2) {
          if (evolution.getMulExpr(grows, evolution.getConstant(along.type, uint64_t(scale * times), true)) != by)
            continue;
          Maybe counter = counted(along, times, loop, before, depth);
          if (!counter && !compared && phi->getType()->isPointerTy())
            counter = growing(along, times, loop, before, depth);
          if (Maybe index = follow(v, along, counter))
            return multiply(*index, constant(scale));
        }
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
  return index_along(phi, phi->getIncomingValueForBlock(before), 1, recurrence->getStepRecurrence(evolution), loop,
                     before, context, depth);
}
