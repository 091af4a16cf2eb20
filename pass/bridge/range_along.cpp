// range_along.cpp: indices that grow along with a counter: what a pointer that moves in a loop would have as an index.
#include "pass/bridge/ranges.h"

// What the whole number `v` grows by if `at` grows by one, in 64 bits; null: it is not a sum of products with `at`. Factors are extended as
// the pointer's step has them.
const SCEV *cs_pass_ranges::slope(Value *v, Value *at, bool isSigned, unsigned depth) {
  const SCEV *none = evolution.getZero(word);
  if (v == at)
    return evolution.getOne(word);
  if (depth == 0)
    return none;
  if (isa<SExtInst, ZExtInst>(v))
    return slope(cast<CastInst>(v)->getOperand(0), at, isSigned, depth - 1);
  auto *op = dyn_cast<BinaryOperator>(v);
  unsigned code = op ? op->getOpcode() : 0;
  if (code != Instruction::Add && code != Instruction::Sub && code != Instruction::Mul)
    return none;
  const SCEV *a = slope(op->getOperand(0), at, isSigned, depth - 1),
             *b = slope(op->getOperand(1), at, isSigned, depth - 1);
  if (!a || !b)
    return nullptr;
  if (code == Instruction::Add)
    return evolution.getAddExpr(a, b);
  if (code == Instruction::Sub)
    return evolution.getMinusSCEV(a, b);
  if (!a->isZero() && !b->isZero())
    return nullptr;
  if (a->isZero() && b->isZero())
    return none;
  const SCEV *factor = evolution.getSCEV(op->getOperand(a->isZero() ? 0 : 1));
  factor = isSigned ? evolution.getNoopOrSignExtend(factor, word) : evolution.getNoopOrZeroExtend(factor, word);
  return evolution.getMulExpr(a->isZero() ? b : a, factor);
}

// The interval of `v` if `at` is anything in `counter`, as slope() follows it.
Maybe cs_pass_ranges::substitute(Value *v, Value *at, Interval counter, bool isSigned, BasicBlock *context,
                                 unsigned depth) {
  if (v == at)
    return counter;
  if (slope(v, at, isSigned, depth)->isZero())
    return value(v, context);
  if (auto *cast = dyn_cast<CastInst>(v)) {
    Maybe operand = substitute(cast->getOperand(0), at, counter, isSigned, context, depth - 1);
    return operand && isa<ZExtInst>(cast) ? Maybe(within(*operand, 0, MaxNumber)) : operand;
  }
  auto *op = cast<BinaryOperator>(v);
  Maybe a = substitute(op->getOperand(0), at, counter, isSigned, context, depth - 1),
        b = substitute(op->getOperand(1), at, counter, isSigned, context, depth - 1);
  if (!a || !b)
    return {};
  unsigned width = op->getType()->getIntegerBitWidth();
  if (op->getOpcode() != Instruction::Mul)
    return fit(add(*a, op->getOpcode() == Instruction::Sub ? negate(*b) : *b), width);
  bool first = slope(op->getOperand(0), at, isSigned, depth - 1)->isZero(); // the factor
  if (!isSigned)
    (first ? a : b) = within(first ? *a : *b, 0, MaxNumber);
  return fit(multiply(*a, *b), width);
}

// All values of a number that starts at `start` and grows by `by` in each iteration. LLVM may have removed its phi.
Maybe cs_pass_ranges::growing(Value *start, int64_t by, Loop *loop, BasicBlock *before, unsigned depth) {
  for (PHINode &phi : loop->getHeader()->phis()) {
    if (!phi.getType()->isIntegerTy() || phi.getIncomingValueForBlock(before) != start)
      continue;
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
    auto *step = recurrence && recurrence->isAffine() && recurrence->getLoop() == loop
                     ? dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution))
                     : nullptr;
    if (step && step->getAPInt().getSExtValue() == by)
      return value(&phi, loop->getHeader(), depth);
  }
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

// scale * v, for all values that `v` has while the pointer moves.
Maybe cs_pass_ranges::index_along(Value *v, int64_t scale, const SCEV *by, Loop *loop, BasicBlock *before,
                                  unsigned depth) {
  constexpr unsigned Terms = 5;
  SmallVector<Value *, 8> starts;
  parts_of(v, Terms, starts);
  for (Value *start : starts)
    for (bool isSigned : {true, false}) {
      const SCEV *grows = slope(v, start, isSigned, Terms);
      for (int64_t times = 1; grows && !grows->isZero() && times <= 16; times *= 2) {
        if (evolution.getMulExpr(grows, evolution.getConstant(word, uint64_t(scale * times), true)) != by)
          continue;
        Maybe counter = growing(start, times, loop, before, depth);
        Maybe index = counter ? substitute(v, start, *counter, isSigned, before, Terms) : Maybe();
        if (index)
          return multiply(*index, constant(scale));
      }
    }
  return {};
}
