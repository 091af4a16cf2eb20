// unrolling.cpp: which loops are unrolled for the CPU device.
//
// A matrix instruction is one instruction of a GPU, and dozens on the CPU device. A kernel that unrolls its loop over k
// completely, as NVIDIA's samples do, would keep the engine's compiler busy for hours. A barrier divides a kernel: the
// engine compiles one loop over the block's threads for the code before it and one for the code after it.
#include "pass/bridge/unrolling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

constexpr unsigned MaxBlocks = 64;    // of 8 times 8 sums: 16 instructions m16n16k16, or 32 m16n8k16
constexpr unsigned MaxBarriers = 16;  // a scan of 256 elements with two barriers in each step
constexpr unsigned RuntimeCopies = 8; // LLVM's default for a loop whose number of iterations is unknown

// The number after `letter`, which is removed with it; 0 if there is none.
unsigned size(StringRef &text, char letter) {
  unsigned value = 0;
  if (text.empty() || text.front() != letter)
    return 0;
  text = text.drop_front();
  return text.consumeInteger(10, value) ? 0 : value;
}

// The blocks of 8 times 8 sums of the first shape such as m16n8k16 in the text; 1 without a shape.
unsigned blocksOf(StringRef text) {
  for (size_t at = text.find('m'); at != StringRef::npos; at = text.find('m', at + 1)) {
    StringRef rest = text.substr(at);
    unsigned rows = size(rest, 'm'), columns = rows ? size(rest, 'n') : 0;
    if (columns)
      return std::max(rows * columns / 64, 1u);
  }
  return 1;
}

// What one instruction of inline PTX or one intrinsic costs.
unsigned costOf(StringRef text) {
  if (text.contains("wgmma"))
    return 0;
  if (!text.contains("mma."))
    return text.contains("ldmatrix") ? 1 : 0;
  return text.contains(".load") || text.contains(".store") ? 1 : blocksOf(text);
}

unsigned costOf(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return 0;
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return costOf(assembly->getAsmString());
  const Function *callee = call->getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.") ? costOf(callee->getName()) : 0;
}

unsigned costOf(const Loop &loop) {
  unsigned sum = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      sum += costOf(instruction);
  return sum;
}

// The most copies that unrolling makes.
unsigned copiesOf(Loop &loop, ScalarEvolution &evolution) {
  unsigned iterations = evolution.getSmallConstantTripCount(&loop);
  unsigned known = iterations ? iterations : RuntimeCopies;
  std::optional<int> wanted = getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count");
  return wanted && *wanted > 0 ? (iterations ? std::min(known, unsigned(*wanted)) : unsigned(*wanted)) : known;
}

bool isBarrier(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return false;
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return StringRef(assembly->getAsmString()).contains("bar.sync");
  const Function *callee = call->getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.barrier.cta.");
}

unsigned barriersOf(const BasicBlock &block) {
  return unsigned(count_if(block, [](const Instruction &instruction) { return isBarrier(instruction); }));
}

// A loop inside another one may be unrolled later, in each copy of the outer one, which makes its length constant: of
// the loops of a bitonic sort, only the outer one has a constant length before.
uint64_t barriersOf(const Loop &loop, ScalarEvolution &evolution, const LoopInfo &loops) {
  uint64_t sum = 0;
  for (const BasicBlock *block : loop.blocks()) {
    uint64_t barriers = barriersOf(*block);
    for (Loop *inner = barriers ? loops.getLoopFor(block) : nullptr; inner && inner != &loop;
         inner = inner->getParentLoop())
      barriers *= getBooleanLoopAttribute(inner, "llvm.loop.unroll.disable") ? 1 : copiesOf(*inner, evolution);
    sum += barriers;
  }
  return sum;
}

} // namespace

bool cs_pass_limit_unrolling(Loop &loop, ScalarEvolution &evolution, const LoopInfo &loops) {
  uint64_t copies = copiesOf(loop, evolution);
  bool fewBarriers = barriersOf(loop, evolution, loops) * copies <= MaxBarriers;
  if (fewBarriers && costOf(loop) * copies <= MaxBlocks)
    return false;
  loop.setLoopAlreadyUnrolled();
  // LLVM warns of a loop under #pragma unroll that it does not unroll.
  for (Loop *inner : loop.getSubLoops())
    if (!fewBarriers)
      inner->setLoopAlreadyUnrolled();
  return true;
}
