// along.cpp: numbers that grow along with a counter: what a pointer that moves in a loop would have as an index.
#include "pass/ranges/loop_facts.h"
#include "pass/ranges/recursion.h"
#include "pass/ranges/slope.h"

namespace cusafe::ranges {

static constexpr unsigned MaxParts = 5; // sums and products inside each other

namespace {
// A phi that grows as a counter does that starts at the slopes' base.
struct Pair {
  const Query &q;
  const Growth &growth;
  Slopes &slopes;
};
} // namespace

// The interval of `v` if the base is anything in `counter`. The slopes have followed v.
static Maybe substitute(const Pair &pair, Value *v, const Interval &counter) {
  Code &code = pair.q.code();
  if (v == pair.slopes.base())
    return counter;
  if (pair.slopes.is_flat(v))
    return value(pair.q, v);
  if (auto *cast = dyn_cast<CastInst>(v)) {
    Maybe operand = substitute(pair, cast->getOperand(0), counter);
    return operand && isa<ZExtInst>(cast) ? Maybe(not_negative(code, *operand)) : operand;
  }
  auto *op = cast<BinaryOperator>(v);
  Maybe a = substitute(pair, op->getOperand(0), counter), b = substitute(pair, op->getOperand(1), counter);
  if (!a || !b)
    return {};
  unsigned width = op->getType()->getIntegerBitWidth();
  if (op->getOpcode() == Instruction::Add)
    return narrow_sum(pair.q, op, fit(code, add(code, *a, *b), width),
                      {[&](Value *term) { return substitute(pair, term, counter); },
                       [&](Value *term) { return pair.slopes.is_flat(term); }});
  if (op->getOpcode() == Instruction::Sub)
    return fit(code, add(code, *a, negate(code, *b)), width);
  if (!pair.slopes.extends_signed()) { // the factor is not negative
    Interval &factor = pair.slopes.is_flat(op->getOperand(0)) ? *a : *b;
    factor = not_negative(code, factor);
  }
  return fit(code, multiply(code, *a, *b), width);
}

// The values in the context of a counter that starts at the base, grows by `times` in each iteration, and cannot wrap.
static Maybe counted(const Pair &pair, int64_t times) {
  const Growth &growth = pair.growth;
  for (PHINode &phi : growth.loop->getHeader()->phis()) {
    if (&phi == growth.phi || phi.getIncomingValueForBlock(growth.before) != pair.slopes.base() ||
        constant_step(pair.q.state.evolution, phi, growth.loop) != times)
      continue;
    Maybe all = counter(pair.q, &phi, growth.loop);
    return all ? Maybe(narrow(pair.q, &phi, *all)) : all;
  }
  return {};
}

// The same for a counter whose phi LLVM has removed.
static Maybe growing(const Pair &pair, int64_t times) {
  ScalarEvolution &evolution = pair.q.state.evolution;
  Query before = pair.q.in(pair.growth.before);
  Value *base = pair.slopes.base();
  Type *type = base->getType();
  const SCEV *start = evolution.getSCEV(base), *step = evolution.getConstant(type, uint64_t(times), true);
  auto *recurrence =
      dyn_cast<SCEVAddRecExpr>(evolution.getAddRecExpr(start, step, pair.growth.loop, SCEV::FlagAnyWrap));
  Maybe from = value(before, base);
  if (!recurrence || !from)
    return {};
  Progression values{*from, constant(pair.q.code(), times), type->getIntegerBitWidth()};
  Maybe all = after_iterations(before, pair.growth.loop, values);
  return all ? Maybe(up_to_last(before, recurrence, values.step, *all)) : all;
}

// The interval of `v` in the context, if the base moves with the counter. Where a condition excludes the start, that
// must not have wrapped.
static Maybe follow(const Pair &pair, Value *v, const Maybe &counter) {
  Maybe start = value(pair.q, pair.slopes.base());
  if (!counter || !start)
    return {};
  Maybe index = substitute(pair, v, *counter), first = substitute(pair, v, *start);
  if (!index || !first)
    return {};
  index->valid = both(pair.q.code(), index->valid, first->valid);
  return index;
}

// `v` moves as a counter that starts at the base does: by a power of two in each iteration. A pointer's counter may be
// gone.
static Maybe index_from(const Pair &pair, Value *v, int64_t scale, bool compared) {
  ScalarEvolution &evolution = pair.q.state.evolution;
  const SCEV *by = pair.growth.by, *grows = pair.slopes.of(v);
  for (int64_t times = 1; grows && !grows->isZero() && times <= 64; times *= 2) {
    if (evolution.getMulExpr(grows, evolution.getConstant(by->getType(), uint64_t(scale * times), true)) != by)
      continue;
    Maybe counter = counted(pair, times);
    if (!counter && !compared && pair.growth.phi->getType()->isPointerTy())
      counter = growing(pair, times);
    if (Maybe index = follow(pair, v, counter))
      return index;
  }
  return {};
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

bool is_guarded(const Query &q, const Loop *loop) {
  return loop->contains(q.context) && q.conditions().size() > q.in(loop->getHeader()).conditions().size();
}

Maybe along(const Query &q, const Growth &growth, Value *v, int64_t scale) {
  SmallVector<Value *, 8> starts;
  parts_of(v, MaxParts, starts);
  bool guarded = is_guarded(q, growth.loop);
  for (bool compared : {true, false}) // along a counter that may be compared, or along any
    for (Value *start : starts)
      for (bool isSigned : {true, false}) {
        Slopes slopes(q.state.evolution, start, growth.by->getType(), isSigned);
        Maybe index = guarded || !compared ? index_from({q, growth, slopes}, v, scale, compared) : Maybe();
        if (index)
          return multiply(q.code(), *index, constant(q.code(), scale));
      }
  return {};
}

Maybe counter_along(const Query &q, PHINode *phi) {
  ScalarEvolution &evolution = q.state.evolution;
  Loop *loop = q.state.whole ? q.state.analyses.loops.getLoopFor(phi->getParent()) : nullptr;
  BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
  if (!before || loop->getHeader() != phi->getParent() || loop->contains(q.state.point->getParent()) ||
      !is_guarded(q, loop))
    return {};
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine())
    return {};
  return along(q, {phi, recurrence->getStepRecurrence(evolution), loop, before}, phi->getIncomingValueForBlock(before),
               1);
}

} // namespace cusafe::ranges
