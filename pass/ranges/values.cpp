// values.cpp: the interval of a value: the value itself at the point, or what follows from its operands.
#include "pass/ranges/point.h"
#include "pass/ranges/recursion.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace cusafe::ranges {

static Maybe convert(const Query &q, CastInst *cast) {
  if (!cast->getSrcTy()->isIntegerTy())
    return {};
  unsigned from = cast->getSrcTy()->getIntegerBitWidth(), to = cast->getDestTy()->getIntegerBitWidth();
  Maybe operand = value(q, cast->getOperand(0));
  if (isa<ZExtInst>(cast) && from <= 16 && (!operand || operand->min < 0))
    return between(q.code(), 0, (int64_t(1) << from) - 1);
  if (!operand)
    return {};
  if (isa<ZExtInst>(cast))
    return not_negative(q.code(), *operand);
  if (isa<TruncInst>(cast))
    return fit(q.code(), *operand, to);
  return isa<SExtInst>(cast) ? operand : Maybe();
}

static Maybe intrinsic(const Query &q, IntrinsicInst *call) {
  Code &code = q.code();
  Intrinsic::ID id = call->getIntrinsicID();
  bool min = id == Intrinsic::smin || id == Intrinsic::umin, max = id == Intrinsic::smax || id == Intrinsic::umax;
  bool floored = id == Intrinsic::usub_sat; // a - b, or 0
  if (!min && !max && !floored)
    return q.state.whole ? thread(q.state, call) : known(q.state, call);
  Maybe a = value(q, call->getArgOperand(0)), b = value(q, call->getArgOperand(1));
  if (!a || !b)
    return {};
  if (floored)
    return maximum(code, add(code, not_negative(code, *a), negate(code, not_negative(code, *b))), constant(code, 0));
  if (id == Intrinsic::umin || id == Intrinsic::umax)
    a = not_negative(code, *a), b = not_negative(code, *b);
  return min ? minimum(code, *a, *b) : maximum(code, *a, *b);
}

static Maybe combine(const Query &q, BinaryOperator *op, Interval a, Interval b) {
  Code &code = q.code();
  unsigned width = op->getType()->getIntegerBitWidth();
  auto *by = dyn_cast<ConstantInt>(op->getOperand(1));
  bool shifts = by && by->getValue().ult(width);
  unsigned shift = shifts ? unsigned(by->getZExtValue()) : 0;
  switch (op->getOpcode()) {
  case Instruction::Add:
    return fit(code, add(code, a, b), width);
  case Instruction::Sub:
    return narrow_difference(q, op, fit(code, add(code, a, negate(code, b)), width), a);
  case Instruction::Mul:
    return fit(code, multiply(code, a, b), width);
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(op)->isDisjoint() ? fit(code, add(code, a, b), width) : bitwise(code, a, b);
  case Instruction::Xor: // ~x is -1 - x
    return by && by->isMinusOne() ? add(code, negate(code, a), constant(code, -1)) : bitwise(code, a, b);
  case Instruction::Shl:
    return shifts && shift < 31 ? Maybe(fit(code, multiply(code, a, constant(code, int64_t(1) << shift)), width))
                                : Maybe();
  case Instruction::LShr:
    return shifts ? Maybe(shift_right(code, not_negative(code, a), shift)) : Maybe();
  case Instruction::AShr:
    return shifts ? Maybe(shift_right(code, a, shift)) : Maybe();
  case Instruction::UDiv:
    a = not_negative(code, a);
    [[fallthrough]];
  case Instruction::SDiv: // on the device, an exact quotient would cost a division
    return by && by->getSExtValue() > 0 ? divide(code, a, by->getSExtValue())
           : q.state.whole              ? quotient(code, a, b)
                                        : quotient_bound(code, a, b);
  case Instruction::URem:
  case Instruction::SRem:
    return remainder(code, a, b);
  default:
    return {};
  }
}

static Maybe binary(const Query &q, BinaryOperator *op) {
  Maybe x = value(q, op->getOperand(0)), y = value(q, op->getOperand(1));
  auto *by = dyn_cast<ConstantInt>(op->getOperand(1));
  if (op->getOpcode() == Instruction::And && by)
    return masked(q.code(), x, by->getSExtValue());
  if (y && !x && op->getOpcode() == Instruction::URem)
    return remainder_of_any(q.code(), *y);
  Maybe result = x && y ? combine(q, op, *x, *y) : Maybe();
  if (!result || !q.state.whole || op->getOpcode() != Instruction::Add)
    return result;
  return narrow_sum(q, op, *result, {[&](Value *term) { return value(q, term); }, [](Value *) { return true; }});
}

// From the operands.
static Maybe compute(const Query &q, Instruction *i) {
  if (auto *phi = dyn_cast<PHINode>(i)) {
    Maybe all = merged(q, phi), with = counter_along(q, phi);
    return intersect(q.code(), all, with);
  }
  if (auto *call = dyn_cast<IntrinsicInst>(i))
    return intrinsic(q, call);
  if (auto *select = dyn_cast<SelectInst>(i)) {
    Maybe a = value(q, select->getTrueValue()), b = value(q, select->getFalseValue());
    return a && b ? Maybe(unite(q.code(), *a, *b)) : Maybe();
  }
  if (isa<FreezeInst>(i))
    return value(q, i->getOperand(0));
  if (auto *cast = dyn_cast<CastInst>(i))
    return convert(q, cast);
  return isa<BinaryOperator>(i) ? binary(q, cast<BinaryOperator>(i)) : Maybe();
}

Maybe value(const Query &q, Value *v) {
  cs_pass_ranges &state = q.state;
  if (auto *c = dyn_cast<ConstantInt>(v))
    return c->getBitWidth() <= 64 && is_number(c->getSExtValue()) ? Maybe(constant(q.code(), c->getSExtValue()))
                                                                  : Maybe();
  if (!v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() > 64 || isa<Constant>(v))
    return {};
  auto found = state.intervals.find({v, q.context});
  if (found != state.intervals.end())
    return found->second;
  if (q.depth > MaxDepth || ++state.spent > MaxSteps)
    return {};
  Maybe result;
  if (Value *here = value_at_point(state, v))
    result = exactly(state, v, here);
  else if (auto *instruction = dyn_cast<Instruction>(v))
    result = compute(q.deeper(), instruction);
  if (!result)
    result = known(state, v);
  if (result && !result->exact())
    result = narrow(q.deeper(), v, *result);
  return state.intervals[{v, q.context}] = result;
}

} // namespace cusafe::ranges
