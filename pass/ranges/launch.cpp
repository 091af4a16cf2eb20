// launch.cpp: values that are the same for all threads during the whole launch.
#include "pass/ranges/launch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"

namespace cusafe::ranges {

static bool is_register(Value *value, StringRef prefix) {
  auto *call = dyn_cast<CallInst>(value);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(("llvm.nvvm.read.ptx.sreg." + prefix).str());
}

bool is_of_grid(Value *value) {
  return is_register(value, "ntid.") || is_register(value, "nctaid.");
}

static bool is_only_read(Value *pointer) {
  for (User *user : pointer->users()) {
    if (auto *load = dyn_cast<LoadInst>(user); load && !load->isVolatile())
      continue;
    if (!isa<GetElementPtrInst, AddrSpaceCastInst>(user) || !is_only_read(user))
      return false;
  }
  return true;
}

Value *argument_of(LoadInst *load, const DataLayout &layout, APInt &offset) {
  offset = APInt(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  return load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
}

static bool is_of_launch(LoadInst *load, const DataLayout &layout) {
  APInt offset;
  Value *base = argument_of(load, layout, offset);
  if (load->isVolatile() || load->isAtomic() || offset.isNegative())
    return false;
  uint64_t end = offset.getZExtValue() + layout.getTypeStoreSize(load->getType());
  auto *argument = dyn_cast<Argument>(base);
  return argument && argument->hasByValAttr() && is_only_read(argument) &&
         end <= layout.getTypeAllocSize(argument->getParamByValType());
}

LoadInst *field_of(Value *value, const DataLayout &layout, uint64_t &inside) {
  inside = 0;
  auto *element = dyn_cast<ExtractElementInst>(value);
  auto *load = dyn_cast<LoadInst>(element ? element->getVectorOperand() : value);
  if (!load || !is_of_launch(load, layout))
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

} // namespace cusafe::ranges
