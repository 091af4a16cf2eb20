// extent.cpp: how far a pointer can be from its root.
#include "pass/ranges/extent.h"
#include "pass/ranges/loop_facts.h"
#include "pass/ranges/point.h"
#include "pass/ranges/recursion.h"
#include "llvm/IR/Operator.h"
#include <numeric>

namespace cusafe::ranges {

static constexpr unsigned MaxOffset = 40; // bits

// As an integer, from a generic pointer: tags and roots are decoded from that.
static Value *address(Code &code, Value *pointer) {
  Type *generic = PointerType::get(pointer->getContext(), 0);
  if (pointer->getType() != generic)
    pointer = code.CreateAddrSpaceCast(pointer, generic);
  Value *number = code.CreatePtrToInt(pointer, code.getInt64Ty());
  if (auto *made = dyn_cast<Instruction>(number))
    made->setMetadata("cusafe.own", MDNode::get(made->getContext(), {}));
  return number;
}

// A pointer that is known at the point, however it was derived from its root: the difference of the two addresses.
static Maybe fixed(cs_pass_ranges &state, PHINode *phi, Distance &distance) {
  Code &code = state.code;
  Value *root = distance.root;
  if (state.whole || isa<Constant>(root) || !value_at_point(state, phi) || !value_at_point(state, root) ||
      phi->getType()->getPointerAddressSpace() > 1 || root->getType()->getPointerAddressSpace() > 1)
    return {};
  Value *difference = code.CreateSub(address(code, phi), address(code, root));
  Interval result{difference, difference, nullptr, INT64_MIN, INT64_MAX};
  result = within(code, result, -MaxNumber, MaxNumber);
  if (distance.align > 1) {
    Value *rest = code.CreateAnd(difference, number(code, int64_t(distance.align) - 1));
    result.valid = both(code, result.valid, code.CreateICmpEQ(rest, number(code, 0)));
  }
  distance.multiple = std::gcd(distance.multiple, uint64_t(distance.align));
  return result;
}

static Maybe step(const Query &q, GEPOperator *gep, Interval base, Distance &distance) {
  Code &code = q.code();
  const DataLayout &layout = q.state.function.getDataLayout();
  SmallMapVector<Value *, APInt, 4> parts;
  APInt fixed(layout.getIndexTypeSizeInBits(gep->getType()), 0);
  if (!gep->collectOffset(layout, fixed.getBitWidth(), parts, fixed) || fixed.getSignificantBits() > MaxOffset)
    return {};
  distance.multiple = std::gcd(distance.multiple, uint64_t(std::abs(fixed.getSExtValue())));
  Interval sum = add(code, base, constant(code, fixed.getSExtValue()));
  for (auto &part : parts) {
    Maybe index = value({q.state, q.context}, part.first);
    if (!index || part.second.getSignificantBits() > MaxOffset)
      return {};
    distance.multiple = std::gcd(distance.multiple, uint64_t(std::abs(part.second.getSExtValue())));
    sum = add(code, sum, multiply(code, *index, constant(code, part.second.getSExtValue())));
  }
  return sum;
}

// A pointer that starts at an element whose index is a sum of products with a counter, and that moves by what the index
// grows by in each iteration, is always at the element of the counter: n * first + k, moved i times by 4 * n, is n *
// (first + 4 * i) + k.
static Maybe element(const Query &q, const Growth &growth, Distance &distance) {
  Code &code = q.code();
  const DataLayout &layout = q.state.function.getDataLayout();
  auto *gep = dyn_cast<GEPOperator>(growth.phi->getIncomingValueForBlock(growth.before));
  SmallMapVector<Value *, APInt, 4> parts;
  APInt fixed(64, 0);
  if (!q.state.whole || !gep || layout.getIndexTypeSizeInBits(gep->getType()) != 64 ||
      !gep->collectOffset(layout, 64, parts, fixed) || parts.size() != 1 || fixed.getSignificantBits() > MaxOffset)
    return {};
  auto &part = parts.front();
  Maybe base = distance_of(q.in(growth.before), gep->getPointerOperand(), distance);
  if (!base || part.second.getSignificantBits() > MaxOffset)
    return {};
  Maybe index = along(q, growth, part.first, part.second.getSExtValue());
  return index ? Maybe(add(code, add(code, *base, constant(code, fixed.getSExtValue())), *index)) : Maybe();
}

// A pointer that moves in a loop.
static Maybe moving(const Query &q, PHINode *phi, Distance &distance) {
  ScalarEvolution &evolution = q.state.evolution;
  Loop *loop = q.state.analyses.loops.getLoopFor(phi->getParent());
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
  if (!before || !recurrence || loop->getHeader() != phi->getParent() || recurrence->getLoop() != loop ||
      !recurrence->isAffine() || loop->contains(q.state.point->getParent()))
    return {};
  const SCEV *by = recurrence->getStepRecurrence(evolution);
  Maybe start = distance_of(q.in(before), phi->getIncomingValueForBlock(before), distance);
  Maybe step = evolve(q.in(before), by);
  if (!start || !step)
    return {};
  APInt known = evolution.getConstantMultiple(by);
  distance.multiple = std::gcd(distance.multiple, known.getActiveBits() <= MaxOffset ? known.getZExtValue() : 1);
  Maybe all = after_iterations(q.in(before), loop, {*start, *step, 64});
  const SCEV *count = iterations(evolution, loop);
  bool guarded = is_guarded(q, loop);
  Maybe with;
  if (!all || guarded ||
      (q.state.whole && (isa<SCEVCouldNotCompute>(count) || without_remainders(evolution, count) != count)))
    with = element(q.in(guarded ? q.context : loop->getHeader()), {phi, by, loop, before}, distance);
  return intersect(q.code(), all, with);
}

Maybe distance_of(const Query &q, Value *pointer, Distance &distance) {
  if (pointer == distance.root)
    return constant(q.code(), 0);
  if (q.depth > MaxDepth)
    return {};
  if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
    Maybe base = distance_of(q.deeper(), gep->getPointerOperand(), distance);
    return base ? step(q, gep, *base, distance) : Maybe();
  }
  if (auto *phi = dyn_cast<PHINode>(pointer)) {
    Maybe there = fixed(q.state, phi, distance);
    return there ? there : moving(q.deeper(), phi, distance);
  }
  auto *op = dyn_cast<Operator>(pointer);
  bool same = op && (op->getOpcode() == Instruction::AddrSpaceCast || op->getOpcode() == Instruction::BitCast ||
                     op->getOpcode() == Instruction::Freeze);
  return same ? distance_of(q.deeper(), op->getOperand(0), distance) : Maybe();
}

} // namespace cusafe::ranges
