// range_extent.cpp: how far a pointer can be from its root, and the C side of range.h.
#include "pass/bridge/ranges.h"
#include <numeric>

Maybe cs_pass_ranges::distance(Value *pointer, Value *root, BasicBlock *context, uint64_t &multiple, unsigned depth) {
  if (pointer == root)
    return constant(0);
  if (depth > Depth)
    return {};
  if (auto *gep = dyn_cast<GEPOperator>(pointer)) {
    Maybe base = distance(gep->getPointerOperand(), root, context, multiple, depth + 1);
    return base ? step(gep, *base, context, multiple) : Maybe();
  }
  if (auto *phi = dyn_cast<PHINode>(pointer)) {
    Maybe there = fixed(phi, root, multiple);
    return there ? there : moving(phi, root, context, multiple, depth + 1);
  }
  auto *op = dyn_cast<Operator>(pointer);
  bool same = op && (op->getOpcode() == Instruction::AddrSpaceCast || op->getOpcode() == Instruction::BitCast ||
                     op->getOpcode() == Instruction::Freeze);
  return same ? distance(op->getOperand(0), root, context, multiple, depth + 1) : Maybe();
}

// As an integer, from a generic pointer: tags and roots are decoded from that.
Value *cs_pass_ranges::address(Value *pointer) {
  Type *generic = PointerType::get(pointer->getContext(), 0);
  if (pointer->getType() != generic)
    pointer = builder.CreateAddrSpaceCast(pointer, generic);
  Value *number = builder.CreatePtrToInt(pointer, word);
  if (auto *made = dyn_cast<Instruction>(number))
    made->setMetadata("cusafe.own", MDNode::get(made->getContext(), {}));
  return number;
}

// A pointer that is known at the point, however it was derived from its root: the difference of the two addresses.
Maybe cs_pass_ranges::fixed(PHINode *phi, Value *root, uint64_t &multiple) {
  if (whole || isa<Constant>(root) || !valueAtPoint(phi) || !valueAtPoint(root) ||
      phi->getType()->getPointerAddressSpace() > 1 || root->getType()->getPointerAddressSpace() > 1)
    return {};
  Value *difference = builder.CreateSub(address(phi), address(root));
  Interval result{difference, difference, nullptr, INT64_MIN, INT64_MAX};
  result = within(result, -MaxNumber, MaxNumber);
  if (align > 1) {
    Value *rest = builder.CreateAnd(difference, number(int64_t(align) - 1));
    result.valid = both(result.valid, builder.CreateICmpEQ(rest, number(0)));
  }
  multiple = std::gcd(multiple, uint64_t(align));
  return result;
}

Maybe cs_pass_ranges::step(GEPOperator *gep, Interval base, BasicBlock *context, uint64_t &multiple) {
  const DataLayout &layout = function.getDataLayout();
  SmallMapVector<Value *, APInt, 4> parts;
  APInt fixed(layout.getIndexTypeSizeInBits(gep->getType()), 0);
  if (!gep->collectOffset(layout, fixed.getBitWidth(), parts, fixed) || fixed.getSignificantBits() > 40)
    return {};
  multiple = std::gcd(multiple, uint64_t(std::abs(fixed.getSExtValue())));
  Interval sum = add(base, constant(fixed.getSExtValue()));
  for (auto &part : parts) {
    Maybe index = value(part.first, context);
    if (!index || part.second.getSignificantBits() > 40)
      return {};
    multiple = std::gcd(multiple, uint64_t(std::abs(part.second.getSExtValue())));
    sum = add(sum, multiply(*index, constant(part.second.getSExtValue())));
  }
  return sum;
}

// A pointer that starts at an element whose index is a sum of products with a counter, and that moves by what the index grows by in each
// iteration, is always at the element of the counter: n * first + k, moved i times by 4 * n, is n * (first + 4 * i) + k.
Maybe cs_pass_ranges::along(const Along &of, Value *root, uint64_t &multiple) {
  const DataLayout &layout = function.getDataLayout();
  auto *gep = dyn_cast<GEPOperator>(of.phi->getIncomingValueForBlock(of.before));
  SmallMapVector<Value *, APInt, 4> parts;
  APInt fixed(64, 0);
  if (!whole || !gep || layout.getIndexTypeSizeInBits(gep->getType()) != 64 ||
      !gep->collectOffset(layout, 64, parts, fixed) || parts.size() != 1 || fixed.getSignificantBits() > 40)
    return {};
  auto &part = parts.front();
  Maybe base = distance(gep->getPointerOperand(), root, of.before, multiple, of.depth);
  if (!base || part.second.getSignificantBits() > 40)
    return {};
  Maybe index = index_along(of, part.first, part.second.getSExtValue());
  return index ? Maybe(add(add(*base, constant(fixed.getSExtValue())), *index)) : Maybe();
}

