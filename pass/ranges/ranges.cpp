// ranges.cpp: the C side of ranges.h.
#include "pass/ranges/ranges.h"
#include "pass/ranges/extent.h"
#include "pass/ranges/launch.h"
#include "pass/ranges/loop_facts.h"
#include "pass/ranges/point.h"
#include "pass/ranges/recursion.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace cusafe::ranges;

cs_pass_ranges::cs_pass_ranges(const cs_pass_analyses &a, Instruction *p, bool w)
    : function(*p->getFunction()), analyses(a), evolution(a.evolution), point(p), whole(w), code(p),
      conditions(a.dominators, p) {
  DISubprogram *program = function.getSubprogram();
  code.SetCurrentDebugLocation(program ? DebugLoc(DILocation::get(p->getContext(), 0, 0, program)) : DebugLoc());
}

extern "C" cs_pass_ranges *cs_pass_ranges_begin(const cs_pass_analyses *analyses, LLVMValueRef point, int whole_grid) {
  return new cs_pass_ranges(*analyses, unwrap<Instruction>(point), whole_grid != 0);
}

extern "C" void cs_pass_ranges_end(cs_pass_ranges *ranges) {
  delete ranges;
}

extern "C" LLVMValueRef cs_pass_ranges_reached(cs_pass_ranges *ranges, LLVMValueRef user) {
  return wrap(entered(*ranges, unwrap<Instruction>(user)->getParent()));
}

extern "C" LLVMValueRef cs_pass_ranges_value(cs_pass_ranges *ranges, LLVMValueRef value) {
  return wrap(value_at_point(*ranges, unwrap(value)));
}

extern "C" int cs_pass_ranges_extent(cs_pass_ranges *ranges, LLVMValueRef pointer, LLVMValueRef root, LLVMValueRef user,
                                     unsigned align, cs_pass_extent *extent) {
  BasicBlock *context = unwrap<Instruction>(user)->getParent();
  Distance distance{unwrap(root), align};
  Maybe range = distance_of({*ranges, context}, unwrap(pointer), distance);
  if (!range)
    return 0;
  *extent = {wrap(range->low), wrap(range->high), wrap(range->valid), wrap(reached(*ranges, context)),
             distance.multiple};
  return 1;
}

// The number of iterations is below 2^32, so it is the difference of the two ends, unless that wraps.
extern "C" int cs_pass_ranges_ends(cs_pass_ranges *ranges, LLVMValueRef index, LLVMValueRef *first,
                                   LLVMValueRef *last) {
  ScalarEvolution &evolution = ranges->evolution;
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(unwrap(index)));
  if (!recurrence || !recurrence->isAffine() || !recurrence->getStepRecurrence(evolution)->isOne() ||
      recurrence->getLoop()->getLoopPreheader() != ranges->point->getParent())
    return 0;
  const SCEV *count = iterations(evolution, recurrence->getLoop());
  if (isa<SCEVCouldNotCompute>(count) || evolution.getTypeSizeInBits(count->getType()) > 32)
    return 0;
  const SCEV *ends[] = {recurrence->getStart(), recurrence->evaluateAtIteration(count, evolution)};
  SCEVExpander expander(evolution, "");
  if (!expander.isSafeToExpandAt(ends[0], ranges->point) || !expander.isSafeToExpandAt(ends[1], ranges->point))
    return 0;
  *first = wrap(expander.expandCodeFor(ends[0], recurrence->getType(), ranges->point));
  *last = wrap(expander.expandCodeFor(ends[1], recurrence->getType(), ranges->point));
  return 1;
}

extern "C" int cs_pass_known_at_launch(LLVMValueRef value) {
  if (auto *argument = dyn_cast<Argument>(unwrap(value)))
    return argument->getParent()->getCallingConv() == CallingConv::PTX_Kernel && !argument->hasByValAttr();
  auto *instruction = dyn_cast<Instruction>(unwrap(value));
  uint64_t inside;
  return instruction && instruction->getFunction()->getCallingConv() == CallingConv::PTX_Kernel &&
         field_of(instruction, instruction->getDataLayout(), inside);
}

extern "C" LLVMValueRef cs_pass_field_at_launch(LLVMValueRef value, unsigned *offset) {
  auto *instruction = unwrap<Instruction>(value);
  const DataLayout &layout = instruction->getDataLayout();
  uint64_t inside;
  LoadInst *load = field_of(instruction, layout, inside);
  if (!load)
    return nullptr;
  APInt start;
  Value *base = argument_of(load, layout, start);
  *offset = unsigned(start.getZExtValue() + inside);
  return wrap(base);
}
