// decode.cpp: calls one function for the bounds of roots.
#include "pass/bridge/decode.h"
#include "cusafe/ir.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// The member of CS_IR_BOUNDS's result that the call returns, or -1.
int memberOf(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return !callee ? -1 : callee->getName() == CS_IR_START ? 0 : callee->getName() == CS_IR_SIZE ? 1 : -1;
}

} // namespace

bool cs_pass_decode_by_calls(Function &function, const LoopInfo &loops) {
  Module &module = *function.getParent();
  Function *decode = module.getFunction(CS_IR_BOUNDS);
  if (!decode || !module.getFunction((function.getName() + CS_FAST_SUFFIX).str()))
    return false;
  // No word changes while a kernel with forms runs. Equal calls become one.
  decode->setDoesNotAccessMemory();
  decode->setDoesNotThrow();
  decode->setWillReturn();
  SmallVector<CallInst *> calls;
  for (Instruction &i : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&i); call && memberOf(*call) >= 0 && !loops.getLoopFor(call->getParent()))
      calls.push_back(call);
  for (CallInst *call : calls) {
    IRBuilder<> builder(call);
    Value *both = builder.CreateCall(decode, call->getArgOperand(0));
    call->replaceAllUsesWith(builder.CreateExtractValue(both, memberOf(*call)));
    call->eraseFromParent();
  }
  return !calls.empty();
}
