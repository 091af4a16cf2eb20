// used.cpp: what used.h offers, in LLVM's C++ API.
#include "pass/bridge/used.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" void cs_pass_release_shared(LLVMModuleRef module) {
  constexpr unsigned shared = 3;
  removeFromUsedLists(*unwrap(module), [](Constant *member) {
    auto *variable = dyn_cast<GlobalVariable>(member->stripPointerCasts());
    return variable && variable->getAddressSpace() == shared;
  });
}
