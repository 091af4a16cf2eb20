// range_guards.cpp: what the conditions that dominate a block imply for values, and whether the block is reached at all.
#include "pass/bridge/ranges.h"
#include "llvm/IR/CFG.h"

void cs_pass_ranges::split(Value *condition, bool holds, BasicBlock *at, SmallVectorImpl<Guard> &to) {
  Value *a, *b;
  if (auto *compare = dyn_cast<ICmpInst>(condition)) {
    to.push_back({compare, holds, at});
    return;
  }
  if (auto *op = dyn_cast<BinaryOperator>(condition)) {
    if (op->getOpcode() == Instruction::Xor)
      if (auto *c = dyn_cast<ConstantInt>(op->getOperand(1)); c && c->isOne())
        return split(op->getOperand(0), !holds, at, to);
    if (op->getOpcode() != (holds ? Instruction::And : Instruction::Or))
      return;
    a = op->getOperand(0), b = op->getOperand(1);
  } else if (auto *select = dyn_cast<SelectInst>(condition)) { // a && b, a || b
    auto *other = dyn_cast<ConstantInt>(holds ? select->getFalseValue() : select->getTrueValue());
    if (!other || !select->getType()->isIntegerTy(1) || other->isOne() == holds)
      return;
    a = select->getCondition(), b = holds ? select->getTrueValue() : select->getFalseValue();
  } else {
    return;
  }
  split(a, holds, at, to);
  split(b, holds, at, to);
}

// Nearest first.
const SmallVector<Guard, 4> &cs_pass_ranges::conditions(BasicBlock *block) {
  auto found = guards.find(block);
  if (found != guards.end())
    return found->second;
  SmallVector<Guard, 4> list;
  DomTreeNode *node = analyses.dominators.getNode(block);
  BasicBlock *parent = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (parent && block != point->getParent() && !analyses.dominators.properlyDominates(parent, point->getParent())) {
    auto *branch = dyn_cast<BranchInst>(parent->getTerminator());
    if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
      for (unsigned i = 0; i < 2; i++)
        if (analyses.dominators.dominates(BasicBlockEdge(parent, branch->getSuccessor(i)), block))
          split(branch->getCondition(), i == 0, parent, list);
    for (const Guard &guard : SmallVector<Guard, 4>(conditions(parent)))
      list.push_back(guard);
  }
  return guards[block] = list;
}

// Whether v is one of the numbers whose bits `or` joins: nvcc tests several numbers for their signs in this way.
static bool is_joined(Value *v, Value *join) {
  auto *op = dyn_cast<BinaryOperator>(join);
  return op && op->getOpcode() == Instruction::Or &&
         any_of(op->operands(), [&](Value *part) { return part == v || is_joined(v, part); });
}

// v | w > -1: neither has the sign bit.
static bool excludes_sign(const Guard &guard, Value *v) {
  CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
  auto *bound = dyn_cast<ConstantInt>(guard.compare->getOperand(1));
  return bound && ((p == CmpInst::ICMP_SGT && bound->isMinusOne()) || (p == CmpInst::ICMP_SGE && bound->isZero())) &&
         is_joined(v, guard.compare->getOperand(0));
}

Interval cs_pass_ranges::narrow(Value *v, Interval i, BasicBlock *context, unsigned depth) {
  for (const Guard &guard : SmallVector<Guard, 4>(conditions(context))) {
    if (excludes_sign(guard, v)) {
      i = clamp(i, CmpInst::ICMP_SGE, constant(0));
      continue;
    }
    if (guard.compare->getOperand(0) != v && guard.compare->getOperand(1) != v) {
      i = narrow_moved(v, i, guard, depth);
      continue;
    }
    CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
    bool first = guard.compare->getOperand(0) == v;
    if (!first)
      p = CmpInst::getSwappedPredicate(p);
    Maybe other = value(guard.compare->getOperand(first ? 1 : 0), guard.at, depth);
    if (other)
      i = clamp(i, p, *other);
  }
  return i;
}

