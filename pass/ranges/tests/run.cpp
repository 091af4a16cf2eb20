// run.cpp: an interpreter of functions with integers and one buffer.
#include "pass/ranges/tests/run.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace cusafe::ranges::tests {

static unsigned width_of(const Type *type) {
  return type->isPointerTy() ? 64 : type->getIntegerBitWidth();
}

void Run::set(const Value *v, int64_t value) {
  values[v] = APInt(width_of(v->getType()), uint64_t(value), true, true);
}

bool Run::has(const Value *v) const {
  return isa<ConstantInt>(v) || values.count(v) != 0;
}

int64_t Run::number(const Value *v) {
  return get(v).getSExtValue();
}

APInt Run::get(const Value *v) {
  if (auto *constant = dyn_cast<ConstantInt>(v))
    return constant->getValue();
  auto found = values.find(v);
  if (found != values.end())
    return found->second;
  APInt result = compute(*cast<Instruction>(v));
  values[v] = result;
  return result;
}

APInt Run::binary(const BinaryOperator &op) {
  APInt a = get(op.getOperand(0)), b = get(op.getOperand(1));
  unsigned width = a.getBitWidth();
  bool added = point == nullptr || op.getParent() == point->getParent();
  bool divides = op.isIntDivRem(), shifts = op.isShift();
  bool overflows = (op.getOpcode() == Instruction::SDiv || op.getOpcode() == Instruction::SRem) &&
                   a.isMinSignedValue() && b.isAllOnes();
  if ((divides && (b.isZero() || overflows)) || (shifts && b.uge(width))) {
    defined &= added;
    return APInt::getZero(width);
  }
  switch (op.getOpcode()) {
  case Instruction::Add: {
    bool wraps;
    APInt sum = a.sadd_ov(b, wraps);
    defined &= !wraps || !op.hasNoSignedWrap();
    return sum;
  }
  case Instruction::Sub:
    return a - b;
  case Instruction::Mul:
    return a * b;
  case Instruction::UDiv:
    return a.udiv(b);
  case Instruction::SDiv:
    return a.sdiv(b);
  case Instruction::URem:
    return a.urem(b);
  case Instruction::SRem:
    return a.srem(b);
  case Instruction::Shl:
    return a.shl(b);
  case Instruction::LShr:
    return a.lshr(b);
  case Instruction::AShr:
    return a.ashr(b);
  case Instruction::And:
    return a & b;
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(op).isDisjoint() && a.intersects(b))
      defined = false;
    return a | b;
  case Instruction::Xor:
    return a ^ b;
  default:
    abort();
  }
}

APInt Run::call(const CallInst &call) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::smin:
      return APIntOps::smin(get(call.getArgOperand(0)), get(call.getArgOperand(1)));
    case Intrinsic::smax:
      return APIntOps::smax(get(call.getArgOperand(0)), get(call.getArgOperand(1)));
    case Intrinsic::umin:
      return APIntOps::umin(get(call.getArgOperand(0)), get(call.getArgOperand(1)));
    case Intrinsic::umax:
      return APIntOps::umax(get(call.getArgOperand(0)), get(call.getArgOperand(1)));
    case Intrinsic::usub_sat:
      return get(call.getArgOperand(0)).usub_sat(get(call.getArgOperand(1)));
    case Intrinsic::ctlz:
      return APInt(width_of(call.getType()), get(call.getArgOperand(0)).countl_zero());
    default:
      break;
    }
  }
  return APInt(width_of(call.getType()), uint64_t(calls.at(call.getCalledFunction()->getName().str())), true, true);
}

APInt Run::compute(const Instruction &i) {
  if (auto *op = dyn_cast<BinaryOperator>(&i))
    return binary(*op);
  if (auto *compare = dyn_cast<ICmpInst>(&i))
    return APInt(1, ICmpInst::compare(get(i.getOperand(0)), get(i.getOperand(1)), compare->getPredicate()));
  if (auto *select = dyn_cast<SelectInst>(&i))
    return get(get(select->getCondition()).isZero() ? select->getFalseValue() : select->getTrueValue());
  if (auto *gep = dyn_cast<GetElementPtrInst>(&i)) {
    const DataLayout &layout = i.getDataLayout();
    SmallMapVector<Value *, APInt, 4> parts;
    APInt sum(64, 0);
    cast<GEPOperator>(gep)->collectOffset(layout, 64, parts, sum);
    for (auto &part : parts)
      sum += get(part.first).sextOrTrunc(64) * part.second;
    return get(gep->getPointerOperand()) + sum;
  }
  if (auto *made = dyn_cast<CallInst>(&i))
    return call(*made);
  unsigned width = width_of(i.getType());
  if (isa<ZExtInst>(i) || isa<PtrToIntInst>(i))
    return get(i.getOperand(0)).zext(width);
  if (isa<SExtInst>(i))
    return get(i.getOperand(0)).sext(width);
  if (isa<TruncInst>(i))
    return get(i.getOperand(0)).trunc(width);
  if (isa<FreezeInst>(i))
    return get(i.getOperand(0));
  abort();
}

bool Run::execute(Function &function, const Instruction *before, unsigned instructions,
                  const std::function<void(const Instruction &, int64_t)> &visit) {
  point = before;
  const BasicBlock *block = &function.getEntryBlock(), *from = nullptr;
  for (;;) {
    SmallVector<std::pair<const Value *, APInt>, 4> merged; // all at once
    for (const PHINode &phi : block->phis())
      merged.push_back({&phi, get(phi.getIncomingValueForBlock(from))});
    for (auto &one : merged)
      values[one.first] = one.second;
    for (const Instruction &i : *block) {
      if (isa<PHINode>(i))
        continue;
      if (!defined || instructions-- == 0)
        return defined;
      if (auto *store = dyn_cast<StoreInst>(&i)) {
        visit(i, number(store->getPointerOperand()));
      } else if (auto *branch = dyn_cast<BranchInst>(&i)) {
        bool other = branch->isConditional() && get(branch->getCondition()).isZero();
        from = block, block = branch->getSuccessor(other ? 1 : 0);
      } else if (isa<ReturnInst>(i)) {
        ended = true;
        return defined;
      } else {
        APInt result = compute(i);
        values[&i] = result;
      }
    }
  }
}

} // namespace cusafe::ranges::tests
