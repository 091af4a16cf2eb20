/* spirv.cpp: copies a module for SPIR-V: address spaces, calling conventions, attributes. */
#include "cusafe/ir.h"
#include "ir/module.h"
#include "retarget/bridge/bridge.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {
class AddressSpaceMapper : public ValueMapTypeRemapper {
  DenseMap<Type *, Type *> known;

  static unsigned map(unsigned space) {
    switch (space) {
    case 0:
      return 4; /* generic */
    case 4:
      return 1; /* constant memory is read-only global memory */
    case 5:
      return 0; /* local: the stack */
    default:
      return space;
    }
  }
  Type *map_struct(StructType *S) {
    if (S->isOpaque())
      return S;
    SmallVector<Type *, 8> elements;
    bool same = true;
    for (Type *E : S->elements()) {
      elements.push_back(remapType(E));
      same &= elements.back() == E;
    }
    if (same)
      return S;
    if (S->isLiteral())
      return StructType::get(S->getContext(), elements, S->isPacked());
    return StructType::create(S->getContext(), elements, S->getName(), S->isPacked());
  }

public:
  static unsigned space(unsigned from) { return map(from); }
  Type *remapType(Type *T) override {
    auto found = known.find(T);
    if (found != known.end())
      return found->second;
    Type *N = T;
    if (auto *P = dyn_cast<PointerType>(T))
      N = PointerType::get(T->getContext(), map(P->getAddressSpace()));
    else if (auto *S = dyn_cast<StructType>(T))
      N = map_struct(S);
    else if (auto *A = dyn_cast<ArrayType>(T))
      N = ArrayType::get(remapType(A->getElementType()), A->getNumElements());
    else if (auto *V = dyn_cast<FixedVectorType>(T))
      N = FixedVectorType::get(remapType(V->getElementType()), V->getNumElements());
    else if (auto *F = dyn_cast<FunctionType>(T)) {
      SmallVector<Type *, 8> params;
      for (Type *P : F->params())
        params.push_back(remapType(P));
      N = FunctionType::get(remapType(F->getReturnType()), params, F->isVarArg());
    }
    return known[T] = N;
  }
};
} // namespace

namespace {
/* The functions and variables that kernels use, in the order of discovery. */
class Reach {
  SmallPtrSet<Constant *, 32> seen;

  void add(Constant *C) {
    if (!seen.insert(C).second)
      return;
    if (auto *F = dyn_cast<Function>(C))
      functions.push_back(F);
    else if (auto *G = dyn_cast<GlobalVariable>(C))
      variables.push_back(G);
    for (Value *operand : C->operands()) /* of expressions, and initialisers */
      if (auto *part = dyn_cast<Constant>(operand); part && !isa<Function>(C))
        add(part);
  }

public:
  SmallVector<Function *, 16> functions;
  SmallVector<GlobalVariable *, 16> variables;
  explicit Reach(ArrayRef<LLVMValueRef> kernels) {
    for (LLVMValueRef kernel : kernels)
      add(unwrap<Function>(kernel));
    for (unsigned i = 0; i < functions.size(); i++)
      for (Instruction &I : instructions(*functions[i]))
        for (Value *operand : I.operands())
          if (auto *C = dyn_cast<Constant>(operand))
            add(C);
  }
};
} // namespace

/* As cs_rt_is_of_runtime(), whose header is C only. */
static bool is_of_runtime(const GlobalValue &value) {
  return value.getName().starts_with(CS_IR_RUNTIME_PREFIX) || value.getName().starts_with(CS_IR_SUPPORT_PREFIX);
}

static void add_shared(Constant *C, SmallPtrSet<const GlobalVariable *, 16> &to) {
  if (auto *G = dyn_cast<GlobalVariable>(C); G && G->getAddressSpace() == CS_IR_SPACE_SHARED)
    to.insert(G);
  else if (isa<ConstantExpr>(C))
    for (Value *operand : C->operands())
      add_shared(cast<Constant>(operand), to);
}

/* The shared variables of these kernels. The runtime's functions, of which each module has a copy, test an address for
 * those of all kernels, which together may be more than a block can have. */
static SmallPtrSet<const GlobalVariable *, 16> own_shared(const Reach &from) {
  SmallPtrSet<const GlobalVariable *, 16> own;
  for (GlobalVariable *G : from.variables)
    if (is_of_runtime(*G))
      own.insert(G);
  for (Function *F : from.functions)
    for (Instruction &I : instructions(*F))
      for (Value *operand : I.operands())
        if (auto *C = dyn_cast<Constant>(operand); C && !is_of_runtime(*F))
          add_shared(C, own);
  return own;
}