// Where v + c or c - v is compared, and does not wrap.
Interval cs_pass_ranges::narrow_moved(Value *v, Interval i, const Guard &guard, unsigned depth) {
  CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
  for (unsigned side = 0; side < 2 && ICmpInst::isRelational(p); side++, p = CmpInst::getSwappedPredicate(p)) {
    auto *op = dyn_cast<BinaryOperator>(guard.compare->getOperand(side));
    if (!op || (op->getOperand(0) != v && op->getOperand(1) != v))
      continue;
    bool minus = op->getOpcode() == Instruction::Sub && op->getOperand(1) == v;
    auto *by = dyn_cast<ConstantInt>(op->getOperand(op->getOperand(1) == v ? 0 : 1));
    if (!by || by->getBitWidth() > 64 || by->getValue().getSignificantBits() > 40 ||
        (!minus && op->getOpcode() != Instruction::Add))
      continue;
    int64_t c = by->getSExtValue();
    unsigned width = by->getBitWidth();
    Interval moved = add(constant(c), minus ? negate(i) : i);
    bool fits = moved.min >= minOf(width) && moved.max <= maxOf(width);
    Maybe other = fits || whole ? value(guard.compare->getOperand(1 - side), guard.at, depth) : Maybe();
    if (!other)
      continue;
    Interval narrower = clamp(moved, p, *other);
    narrower = minus ? add(constant(c), negate(narrower)) : add(narrower, constant(-c));
    i = fits ? narrower : choose(fit(moved, width).valid, narrower, i);
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

// Removes the terms of one sum from those of another. False if it does not have them all.
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

// a + b + c, where a + c is compared with something: LLVM adds in any order.
Interval cs_pass_ranges::regrouped(BinaryOperator *op, Interval i, BasicBlock *context, unsigned depth,
                                   function_ref<Maybe(Value *)> of_term, function_ref<bool(Value *)> may_be_compared) {
  for (const Guard &guard : SmallVector<Guard, 4>(conditions(context)))
    for (Value *side : guard.compare->operands()) {
      SmallVector<Value *, 8> rest;
      flatten(op, rest);
      if (!is_sum(side) || !remove(rest, side, may_be_compared))
        continue;
      Maybe sum = value(side, context, depth);
      for (Value *term : rest) {
        Maybe one = of_term(term);
        sum = sum && one ? Maybe(add(*sum, *one)) : Maybe();
      }
      if (!sum)
        continue;
      Interval fits = fit(*sum, op->getType()->getIntegerBitWidth()), both = i;
      both.low = larger(i.low, fits.low), both.high = smaller(i.high, fits.high);
      i = choose(fits.valid, both, i);
    }
  return i;
}

// The host finds out whether a sum wraps; for code of the device that would be another test.
Interval cs_pass_ranges::choose(Value *sure, Interval yes, Interval no) {
  if (!sure)
    return yes;
  no.low = builder.CreateSelect(sure, yes.low, no.low);
  no.high = builder.CreateSelect(sure, yes.high, no.high);
  return no;
}

// v != other: an end that equals other moves by one.
Interval cs_pass_ranges::without(Interval i, Interval other) {
  Value *bottom = builder.CreateICmpEQ(i.low, other.low), *top = builder.CreateICmpEQ(i.high, other.low);
  if (other.valid)
    bottom = builder.CreateAnd(bottom, other.valid), top = builder.CreateAnd(top, other.valid);
  i.low = builder.CreateAdd(i.low, builder.CreateZExt(bottom, word));
  i.high = builder.CreateSub(i.high, builder.CreateZExt(top, word));
  return i;
}

// v p other holds. Where `other` is not valid, nothing is known.
Interval cs_pass_ranges::clamp(Interval i, CmpInst::Predicate p, Interval other) {
  bool below = ICmpInst::isLT(p) || ICmpInst::isLE(p), above = ICmpInst::isGT(p) || ICmpInst::isGE(p);
  bool equal = p == CmpInst::ICMP_EQ;
  if (p == CmpInst::ICMP_NE && other.exact())
    return without(i, other);
  if (!below && !above && !equal)
    return i;
  bool isUnsigned = ICmpInst::isUnsigned(p);
  if (isUnsigned && above && i.min < 0)
    return i; // unsigned: a negative number is above as well
  int64_t strict = ICmpInst::isLT(p) || ICmpInst::isGT(p);
  Value *sure = other.valid;
  if (isUnsigned && other.min < 0)
    sure = both(sure, builder.CreateICmpSGE(other.low, number(0)));
  bool always = sure == nullptr;
  if (below || equal) {
    Value *high = smaller(i.high, builder.CreateSub(other.high, number(strict)));
    i.high = always ? high : builder.CreateSelect(sure, high, i.high);
    if (always)
      i.max = std::min(i.max, std::max(other.max - strict, i.min));
  }
  if (above || equal) {
    Value *low = larger(i.low, builder.CreateAdd(other.low, number(strict)));
    i.low = always ? low : builder.CreateSelect(sure, low, i.low);
    if (always)
      i.min = std::max(i.min, std::min(other.min + strict, i.max));
  }
  if (below && isUnsigned && i.min < 0) { // 0 <= v < other
    Value *low = larger(i.low, number(0));
    i.low = always ? low : builder.CreateSelect(sure, low, i.low);
    if (always)
      i.min = std::min<int64_t>(0, i.max);
  }
  return i;
}

Value *cs_pass_ranges::possible(const Guard &guard, unsigned depth) {
  Maybe a = value(guard.compare->getOperand(0), guard.at, depth),
        b = value(guard.compare->getOperand(1), guard.at, depth);
  if (!a || !b)
    return nullptr;
  CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
  Value *may;
  if (ICmpInst::isUnsigned(p)) {
    if (ICmpInst::isGT(p) || ICmpInst::isGE(p)) {
      std::swap(a, b);
      p = CmpInst::getSwappedPredicate(p);
    }
    // a < b: impossible if b is not negative and a is negative or at least b; a negative b is above every number
    Value *positive = builder.CreateICmpSGE(a->high, number(0)), *huge = builder.CreateICmpSLT(b->low, number(0));
    Value *lowest = larger(a->low, number(0));
    Value *less = builder.CreateICmp(ICmpInst::getSignedPredicate(p), lowest, b->high);
    may = builder.CreateOr(huge, builder.CreateAnd(positive, less));
  } else if (p == CmpInst::ICMP_NE) {
    Value *same = builder.CreateAnd(builder.CreateICmpEQ(a->low, b->high), builder.CreateICmpEQ(a->high, b->low));
    may = builder.CreateNot(same);
  } else if (p == CmpInst::ICMP_EQ) {
    may = builder.CreateAnd(builder.CreateICmpSLE(a->low, b->high), builder.CreateICmpSGE(a->high, b->low));
  } else {
    bool below = ICmpInst::isLT(p) || ICmpInst::isLE(p);
    may = builder.CreateICmp(p, below ? a->low : a->high, below ? b->high : b->low);
  }
  if (Value *valid = both(a->valid, b->valid))
    may = builder.CreateOr(may, builder.CreateNot(valid));
  return may;
}

Value *cs_pass_ranges::possible(BasicBlock *from, BasicBlock *to, unsigned depth) {
  auto *branch = dyn_cast<BranchInst>(from->getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return nullptr;
  SmallVector<Guard, 4> list;
  split(branch->getCondition(), branch->getSuccessor(0) == to, from, list);
  Value *all = nullptr;
  for (const Guard &guard : list)
    all = both(all, possible(guard, depth));
  return all;
}

// A loop is reached from outside first.
Value *cs_pass_ranges::reached(BasicBlock *block, unsigned depth) {
  auto found = reachedMemo.find(block);
  if (found != reachedMemo.end())
    return found->second;
  reachedMemo[block] = nullptr; // in progress: a cycle adds nothing
  if (depth > 4 * Depth || analyses.dominators.dominates(block, point->getParent()))
    return nullptr;
  Loop *loop = analyses.loops.getLoopFor(block);
  bool heads = loop && loop->getHeader() == block;
  Value *any = nullptr;
  for (BasicBlock *from : predecessors(block)) {
    if (heads && loop->contains(from))
      continue;
    Value *way = both(reached(from, depth + 1), possible(from, block, 1));
    if (!way)
      return nullptr;
    any = any ? builder.CreateOr(any, way) : way;
  }
  return reachedMemo[block] = any;
}

Value *cs_pass_ranges::entered(BasicBlock *block) {
  Value *any = nullptr;
  for (BasicBlock *from : predecessors(block)) {
    Value *last = possible(from, block, 1);
    if (!last)
      return nullptr;
    Value *way = both(reached(from), last);
    any = any ? builder.CreateOr(any, way) : way;
  }
  return any;
}
