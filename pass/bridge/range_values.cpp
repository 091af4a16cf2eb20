// range_values.cpp: the interval of a value: the value itself at the point, or what follows from its operands.
#include "pass/bridge/ranges.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

Maybe cs_pass_ranges::known(Value *value) {
  if (!evolution.isSCEVable(value->getType()))
    return {};
  ConstantRange range = range_of(value);
  APInt low = range.getSignedMin(), high = range.getSignedMax();
  if (range.isEmptySet() || low.getSignificantBits() > Narrow || high.getSignificantBits() > Narrow)
    return {};
  return Interval{number(low.getSExtValue()), number(high.getSExtValue()), nullptr, low.getSExtValue(),
                  high.getSExtValue()};
}

// The value itself, as 64 bits, with what is known of it.
Interval cs_pass_ranges::exactly(Value *value, Value *here) {
  unsigned width = value->getType()->getIntegerBitWidth();
  int64_t min = minOf(width), max = maxOf(width);
  ConstantRange range = range_of(value);
  if (width < 63) {
    min = range.getSignedMin().getSExtValue(), max = range.getSignedMax().getSExtValue();
  }
  Value *wide = builder.CreateSExt(here, word);
  Interval result{wide, wide, nullptr, min, max};
  if (width >= 63) { // may be more than 62 bits
    result.min = INT64_MIN, result.max = INT64_MAX;
    result = within(result, std::max(-MaxNumber, range.getSignedMin().getSExtValue()),
                    std::min(MaxNumber, range.getSignedMax().getSExtValue()));
  }
  return result;
}

bool cs_pass_ranges::isRegister(Value *value, StringRef prefix) {
  auto *call = dyn_cast<CallInst>(value);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(("llvm.nvvm.read.ptx.sreg." + prefix).str());
}

bool cs_pass_ranges::isOfGrid(Value *value) {
  return isRegister(value, "ntid.") || isRegister(value, "nctaid.");
}

bool cs_pass_ranges::onlyRead(Value *pointer) {
  for (User *user : pointer->users()) {
    if (auto *load = dyn_cast<LoadInst>(user); load && !load->isVolatile())
      continue;
    if (!isa<GetElementPtrInst, AddrSpaceCastInst>(user) || !onlyRead(user))
      return false;
  }
  return true;
}

bool cs_pass_ranges::isOfLaunch(LoadInst *load, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (load->isVolatile() || load->isAtomic() || offset.isNegative())
    return false;
  uint64_t end = offset.getZExtValue() + layout.getTypeStoreSize(load->getType());
  auto *argument = dyn_cast<Argument>(base);
  return argument && argument->hasByValAttr() && onlyRead(argument) &&
         end <= layout.getTypeAllocSize(argument->getParamByValType());
}

LoadInst *cs_pass_ranges::fieldOf(Value *value, const DataLayout &layout, uint64_t &inside) {
  inside = 0;
  auto *element = dyn_cast<ExtractElementInst>(value);
  auto *load = dyn_cast<LoadInst>(element ? element->getVectorOperand() : value);
  if (!load || !isOfLaunch(load, layout))
    return nullptr;
  if (element) {
    auto *index = dyn_cast<ConstantInt>(element->getIndexOperand());
    unsigned bits = unsigned(layout.getTypeSizeInBits(element->getType()));
    if (!index || bits % 8 != 0 || index->getZExtValue() >= cast<FixedVectorType>(load->getType())->getNumElements())
      return nullptr;
    inside = index->getZExtValue() * (bits / 8);
  }
  return load;
}

Value *cs_pass_ranges::copyField(Value *value) {
  const DataLayout &layout = function.getDataLayout();
  uint64_t inside;
  LoadInst *load = fieldOf(value, layout, inside);
  if (!load)
    return nullptr;
  APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  Value *address = builder.CreateGEP(builder.getInt8Ty(), base, builder.getInt(offset + inside));
  Align align = commonAlignment(load->getAlign(), inside);
  return builder.CreateFreeze(builder.CreateAlignedLoad(value->getType(), address, align));
}

Value *cs_pass_ranges::valueAtPoint(Value *value) {
  if (isa<Constant>(value))
    return value;
  Value *&slot = atPoint[value];
  if (slot)
    return slot;
  auto *argument = dyn_cast<Argument>(value);
  auto *instruction = dyn_cast<Instruction>(value);
  if (!whole) {
    bool there = argument ? !argument->hasByValAttr() : analyses.dominators.dominates(instruction, point);
    return slot = there ? value : nullptr;
  }
  if (argument)
    return slot = argument->hasByValAttr() ? nullptr : value;
  if (isOfGrid(value))
    return slot = builder.Insert(instruction->clone());
  return slot = copyField(value);
}

Value *cs_pass_ranges::block(const char *end, const char *dimension) {
  FunctionCallee stand_in = function.getParent()->getOrInsertFunction((Twine(end) + dimension).str(), word);
  return builder.CreateCall(stand_in);
}

