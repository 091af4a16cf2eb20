// guards.cpp: what the conditions that dominate a block imply for values, and whether the block is reached at all.
#include "pass/ranges/comparison.h"
#include "pass/ranges/loop_facts.h"
#include "pass/ranges/recursion.h"
#include "llvm/IR/CFG.h"

namespace cusafe::ranges {

// ---- values ----

// Where v + c or c - v is compared, and does not wrap.
static Interval narrow_by_moved(const Query &q, Value *v, Interval i, const Guard &guard) {
  CmpInst::Predicate p = guard.predicate();
  for (unsigned side = 0; side < 2 && ICmpInst::isRelational(p); side++, p = CmpInst::getSwappedPredicate(p)) {
    auto *op = dyn_cast<BinaryOperator>(guard.compare->getOperand(side));
    if (!op || (op->getOperand(0) != v && op->getOperand(1) != v))
      continue;
    bool minus = op->getOpcode() == Instruction::Sub && op->getOperand(1) == v;
    auto *by = dyn_cast<ConstantInt>(op->getOperand(op->getOperand(1) == v ? 0 : 1));
    if (!by || by->getBitWidth() > 64 || by->getValue().getSignificantBits() > 40 ||
        (!minus && op->getOpcode() != Instruction::Add))
      continue;
    Moved moved{by->getSExtValue(), minus, by->getBitWidth()};
    Interval there = move(q.code(), i, moved);
    // The host finds out whether it wraps; for code of the device that would be another test.
    Maybe other = cannot_wrap(there, moved) || q.state.whole
                      ? value(q.in(guard.at), guard.compare->getOperand(1 - side))
                      : Maybe();
    if (other)
      i = clamp_moved(q.code(), i, moved, there, p, *other);
  }
  return i;
}

Interval narrow(const Query &q, Value *v, Interval i) {
  for (const Guard &guard : q.conditions()) {
    if (excludes_sign(guard, v)) {
      i = clamp(q.code(), i, CmpInst::ICMP_SGE, constant(q.code(), 0));
      continue;
    }
    if (guard.compare->getOperand(0) != v && guard.compare->getOperand(1) != v) {
      i = narrow_by_moved(q, v, i, guard);
      continue;
    }
    CmpInst::Predicate p = guard.predicate();
    bool first = guard.compare->getOperand(0) == v;
    if (!first)
      p = CmpInst::getSwappedPredicate(p);
    Maybe other = value(q.in(guard.at), guard.compare->getOperand(first ? 1 : 0));
    if (other)
      i = clamp(q.code(), i, p, *other);
  }
  return i;
}

Interval narrow_difference(const Query &q, BinaryOperator *difference, Interval i, const Interval &minuend) {
  Value *a = difference->getOperand(0), *b = difference->getOperand(1);
  for (const Guard &guard : q.conditions()) {
    Value *x = guard.compare->getOperand(0), *y = guard.compare->getOperand(1);
    bool swapped = x == b && y == a;
    if (swapped || (x == a && y == b)) {
      CmpInst::Predicate p = guard.predicate();
      i = clamp_difference(q.code(), i, swapped ? CmpInst::getSwappedPredicate(p) : p, minuend);
    }
  }
  return i;
}

static bool is_sum(Value *v) {
  auto *op = dyn_cast<BinaryOperator>(v);
  return op && op->getOpcode() == Instruction::Add;
}

static void flatten(Value *v, SmallVectorImpl<Value *> &terms) {
  if (!is_sum(v) || terms.size() > 8) {
    terms.push_back(v);
    return;
  }
  flatten(cast<BinaryOperator>(v)->getOperand(0), terms);
  flatten(cast<BinaryOperator>(v)->getOperand(1), terms);
}

// Removes the terms of one sum from those of another. False if it does not have them all, or has no others.
static bool remove(SmallVectorImpl<Value *> &terms, Value *sum, function_ref<bool(Value *)> may_be_compared) {
  SmallVector<Value *, 8> part;
  flatten(sum, part);
  for (Value *term : part) {
    auto *at = find(terms, term);
    if (at == terms.end() || !may_be_compared(term))
      return false;
    terms.erase(at);
  }
  return !terms.empty();
}

Interval narrow_sum(const Query &q, BinaryOperator *sum, Interval i, Terms terms) {
  for (const Guard &guard : q.conditions())
    for (Value *side : guard.compare->operands()) {
      SmallVector<Value *, 8> rest;
      flatten(sum, rest);
      if (!is_sum(side) || !remove(rest, side, terms.may_be_compared))
        continue;
      Maybe other = value(q, side);
      for (Value *term : rest) {
        Maybe one = terms.interval(term);
        other = other && one ? Maybe(add(q.code(), *other, *one)) : Maybe();
      }
      if (!other)
        continue;
      Interval fits = fit(q.code(), *other, sum->getType()->getIntegerBitWidth()), both = i;
      both.low = larger(q.code(), i.low, fits.low), both.high = smaller(q.code(), i.high, fits.high);
      i = choose(q.code(), fits.valid, both, i);
    }
  return i;
}

// x + 1 > n bounds x - n. The sides are compared as whole numbers: their difference, and the expression, must not wrap.
Interval narrow_expression(const Query &q, const SCEV *s, Interval i) {
  Code &code = q.code();
  ScalarEvolution &evolution = q.state.evolution;
  unsigned width = unsigned(evolution.getTypeSizeInBits(s->getType()));
  if (!q.state.whole || q.depth > MaxDepth)
    return i;
  for (const Guard &guard : q.conditions()) {
    CmpInst::Predicate p = guard.predicate();
    Value *a = guard.compare->getOperand(0), *b = guard.compare->getOperand(1);
    if (a->getType() != s->getType() || p == CmpInst::ICMP_EQ)
      continue;
    if (ICmpInst::isLT(p) || ICmpInst::isLE(p))
      std::swap(a, b), p = CmpInst::getSwappedPredicate(p);
    const SCEV *difference = evolution.getMinusSCEV(evolution.getSCEV(a), evolution.getSCEV(b));
    auto *by = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(s, difference)); // s is a - b + by
    if (!by || by->getAPInt().getSignificantBits() > Narrow)
      continue;
    Maybe x = value(q.in(guard.at), a), y = value(q.in(guard.at), b);
    if (!x || !y)
      continue;
    if (ICmpInst::isUnsigned(p))
      x = not_negative(code, *x), y = not_negative(code, *y);
    int64_t c = by->getAPInt().getSExtValue();
    Interval distance = fit(code, add(code, *x, negate(code, *y)), width);
    distance = fit(code, add(code, distance, constant(code, c)), width);
    i = clamp_distance(code, i, p, c, distance);
  }
  return i;
}

