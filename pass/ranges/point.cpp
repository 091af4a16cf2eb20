// point.cpp: values that are known at the point, and registers of the thread.
#include "pass/ranges/point.h"
#include "pass/ranges/launch.h"
#include "pass/ranges/loop_facts.h"
#include "pass/ranges/stand_ins.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace cusafe::ranges {

static Value *copy_field(cs_pass_ranges &state, Value *value) {
  const DataLayout &layout = state.function.getDataLayout();
  uint64_t inside;
  LoadInst *load = field_of(value, layout, inside);
  if (!load)
    return nullptr;
  APInt offset;
  Value *base = argument_of(load, layout, offset);
  Value *address = state.code.CreateGEP(state.code.getInt8Ty(), base, state.code.getInt(offset + inside));
  Align align = commonAlignment(load->getAlign(), inside);
  return state.code.CreateFreeze(state.code.CreateAlignedLoad(value->getType(), address, align));
}

Value *value_at_point(cs_pass_ranges &state, Value *value) {
  if (isa<Constant>(value))
    return value;
  Value *&slot = state.at_point[value];
  if (slot)
    return slot;
  auto *argument = dyn_cast<Argument>(value);
  auto *instruction = dyn_cast<Instruction>(value);
  if (!state.whole) {
    bool there = argument ? !argument->hasByValAttr() : state.analyses.dominators.dominates(instruction, state.point);
    return slot = there ? value : nullptr;
  }
  if (argument)
    return slot = argument->hasByValAttr() ? nullptr : value;
  if (is_of_grid(value))
    return slot = state.code.Insert(instruction->clone());
  return slot = copy_field(state, value);
}

Interval exactly(cs_pass_ranges &state, Value *value, Value *here) {
  unsigned width = value->getType()->getIntegerBitWidth();
  int64_t min = min_of(width), max = max_of(width);
  ConstantRange range = range_of(state.evolution, value);
  if (width < 63) {
    min = range.getSignedMin().getSExtValue(), max = range.getSignedMax().getSExtValue();
  }
  Value *wide = state.code.CreateSExt(here, state.code.getInt64Ty());
  Interval result{wide, wide, nullptr, min, max};
  if (width >= 63) { // may be more than 62 bits
    result.min = INT64_MIN, result.max = INT64_MAX;
    result = within(state.code, result, std::max(-MaxNumber, range.getSignedMin().getSExtValue()),
                    std::min(MaxNumber, range.getSignedMax().getSExtValue()));
  }
  return result;
}

Maybe known(cs_pass_ranges &state, Value *value) {
  if (!state.evolution.isSCEVable(value->getType()))
    return {};
  ConstantRange range = range_of(state.evolution, value);
  APInt low = range.getSignedMin(), high = range.getSignedMax();
  if (range.isEmptySet() || low.getSignificantBits() > Narrow || high.getSignificantBits() > Narrow)
    return {};
  return between(state.code, low.getSExtValue(), high.getSExtValue());
}

// The first or the last blockIdx in question: a stand-in that pass/launch/program.c translates.
static Value *block(cs_pass_ranges &state, const char *end, const char *dimension) {
  FunctionCallee stand_in =
      state.function.getParent()->getOrInsertFunction((Twine(end) + dimension).str(), state.code.getInt64Ty());
  return state.code.CreateCall(stand_in);
}

Maybe thread(cs_pass_ranges &state, CallInst *call) {
  static const std::pair<Intrinsic::ID, const char *> blocks[] = {{Intrinsic::nvvm_read_ptx_sreg_ctaid_x, "x"},
                                                                  {Intrinsic::nvvm_read_ptx_sreg_ctaid_y, "y"},
                                                                  {Intrinsic::nvvm_read_ptx_sreg_ctaid_z, "z"}};
  for (auto &pair : blocks)
    if (call->getIntrinsicID() == pair.first)
      return Interval{block(state, CS_PASS_FIRST_BLOCK, pair.second), block(state, CS_PASS_LAST_BLOCK, pair.second),
                      nullptr, 0, INT32_MAX};
  static const std::pair<Intrinsic::ID, Intrinsic::ID> pairs[] = {
      {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_x},
      {Intrinsic::nvvm_read_ptx_sreg_tid_y, Intrinsic::nvvm_read_ptx_sreg_ntid_y},
      {Intrinsic::nvvm_read_ptx_sreg_tid_z, Intrinsic::nvvm_read_ptx_sreg_ntid_z}};
  for (auto &pair : pairs)
    if (call->getIntrinsicID() == pair.first) {
      Value *count = state.code.CreateIntrinsic(pair.second, {});
      Value *high = state.code.CreateSub(state.code.CreateZExt(count, state.code.getInt64Ty()), number(state.code, 1));
      return Interval{number(state.code, 0), high, nullptr, 0, 1023};
    }
  return known(state, call);
}

} // namespace cusafe::ranges