Maybe cs_pass_ranges::thread(CallInst *call) {
  static const std::pair<Intrinsic::ID, const char *> blocks[] = {{Intrinsic::nvvm_read_ptx_sreg_ctaid_x, "x"},
                                                                  {Intrinsic::nvvm_read_ptx_sreg_ctaid_y, "y"},
                                                                  {Intrinsic::nvvm_read_ptx_sreg_ctaid_z, "z"}};
  for (auto &pair : blocks)
    if (call->getIntrinsicID() == pair.first)
      return Interval{block(CS_PASS_FIRST_BLOCK, pair.second), block(CS_PASS_LAST_BLOCK, pair.second), nullptr, 0,
                      INT32_MAX};
  static const std::pair<Intrinsic::ID, Intrinsic::ID> pairs[] = {
      {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_x},
      {Intrinsic::nvvm_read_ptx_sreg_tid_y, Intrinsic::nvvm_read_ptx_sreg_ntid_y},
      {Intrinsic::nvvm_read_ptx_sreg_tid_z, Intrinsic::nvvm_read_ptx_sreg_ntid_z}};
  for (auto &pair : pairs)
    if (call->getIntrinsicID() == pair.first) {
      Value *count = builder.CreateIntrinsic(pair.second, {});
      Value *high = builder.CreateSub(builder.CreateZExt(count, word), number(1));
      return Interval{number(0), high, nullptr, 0, 1023};
    }
  return known(call);
}

Maybe cs_pass_ranges::value(Value *v, BasicBlock *context, unsigned depth) {
  if (auto *c = dyn_cast<ConstantInt>(v))
    return c->getBitWidth() <= 64 && fitsWord(c->getSExtValue()) ? Maybe(constant(c->getSExtValue())) : Maybe();
  if (!v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() > 64 || isa<Constant>(v))
    return {};
  auto found = memo.find({v, context});
  if (found != memo.end())
    return found->second;
  if (depth > Depth || ++spent > Budget)
    return {};
  Maybe result;
  if (Value *here = valueAtPoint(v))
    result = exactly(v, here);
  else if (auto *instruction = dyn_cast<Instruction>(v))
    result = compute(instruction, context, depth + 1);
  if (!result)
    result = known(v);
  if (result && !result->exact())
    result = narrow(v, *result, context, depth + 1);
  return memo[{v, context}] = result;
}

Maybe cs_pass_ranges::compute(Instruction *i, BasicBlock *context, unsigned depth) {
  if (auto *phi = dyn_cast<PHINode>(i)) {
    Maybe all = meeting(phi, depth), with = counter_along(phi, context, depth);
    return intersect(all, with);
  }
  if (auto *call = dyn_cast<IntrinsicInst>(i))
    return intrinsic(call, context, depth);
  if (auto *select = dyn_cast<SelectInst>(i)) {
    Maybe a = value(select->getTrueValue(), context, depth), b = value(select->getFalseValue(), context, depth);
    return a && b ? Maybe(unite(*a, *b)) : Maybe();
  }
  if (isa<FreezeInst>(i))
    return value(i->getOperand(0), context, depth);
  if (auto *cast = dyn_cast<CastInst>(i))
    return convert(cast, context, depth);
  return isa<BinaryOperator>(i) ? binary(cast<BinaryOperator>(i), context, depth) : Maybe();
}

Maybe cs_pass_ranges::convert(CastInst *cast, BasicBlock *context, unsigned depth) {
  if (!cast->getSrcTy()->isIntegerTy())
    return {};
  unsigned from = cast->getSrcTy()->getIntegerBitWidth(), to = cast->getDestTy()->getIntegerBitWidth();
  Maybe operand = value(cast->getOperand(0), context, depth);
  if (isa<ZExtInst>(cast) && from <= 16 && (!operand || operand->min < 0)) {
    int64_t max = (int64_t(1) << from) - 1;
    return Interval{number(0), number(max), nullptr, 0, max};
  }
  if (!operand)
    return {};
  if (isa<ZExtInst>(cast))
    return within(*operand, 0, MaxNumber);
  if (isa<TruncInst>(cast))
    return fit(*operand, to);
  return isa<SExtInst>(cast) ? operand : Maybe();
}

Maybe cs_pass_ranges::intrinsic(IntrinsicInst *call, BasicBlock *context, unsigned depth) {
  Intrinsic::ID id = call->getIntrinsicID();
  bool min = id == Intrinsic::smin || id == Intrinsic::umin, max = id == Intrinsic::smax || id == Intrinsic::umax;
  bool floored = id == Intrinsic::usub_sat; // a - b, or 0
  if (!min && !max && !floored)
    return whole ? thread(call) : known(call);
  Maybe a = value(call->getArgOperand(0), context, depth), b = value(call->getArgOperand(1), context, depth);
  if (!a || !b)
    return {};
  if (floored)
    return maximum(add(within(*a, 0, MaxNumber), negate(within(*b, 0, MaxNumber))), constant(0));
  if (id == Intrinsic::umin || id == Intrinsic::umax)
    a = within(*a, 0, MaxNumber), b = within(*b, 0, MaxNumber);
  return min ? minimum(*a, *b) : maximum(*a, *b);
}