// ---- blocks ----

static Value *possible(const Query &q, const Guard &guard) {
  Query at = q.in(guard.at);
  Maybe a = value(at, guard.compare->getOperand(0)), b = value(at, guard.compare->getOperand(1));
  return a && b ? may_hold(q.code(), guard.predicate(), *a, *b) : nullptr;
}

Value *possible(const Query &q, BasicBlock *from, BasicBlock *to) {
  Value *all = nullptr;
  for (const Guard &guard : implied_by_edge(from, to))
    all = both(q.code(), all, possible(q, guard));
  return all;
}

Value *reached(cs_pass_ranges &state, BasicBlock *block, unsigned depth) {
  auto found = state.reached.find(block);
  if (found != state.reached.end())
    return found->second;
  state.reached[block] = nullptr; // in progress: a cycle adds nothing
  if (depth > 4 * MaxDepth || state.analyses.dominators.dominates(block, state.point->getParent()))
    return nullptr;
  Loop *loop = state.analyses.loops.getLoopFor(block);
  bool heads = loop && loop->getHeader() == block;
  Value *any = nullptr;
  for (BasicBlock *from : predecessors(block)) {
    if (heads && loop->contains(from))
      continue;
    Value *way = both(state.code, reached(state, from, depth + 1), possible({state, from, 1}, from, block));
    if (!way)
      return nullptr;
    any = any ? state.code.CreateOr(any, way) : way;
  }
  return state.reached[block] = any;
}

Value *entered(cs_pass_ranges &state, BasicBlock *block) {
  Value *any = nullptr;
  for (BasicBlock *from : predecessors(block)) {
    Value *last = possible({state, from, 1}, from, block);
    if (!last)
      return nullptr;
    Value *way = both(state.code, reached(state, from), last);
    any = any ? state.code.CreateOr(any, way) : way;
  }
  return any;
}

} // namespace cusafe::ranges