Maybe cs_pass_ranges::moving(PHINode *phi, Value *root, BasicBlock *context, uint64_t &multiple, unsigned depth) {
  Loop *loop = analyses.loops.getLoopFor(phi->getParent());
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi));
  BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
  if (!before || !recurrence || loop->getHeader() != phi->getParent() || recurrence->getLoop() != loop ||
      !recurrence->isAffine() || loop->contains(point->getParent()))
    return {};
  const SCEV *by = recurrence->getStepRecurrence(evolution);
  Maybe start = distance(phi->getIncomingValueForBlock(before), root, before, multiple, depth);
  Maybe step = evolve(by, before, depth);
  if (!start || !step)
    return {};
  APInt known = evolution.getConstantMultiple(by);
  multiple = std::gcd(multiple, known.getActiveBits() <= 40 ? known.getZExtValue() : 1);
  Maybe all = after_iterations(*start, *step, loop, before, 64, depth);
  const SCEV *count = iterations(loop);
  bool guarded = is_guarded(context, loop);
  Maybe with = !all || guarded || (whole && (isa<SCEVCouldNotCompute>(count) || without_remainders(count) != count))
                   ? along({phi, by, loop, before, guarded ? context : loop->getHeader(), depth}, root, multiple)
                   : Maybe();
  return intersect(all, with);
}

extern "C" cs_pass_ranges *cs_pass_ranges_begin(const cs_pass_analyses *analyses, LLVMValueRef point, int whole_grid) {
  return new cs_pass_ranges(*analyses, unwrap<Instruction>(point), whole_grid != 0);
}

extern "C" void cs_pass_ranges_end(cs_pass_ranges *ranges) {
  delete ranges;
}

extern "C" LLVMValueRef cs_pass_ranges_reached(cs_pass_ranges *ranges, LLVMValueRef user) {
  return wrap(ranges->entered(unwrap<Instruction>(user)->getParent()));
}

extern "C" int cs_pass_known_at_launch(LLVMValueRef value) {
  if (auto *argument = dyn_cast<Argument>(unwrap(value)))
    return argument->getParent()->getCallingConv() == CallingConv::PTX_Kernel && !argument->hasByValAttr();
  auto *instruction = dyn_cast<Instruction>(unwrap(value));
  uint64_t inside;
  return instruction && instruction->getFunction()->getCallingConv() == CallingConv::PTX_Kernel &&
         cs_pass_ranges::fieldOf(instruction, instruction->getDataLayout(), inside);
}

extern "C" LLVMValueRef cs_pass_field_at_launch(LLVMValueRef value, unsigned *offset) {
  auto *instruction = unwrap<Instruction>(value);
  const DataLayout &layout = instruction->getDataLayout();
  uint64_t inside;
  LoadInst *load = cs_pass_ranges::fieldOf(instruction, layout, inside);
  if (!load)
    return nullptr;
  APInt start(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, start, true);
  *offset = unsigned(start.getZExtValue() + inside);
  return wrap(base);
}

extern "C" LLVMValueRef cs_pass_ranges_value(cs_pass_ranges *ranges, LLVMValueRef value) {
  return wrap(ranges->valueAtPoint(unwrap(value)));
}

extern "C" int cs_pass_ranges_extent(cs_pass_ranges *ranges, LLVMValueRef pointer, LLVMValueRef root, LLVMValueRef user,
                                     unsigned align, cs_pass_extent *extent) {
  BasicBlock *context = unwrap<Instruction>(user)->getParent();
  uint64_t multiple = 0;
  ranges->align = align;
  Maybe distance = ranges->distance(unwrap(pointer), unwrap(root), context, multiple);
  if (!distance)
    return 0;
  *extent = {wrap(distance->low), wrap(distance->high), wrap(distance->valid), wrap(ranges->reached(context)),
             multiple};
  return 1;
}