Maybe cs_pass_ranges::binary(BinaryOperator *op, BasicBlock *context, unsigned depth) {
  Maybe x = value(op->getOperand(0), context, depth), y = value(op->getOperand(1), context, depth);
  auto *by = dyn_cast<ConstantInt>(op->getOperand(1));
  if (op->getOpcode() == Instruction::And && by)
    return masked(x, by->getSExtValue());
  if (y && !x && op->getOpcode() == Instruction::URem) { // the remainder is below y for any x
    Interval b = within(*y, 1, MaxNumber);
    return Interval{number(0), builder.CreateSub(b.high, number(1)), b.valid, 0, b.max - 1};
  }
  Maybe result = x && y ? combine(op, *x, *y, by, context) : Maybe();
  if (!result || !whole || op->getOpcode() != Instruction::Add)
    return result;
  return regrouped(
      op, *result, context, depth, [&](Value *term) { return value(term, context, depth); },
      [](Value *) { return true; });
}

Maybe cs_pass_ranges::combine(BinaryOperator *op, Interval a, Interval b, ConstantInt *by, BasicBlock *context) {
  unsigned width = op->getType()->getIntegerBitWidth();
  bool shifts = by && by->getValue().ult(width);
  unsigned shift = shifts ? unsigned(by->getZExtValue()) : 0;
  switch (op->getOpcode()) {
  case Instruction::Add:
    return fit(add(a, b), width);
  case Instruction::Sub:
    return ordered(op, a, fit(add(a, negate(b)), width), context);
  case Instruction::Mul:
    return fit(multiply(a, b), width);
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(op)->isDisjoint() ? fit(add(a, b), width) : bitwise(a, b);
  case Instruction::Xor:
    return by && by->isMinusOne() ? add(negate(a), constant(-1)) : bitwise(a, b); // ~x is -1 - x
  case Instruction::Shl:
    return shifts && shift < 31 ? Maybe(fit(multiply(a, constant(int64_t(1) << shift)), width)) : Maybe();
  case Instruction::LShr:
    return shifts ? Maybe(shiftRight(within(a, 0, MaxNumber), shift)) : Maybe();
  case Instruction::AShr:
    return shifts ? Maybe(shiftRight(a, shift)) : Maybe();
  case Instruction::UDiv:
    a = within(a, 0, MaxNumber);
    [[fallthrough]];
  case Instruction::SDiv:
    return by && by->getSExtValue() > 0 ? divide(a, by->getSExtValue()) : quotient(a, b);
  case Instruction::URem:
  case Instruction::SRem:
    return remainder(a, b);
  default:
    return {};
  }
}

// a - b is not negative where a >= b is known.
Interval cs_pass_ranges::ordered(BinaryOperator *difference, Interval minuend, Interval i, BasicBlock *context) {
  Value *a = difference->getOperand(0), *b = difference->getOperand(1);
  for (const Guard &guard : SmallVector<Guard, 4>(conditions(context))) {
    CmpInst::Predicate p = guard.holds ? guard.compare->getPredicate() : guard.compare->getInversePredicate();
    Value *x = guard.compare->getOperand(0), *y = guard.compare->getOperand(1);
    if (x == b && y == a)
      std::swap(x, y), p = CmpInst::getSwappedPredicate(p);
    if (x != a || y != b || i.min >= 0)
      continue;
    if (!ICmpInst::isGT(p) && !ICmpInst::isGE(p))
      continue;
    Value *low = larger(i.low, number(0));
    if (ICmpInst::isSigned(p) || minuend.min >= 0) {
      i.low = low;
      i.min = std::min<int64_t>(0, i.max);
    } else { // unsigned: a negative number is above as well
      i.low = builder.CreateSelect(builder.CreateICmpSGE(minuend.low, number(0)), low, i.low);
    }
  }
  return i;
}

// x & c. A mask that is not negative bounds the result whatever x is; one that only clears low bits rounds down.
Maybe cs_pass_ranges::masked(Maybe a, int64_t mask) {
  if (mask >= 0) {
    if (a && a->min >= 0 && a->max < mask)
      return Interval{number(0), a->high, a->valid, 0, a->max};
    if (a && a->exact() && mask <= MaxNumber) {
      Value *low = builder.CreateAnd(a->low, number(mask));
      return Interval{low, low, a->valid, 0, mask};
    }
    return mask <= MaxNumber ? Maybe(Interval{number(0), number(mask), nullptr, 0, mask}) : Maybe();
  }
  if (!a || mask < -MaxNumber || ((-mask) & (-mask - 1)) != 0)
    return {};
  Value *low = builder.CreateAnd(a->low, number(mask));
  return Interval{low, a->exact() ? low : builder.CreateAnd(a->high, number(mask)), a->valid, a->min & mask,
                  a->max & mask};
}