static void map_globals(const Reach &from, Module &to, ValueToValueMapTy &values, AddressSpaceMapper &types) {
  SmallPtrSet<const GlobalVariable *, 16> own = own_shared(from);
  for (GlobalVariable *G : from.variables) {
    if (G->getAddressSpace() == CS_IR_SPACE_SHARED && !own.count(G)) {
      values[G] = Constant::getNullValue(types.remapType(G->getType()));
      continue;
    }
    auto *N = new GlobalVariable(to, types.remapType(G->getValueType()), G->isConstant(), G->getLinkage(), nullptr,
                                 G->getName(), nullptr, GlobalValue::NotThreadLocal,
                                 AddressSpaceMapper::space(G->getAddressSpace()));
    N->setAlignment(G->getAlign());
    values[G] = N;
  }
  for (Function *F : from.functions) {
    Function *N = Function::Create(cast<FunctionType>(types.remapType(F->getFunctionType())), F->getLinkage(), 0,
                                   F->getName(), &to);
    values[F] = N;
  }
  for (GlobalVariable *G : from.variables)
    if (G->hasInitializer() && isa<GlobalVariable>(values[G]))
      cast<GlobalVariable>(values[G])->setInitializer(
          cast<Constant>(MapValue(G->getInitializer(), values, RF_None, &types)));
}

/* The attributes that affect the engine. */
static AttributeList spirv_attributes(LLVMContext &C, AttributeSet from) {
  AttrBuilder B(C);
  B.addAttribute(Attribute::NoUnwind);
  if (from.hasAttribute(Attribute::Convergent))
    B.addAttribute(Attribute::Convergent);
  if (from.hasAttribute(Attribute::NoInline))
    B.addAttribute(Attribute::NoInline);
  return AttributeList::get(C, AttributeList::FunctionIndex, B);
}

static void set_call_conventions(Module &M) {
  for (Function &F : M) {
    if (F.isIntrinsic())
      F.setCallingConv(CallingConv::C);
    for (User *U : F.users())
      if (auto *call = dyn_cast<CallBase>(U))
        call->setCallingConv(F.getCallingConv());
  }
}

void cs_rt_bridge_strip_debug_info(LLVMModuleRef module) {
  StripDebugInfo(*unwrap(module));
}

LLVMModuleRef cs_rt_bridge_to_spirv(LLVMValueRef *kernels, unsigned count, const char *triple, const char *layout) {
  auto *root = unwrap<Function>(kernels[0]);
  Reach from(ArrayRef<LLVMValueRef>(kernels, count));
  LLVMContext &C = root->getContext();
  auto *to = new Module(root->getParent()->getModuleIdentifier(), C);
  to->setTargetTriple(Triple(triple));
  to->setDataLayout(layout);
  ValueToValueMapTy values;
  AddressSpaceMapper types;
  map_globals(from, *to, values, types);
  for (Function *each : from.functions) {
    Function &F = *each;
    auto *N = cast<Function>(values[&F]);
    AttributeList attributes =
        F.isIntrinsic() ? N->getAttributes() : spirv_attributes(C, F.getAttributes().getFnAttrs());
    for (unsigned i = 0; i < F.arg_size(); i++)
      values[F.getArg(i)] = N->getArg(i);
    if (!F.isDeclaration()) {
      SmallVector<ReturnInst *, 8> returns;
      CloneFunctionInto(N, &F, values, CloneFunctionChangeType::DifferentModule, returns, "", nullptr, &types);
    }
    N->setAttributes(attributes);
    N->setCallingConv(F.getCallingConv() == CallingConv::PTX_Kernel ? CallingConv::SPIR_KERNEL
                                                                    : CallingConv::SPIR_FUNC);
    for (Instruction &I : instructions(*N)) {
      I.dropUnknownNonDebugMetadata();
      if (auto *call = dyn_cast<CallBase>(&I)) {
        call->setAttributes(spirv_attributes(C, call->getAttributes().getFnAttrs()));
      }
    }
  }
  set_call_conventions(*to);
  if (NamedMDNode *units = to->getNamedMetadata("llvm.dbg.cu")) /* cloning leaves an empty one */
    units->eraseFromParent();
  return wrap(to);
}
