// managed.cpp: lets host code access `__managed__` variables where the device has them.
//
// To clang they are `__device__` variables: the host has an undefined variable of the same name, whose address
// identifies it in calls of the runtime library. It is registered as nvcc does: the library sets a pointer when it
// loads the module. The first access of the host loads the module.
#include "pass/bridge/managed.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace {

constexpr const char *Annotations = "llvm.global.annotations";

StringRef text(const Constant *string) {
  auto *global = dyn_cast<GlobalVariable>(string->stripPointerCasts());
  auto *data = global && global->hasInitializer() ? dyn_cast<ConstantDataArray>(global->getInitializer()) : nullptr;
  return data && data->isCString() ? data->getAsCString() : StringRef();
}

SmallVector<GlobalVariable *> takeAnnotated(Module &module) {
  SmallVector<GlobalVariable *> found;
  SmallVector<Constant *> others;
  GlobalVariable *list = module.getNamedGlobal(Annotations);
  auto *entries = list && list->hasInitializer() ? dyn_cast<ConstantArray>(list->getInitializer()) : nullptr;
  for (unsigned i = 0; entries && i < entries->getNumOperands(); i++) {
    Constant *entry = entries->getOperand(i);
    auto *variable = dyn_cast<GlobalVariable>(entry->getOperand(0)->stripPointerCasts());
    if (variable && text(cast<Constant>(entry->getOperand(1))) == CS_PASS_MANAGED)
      found.push_back(variable);
    else
      others.push_back(entry);
  }
  if (found.empty())
    return found;
  list->setName("");
  if (!others.empty()) {
    ArrayType *type = ArrayType::get(others[0]->getType(), others.size());
    auto *rest = new GlobalVariable(module, type, list->isConstant(), list->getLinkage(),
                                    ConstantArray::get(type, others), Annotations);
    rest->setSection(list->getSection());
  }
  list->eraseFromParent();
  return found;
}

// ptr get(slot): the variable's address; loads the module if that is not known yet.
Function *addGetter(Module &module, GlobalVariable *handle) {
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::getUnqual(context);
  auto *getter = Function::Create(FunctionType::get(pointer, {pointer}, false), GlobalValue::InternalLinkage,
                                  "cusafe.managed", module);
  FunctionCallee load =
      module.getOrInsertFunction("__cudaInitModule", FunctionType::get(Type::getInt8Ty(context), {pointer}, false));
  BasicBlock *entry = BasicBlock::Create(context, "", getter), *first = BasicBlock::Create(context, "", getter),
             *known = BasicBlock::Create(context, "", getter);
  Argument *slot = getter->getArg(0);
  IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateIsNull(builder.CreateLoad(pointer, slot)), first, known);
  builder.SetInsertPoint(first);
  builder.CreateCall(load, {builder.CreateLoad(pointer, handle)});
  builder.CreateBr(known);
  builder.SetInsertPoint(known);
  builder.CreateRet(builder.CreateLoad(pointer, slot));
  return getter;
}

bool isRegistration(const User *user) {
  auto *call = dyn_cast<CallInst>(user);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__cudaRegisterVar";
}

void registerManaged(CallInst *call, GlobalVariable *slot) {
  FunctionCallee callee = call->getModule()->getOrInsertFunction("__cudaRegisterManagedVar", call->getFunctionType());
  call->setCalledFunction(callee);
  call->setArgOperand(1, slot);
}

void replaceUse(Use &use, Function *getter, GlobalVariable *slot) {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  Instruction *before = phi ? phi->getIncomingBlock(use)->getTerminator() : user;
  IRBuilder<> builder(before);
  CallInst *address = builder.CreateCall(getter, {slot});
  address->setDebugLoc(user->getDebugLoc());
  if (phi)
    phi->setIncomingValueForBlock(phi->getIncomingBlock(use), address);
  else
    use.set(address);
}

void lower(Module &module, GlobalVariable *variable, Function *getter) {
  PointerType *pointer = PointerType::getUnqual(module.getContext());
  auto *slot = new GlobalVariable(module, pointer, false, GlobalValue::InternalLinkage,
                                  ConstantPointerNull::get(pointer), variable->getName() + ".managed");
  convertUsersOfConstantsToInstructions({variable});
  SmallVector<Use *> uses;
  for (Use &use : variable->uses())
    uses.push_back(&use);
  for (Use *use : uses) {
    if (!isa<Instruction>(use->getUser())) {
      errs() << "cusafe: a static initialiser has the address of the managed variable '" << variable->getName()
             << "', which is not known before the program runs: assign it in a function\n";
      exit(1);
    }
    if (isRegistration(use->getUser()))
      registerManaged(cast<CallInst>(use->getUser()), slot);
    else
      replaceUse(*use, getter, slot);
  }
}

} // namespace

bool cs_pass_lower_managed(Module &module) {
  GlobalVariable *handle = module.getNamedGlobal("__cuda_gpubin_handle");
  SmallVector<GlobalVariable *> variables = takeAnnotated(module);
  if (variables.empty() || !handle)
    return !variables.empty();
  Function *getter = addGetter(module, handle);
  for (GlobalVariable *variable : variables)
    lower(module, variable, getter);
  return true;
}
