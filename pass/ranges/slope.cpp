// slope.cpp: what a number grows by if another grows by one.
#include "pass/ranges/slope.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace cusafe::ranges {

const SCEV *Slopes::find(Value *v, unsigned depth) {
  auto found = known.find(v);
  if (found != known.end())
    return found->second;
  const SCEV *result = evolution.getZero(type);
  auto *op = dyn_cast<BinaryOperator>(v);
  if (v == at)
    result = evolution.getOne(type);
  else if (isa<SExtInst, ZExtInst>(v))
    result = depth ? find(cast<CastInst>(v)->getOperand(0), depth - 1) : nullptr;
  else if (op && is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul}, op->getOpcode()))
    result = depth ? of_operation(op, depth - 1) : nullptr;
  return known[v] = result;
}

const SCEV *Slopes::of_operation(BinaryOperator *op, unsigned depth) {
  const SCEV *a = find(op->getOperand(0), depth), *b = find(op->getOperand(1), depth);
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
  factor = isSigned ? evolution.getNoopOrSignExtend(factor, type) : evolution.getNoopOrZeroExtend(factor, type);
  return evolution.getMulExpr(a->isZero() ? b : a, factor);
}

} // namespace cusafe::ranges
