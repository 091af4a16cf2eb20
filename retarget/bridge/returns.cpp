/* returns.cpp: functions that are not inlined return a structure or an array through a pointer. */
#include "cusafe/ir.h"
#include "retarget/bridge/bridge.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/* Visits the scalars of an aggregate in memory, with their addresses and indices. */
template <typename Visit>
static void each_scalar(IRBuilder<> &B, Type *type, Value *base, SmallVectorImpl<unsigned> &path, const Visit &visit) {
  unsigned count = 0;
  if (auto *structure = dyn_cast<StructType>(type))
    count = structure->getNumElements();
  else if (auto *array = dyn_cast<ArrayType>(type))
    count = (unsigned)array->getNumElements();
  else
    visit(base, type, ArrayRef<unsigned>(path));
  for (unsigned i = 0; i < count; i++) {
    path.push_back(i);
    Type *element = GetElementPtrInst::getTypeAtIndex(type, (uint64_t)i);
    each_scalar(B, element, B.CreateConstInBoundsGEP2_32(type, base, 0, i), path, visit);
    path.pop_back();
  }
}

static void store_scalars(IRBuilder<> &B, Value *value, Value *to) {
  SmallVector<unsigned, 4> path;
  each_scalar(B, value->getType(), to, path, [&](Value *address, Type *, ArrayRef<unsigned> at) {
    B.CreateStore(B.CreateExtractValue(value, at), address);
  });
}

static Value *load_scalars(IRBuilder<> &B, Type *type, Value *from) {
  SmallVector<unsigned, 4> path;
  Value *made = PoisonValue::get(type);
  each_scalar(B, type, from, path, [&](Value *address, Type *scalar, ArrayRef<unsigned> at) {
    made = B.CreateInsertValue(made, B.CreateLoad(scalar, address), at);
  });
  return made;
}

static Function *with_pointer(Function &F) {
  SmallVector<Type *, 8> params{PointerType::get(F.getContext(), 0)};
  append_range(params, F.getFunctionType()->params());
  auto *type = FunctionType::get(Type::getVoidTy(F.getContext()), params, false);
  Function *N = Function::Create(type, F.getLinkage(), F.getAddressSpace(), "", F.getParent());
  N->copyAttributesFrom(&F);
  N->takeName(&F);
  N->splice(N->begin(), &F);
  for (unsigned i = 0; i < F.arg_size(); i++)
    F.getArg(i)->replaceAllUsesWith(N->getArg(i + 1));
  SmallVector<ReturnInst *, 4> returns;
  for (BasicBlock &B : *N)
    if (auto *end = dyn_cast<ReturnInst>(B.getTerminator()))
      returns.push_back(end);
  for (ReturnInst *end : returns) {
    IRBuilder<> B(end);
    store_scalars(B, end->getReturnValue(), N->getArg(0));
    B.CreateRetVoid();
    end->eraseFromParent();
  }
  return N;
}

static void call_with_pointer(CallInst &call, Function &N, Type *type) {
  IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
  AllocaInst *slot = entry.CreateAlloca(type);
  SmallVector<Value *, 8> args{slot};
  append_range(args, call.args());
  IRBuilder<> B(&call);
  CallInst *made = B.CreateCall(&N, args);
  made->setCallingConv(call.getCallingConv());
  if (call.isConvergent())
    made->setConvergent();
  call.replaceAllUsesWith(load_scalars(B, type, slot));
  call.eraseFromParent();
}

void cs_rt_bridge_return_in_memory(LLVMModuleRef module) {
  SmallVector<Function *, 8> found;
  for (Function &F : *unwrap(module))
    if (!F.isDeclaration() && F.hasFnAttribute(Attribute::NoInline) && F.getReturnType()->isAggregateType() &&
        !F.getName().starts_with(CS_IR_SUPPORT_PREFIX)) /* later steps call the support library's by their type */
      found.push_back(&F);
  for (Function *F : found) {
    Type *type = F->getReturnType();
    Function *N = with_pointer(*F);
    SmallVector<CallInst *, 8> calls;
    for (User *U : F->users())
      calls.push_back(cast<CallInst>(U)); /* all calls are direct by now */
    for (CallInst *call : calls)
      call_with_pointer(*call, *N, type);
    F->eraseFromParent();
  }
}
