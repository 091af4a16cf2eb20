/* bridge.cpp: what the LLVM-C API lacks, in C++; see bridge.h for the contracts. */
#include "retarget/bridge.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

int cs_bridge_link_needed(LLVMModuleRef module, LLVMModuleRef source) {
  return Linker::linkModules(*unwrap(module), std::unique_ptr<Module>(unwrap(source)), Linker::LinkOnlyNeeded) ? -1 : 0;
}

static void run_global_dce(Module &M) {
  PassBuilder PB;
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  ModulePassManager MPM;
  MPM.addPass(GlobalDCEPass());
  MPM.run(M, MAM);
}

void cs_bridge_internalize(LLVMModuleRef module, LLVMValueRef *keep, unsigned count) {
  Module &M = *unwrap(module);
  SmallPtrSet<GlobalValue *, 16> kept;
  for (unsigned i = 0; i < count; i++)
    kept.insert(unwrap<GlobalValue>(keep[i]));
  for (const char *name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *used = M.getGlobalVariable(name))
      used->eraseFromParent();
  for (GlobalValue &G : M.global_values()) {
    if (G.isDeclaration() || kept.count(&G))
      continue;
    if (auto *O = dyn_cast<GlobalObject>(&G))
      O->setComdat(nullptr);
    G.setLinkage(GlobalValue::InternalLinkage);
    G.setVisibility(GlobalValue::DefaultVisibility);
  }
  run_global_dce(M);
}

void cs_bridge_strip_attributes(LLVMModuleRef module) {
  LLVMContext &C = unwrap(module)->getContext();
  /* What later steps read or the optimiser must know; everything else goes. */
  auto keep = [&](AttributeSet from) {
    AttrBuilder B(C);
    for (Attribute::AttrKind kind :
         {Attribute::Convergent, Attribute::NoUnwind, Attribute::NoReturn, Attribute::Cold, Attribute::NoInline,
          Attribute::Memory, Attribute::WillReturn, Attribute::Speculatable})
      if (from.hasAttribute(kind))
        B.addAttribute(from.getAttribute(kind));
    if (B.contains(Attribute::NoInline) && !B.contains(Attribute::Cold))
      B.removeAttribute(Attribute::NoInline);
    return AttributeList::get(C, AttributeList::FunctionIndex, B);
  };
  for (Function &F : *unwrap(module)) {
    if (!F.isIntrinsic())
      F.setAttributes(keep(F.getAttributes().getFnAttrs()));
    if (!F.isDeclaration()) { /* memory effects of a definition may be wrong once intrinsics have become calls */
      F.removeFnAttr(Attribute::Memory);
      F.removeFnAttr(Attribute::Speculatable);
    }
    for (Instruction &I : instructions(F))
      if (auto *call = dyn_cast<CallBase>(&I); call && !isa<MemIntrinsic>(I)) {
        AttributeSet old = call->getAttributes().getFnAttrs();
        AttrBuilder B(C);
        if (old.hasAttribute(Attribute::Convergent))
          B.addAttribute(Attribute::Convergent);
        call->setAttributes(AttributeList::get(C, AttributeList::FunctionIndex, B));
      }
  }
}

void cs_bridge_mark_inlining(LLVMModuleRef module) {
  Module &M = *unwrap(module);
  CallGraph graph(M);
  SmallPtrSet<Function *, 16> recursive;
  for (auto scc = scc_begin(&graph); !scc.isAtEnd(); ++scc)
    if (scc.hasCycle())
      for (CallGraphNode *node : *scc)
        if (Function *F = node->getFunction())
          recursive.insert(F);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    bool apart = F.hasFnAttribute(Attribute::Cold) && F.hasFnAttribute(Attribute::NoInline);
    F.removeFnAttr(Attribute::AlwaysInline);
    F.removeFnAttr(Attribute::NoInline);
    F.addFnAttr(apart || recursive.count(&F) ? Attribute::NoInline : Attribute::AlwaysInline);
  }
}

void cs_bridge_expand_constants(LLVMValueRef global) {
  convertUsersOfConstantsToInstructions({unwrap<Constant>(global)});
}

LLVMBasicBlockRef cs_bridge_split_before(LLVMValueRef instruction) {
  Instruction *I = unwrap<Instruction>(instruction);
  return wrap(SplitBlock(I->getParent(), I));
}

void cs_bridge_truncate(LLVMValueRef instruction) {
  Instruction *I = unwrap<Instruction>(instruction);
  BasicBlock *B = I->getParent();
  for (BasicBlock *next : successors(B))
    next->removePredecessor(B);
  while (&B->back() != I) {
    B->back().replaceAllUsesWith(PoisonValue::get(B->back().getType()));
    B->back().eraseFromParent();
  }
  I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  I->eraseFromParent();
}

LLVMValueRef cs_bridge_add_parameters(LLVMValueRef function, LLVMTypeRef *types, unsigned count) {
  Function *F = unwrap<Function>(function);
  SmallVector<Type *, 8> params(F->getFunctionType()->params());
  for (unsigned i = 0; i < count; i++)
    params.push_back(unwrap(types[i]));
  auto *T = FunctionType::get(F->getReturnType(), params, false);
  Function *N = Function::Create(T, F->getLinkage(), F->getAddressSpace(), "", F->getParent());
  N->copyAttributesFrom(F);
  N->takeName(F);
  N->splice(N->begin(), F);
  for (unsigned i = 0; i < F->arg_size(); i++)
    F->getArg(i)->replaceAllUsesWith(N->getArg(i));
  return wrap(N);
}

int cs_bridge_divergent(LLVMValueRef function, LLVMTargetMachineRef machine, LLVMValueRef *barriers, unsigned count) {
  Function &F = *unwrap<Function>(function);
  PassBuilder PB(reinterpret_cast<TargetMachine *>(machine));
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  auto &uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  auto &post = FAM.getResult<PostDominatorTreeAnalysis>(F);
  for (BasicBlock &B : F) {
    if (succ_size(&B) < 2 || !uniformity.hasDivergentTerminator(B))
      continue;
    for (unsigned i = 0; i < count; i++) {
      BasicBlock *at = unwrap<Instruction>(barriers[i])->getParent();
      if (!post.dominates(at, &B) && isPotentiallyReachable(&B, at))
        return 1;
    }
  }
  return 0;
}

/* Follows the value through the loop to a branch. */
static bool decides(Instruction *from, const Loop &L) {
  SmallVector<Instruction *, 16> todo{from};
  SmallPtrSet<Instruction *, 16> seen;
  while (!todo.empty()) {
    Instruction *I = todo.pop_back_val();
    if (!L.contains(I) || !seen.insert(I).second)
      continue;
    if (I->isTerminator())
      return true;
    for (User *U : I->users())
      todo.push_back(cast<Instruction>(U));
  }
  return false;
}

int cs_bridge_spins(LLVMValueRef function) {
  Function &F = *unwrap<Function>(function);
  DominatorTree dominators(F);
  LoopInfo loops(dominators);
  for (BasicBlock &B : F)
    if (Loop *L = loops.getLoopFor(&B))
      for (Instruction &I : B) {
        bool shared = isa<AtomicCmpXchgInst>(I) || isa<AtomicRMWInst>(I) || (isa<LoadInst>(I) && I.isVolatile());
        if (shared && decides(&I, *L))
          return 1;
      }
  return 0;
}

static bool lives_across_blocks(Instruction &I) {
  for (User *U : I.users())
    if (cast<Instruction>(U)->getParent() != I.getParent() || isa<PHINode>(U))
      return true;
  return false;
}

void cs_bridge_demote(LLVMValueRef function) {
  Function &F = *unwrap<Function>(function);
  BasicBlock *entry = &F.getEntryBlock();
  SmallVector<Instruction *, 64> phis, others;
  for (Instruction &I : instructions(F)) {
    if (isa<PHINode>(I))
      phis.push_back(&I);
    if (!(isa<AllocaInst>(I) && I.getParent() == entry) && !I.getType()->isVoidTy() && lives_across_blocks(I))
      others.push_back(&I);
  }
  BasicBlock::iterator at = entry->begin();
  while (isa<AllocaInst>(at))
    ++at;
  auto *anchor = new BitCastInst(Constant::getNullValue(Type::getInt32Ty(F.getContext())),
                                 Type::getInt32Ty(F.getContext()), "", at);
  for (Instruction *I : others)
    DemoteRegToStack(*I, false, anchor->getIterator());
  for (Instruction *I : phis)
    DemotePHIToStack(cast<PHINode>(I), anchor->getIterator());
  anchor->eraseFromParent();
}

/* The SPIR-V back end writes an alignment as a signed byte: beyond 64, allocate more and round up. */
static Value *local_alloca(AllocaInst &A) {
  const uint64_t most = 64, align = A.getAlign().value();
  IRBuilder<> B(&A);
  if (align <= most) {
    AllocaInst *L = B.CreateAlloca(A.getAllocatedType(), 5, A.isArrayAllocation() ? A.getArraySize() : nullptr);
    L->setAlignment(A.getAlign());
    return B.CreateAddrSpaceCast(L, A.getType());
  }
  const DataLayout &layout = A.getModule()->getDataLayout();
  Value *size = B.getInt64(layout.getTypeAllocSize(A.getAllocatedType()));
  if (A.isArrayAllocation())
    size = B.CreateMul(size, B.CreateZExtOrTrunc(A.getArraySize(), B.getInt64Ty()));
  size = B.CreateAdd(size, B.getInt64(align));
  AllocaInst *L;
  if (auto *fixed = dyn_cast<ConstantInt>(size))
    L = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), fixed->getZExtValue()), 5);
  else
    L = B.CreateAlloca(B.getInt8Ty(), 5, size);
  L->setAlignment(Align(most));
  Value *address = B.CreatePtrToInt(B.CreateAddrSpaceCast(L, A.getType()), B.getInt64Ty());
  address = B.CreateAnd(B.CreateAdd(address, B.getInt64(align - 1)), B.getInt64(~(align - 1)));
  return B.CreateIntToPtr(address, A.getType());
}

void cs_bridge_local_allocas(LLVMModuleRef module) {
  for (Function &F : *unwrap(module)) {
    SmallVector<AllocaInst *, 16> allocas;
    for (Instruction &I : instructions(F))
      if (auto *A = dyn_cast<AllocaInst>(&I))
        if (A->getAddressSpace() == 0)
          allocas.push_back(A);
    for (AllocaInst *A : allocas) {
      A->replaceAllUsesWith(local_alloca(*A));
      A->eraseFromParent();
    }
  }
}

LLVMValueRef cs_bridge_alloca_of(LLVMValueRef pointer) {
  return wrap(
      const_cast<Value *>(static_cast<const Value *>(dyn_cast<AllocaInst>(getUnderlyingObject(unwrap(pointer), 32)))));
}

void cs_bridge_remove_undef(LLVMModuleRef module) {
  for (Function &F : *unwrap(module)) {
    SmallVector<Instruction *, 16> frozen;
    for (Instruction &I : instructions(F)) {
      for (Use &U : I.operands())
        if (isa<UndefValue>(U.get()) && !isa<InsertValueInst>(I) && !isa<InsertElementInst>(I))
          U.set(Constant::getNullValue(U->getType()));
      if (isa<FreezeInst>(I))
        frozen.push_back(&I);
    }
    for (Instruction *I : frozen) {
      I->replaceAllUsesWith(I->getOperand(0));
      I->eraseFromParent();
    }
  }
}

void cs_bridge_global_atomics(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    for (Instruction &I : instructions(F)) {
      if (!isa<AtomicRMWInst>(I) && !isa<AtomicCmpXchgInst>(I))
        continue;
      if (I.getOperand(0)->getType()->getPointerAddressSpace() == 0)
        I.setOperand(0,
                     new AddrSpaceCastInst(I.getOperand(0), PointerType::get(F.getContext(), 1), "", I.getIterator()));
    }
}

/* --- Integers of unusual width: kept zero-extended in the next power of two. --- */

namespace {
class IntegerWidener {
  Function &F;
  DenseMap<Value *, Value *> wide;

  static bool odd(Type *T) {
    auto *I = dyn_cast<IntegerType>(T);
    return I && I->getBitWidth() > 1 && I->getBitWidth() < 64 &&
           !(I->getBitWidth() >= 8 && isPowerOf2_32(I->getBitWidth()));
  }
  static unsigned bits(Value *V) { return V->getType()->getIntegerBitWidth(); }
  static IntegerType *carrier(Type *T) {
    return IntegerType::get(T->getContext(), std::max<unsigned>(8, PowerOf2Ceil(T->getIntegerBitWidth())));
  }
  /* The carried value of V: upper bits zero. */
  Value *get(Value *V) {
    if (auto *C = dyn_cast<ConstantInt>(V))
      return ConstantInt::get(carrier(V->getType()), C->getValue().zext(carrier(V->getType())->getBitWidth()));
    if (isa<UndefValue>(V))
      return Constant::getNullValue(carrier(V->getType()));
    return wide.lookup(V);
  }
  Value *mask(IRBuilder<> &B, Value *V, unsigned n) { return B.CreateAnd(V, maskTrailingOnes<uint64_t>(n)); }
  Value *sign(IRBuilder<> &B, Value *V, unsigned n) {
    unsigned by = bits(V) - n;
    return B.CreateAShr(B.CreateShl(V, by), by);
  }
  /* V, of any width, as the carrier of an n-bit type. */
  Value *fit(IRBuilder<> &B, Value *V, IntegerType *T) { return B.CreateZExtOrTrunc(V, T); }

  Value *binary(IRBuilder<> &B, BinaryOperator &I) {
    unsigned n = bits(&I);
    Value *L = get(I.getOperand(0)), *R = get(I.getOperand(1));
    switch (I.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::SRem:
      return mask(B, B.CreateBinOp(I.getOpcode(), sign(B, L, n), sign(B, R, n)), n);
    case Instruction::AShr:
      return mask(B, B.CreateAShr(sign(B, L, n), R), n);
    default:
      return mask(B, B.CreateBinOp(I.getOpcode(), L, R), n);
    }
  }
  Value *cast_to_odd(IRBuilder<> &B, CastInst &I) {
    IntegerType *T = carrier(I.getType());
    Value *V = I.getOperand(0);
    bool from_odd = odd(V->getType());
    Value *W = from_odd ? get(V) : V;
    unsigned n = bits(&I);
    switch (I.getOpcode()) {
    case Instruction::ZExt:
    case Instruction::Trunc:
      return mask(B, fit(B, W, T), n);
    case Instruction::SExt:
      return mask(B, B.CreateSExtOrTrunc(from_odd ? sign(B, W, bits(V)) : W, T), n);
    default:
      return nullptr;
    }
  }
  Value *cast_from_odd(IRBuilder<> &B, CastInst &I) {
    Value *V = I.getOperand(0), *W = get(V);
    switch (I.getOpcode()) {
    case Instruction::ZExt:
    case Instruction::Trunc:
      return B.CreateZExtOrTrunc(W, I.getType());
    case Instruction::SExt:
      return B.CreateSExtOrTrunc(sign(B, W, bits(V)), I.getType());
    case Instruction::UIToFP:
      return B.CreateUIToFP(W, I.getType());
    case Instruction::SIToFP:
      return B.CreateSIToFP(sign(B, W, bits(V)), I.getType());
    default:
      return nullptr;
    }
  }
  Value *compare(IRBuilder<> &B, ICmpInst &I) {
    unsigned n = bits(I.getOperand(0));
    Value *L = get(I.getOperand(0)), *R = get(I.getOperand(1));
    if (I.isSigned()) {
      L = sign(B, L, n);
      R = sign(B, R, n);
    }
    return B.CreateICmp(I.getPredicate(), L, R);
  }
  void widen_switch(SwitchInst &I) {
    IRBuilder<> B(&I);
    SwitchInst *N = B.CreateSwitch(get(I.getCondition()), I.getDefaultDest(), I.getNumCases());
    for (auto C : I.cases())
      N->addCase(cast<ConstantInt>(get(C.getCaseValue())), C.getCaseSuccessor());
  }
  /* The replacement, or nullptr when the instruction must stay (and be refused). */
  Value *widen(Instruction &I) {
    IRBuilder<> B(&I);
    if (auto *O = dyn_cast<BinaryOperator>(&I))
      return binary(B, *O);
    if (auto *S = dyn_cast<SelectInst>(&I))
      return B.CreateSelect(S->getCondition(), get(S->getTrueValue()), get(S->getFalseValue()));
    if (isa<FreezeInst>(I))
      return B.CreateFreeze(get(I.getOperand(0)));
    if (auto *C = dyn_cast<CastInst>(&I))
      return odd(C->getType()) ? cast_to_odd(B, *C) : cast_from_odd(B, *C);
    if (auto *C = dyn_cast<ICmpInst>(&I))
      return compare(B, *C);
    return nullptr;
  }

public:
  explicit IntegerWidener(Function &F) : F(F) {}
  void run() {
    SmallVector<Instruction *, 16> todo;
    SmallVector<PHINode *, 8> phis;
    ReversePostOrderTraversal<Function *> order(&F);
    for (BasicBlock *BB : order)
      for (Instruction &I : *BB)
        if (odd(I.getType()) || any_of(I.operands(), [](Use &U) { return odd(U->getType()); }))
          todo.push_back(&I);
    for (Instruction *I : todo)
      if (auto *P = dyn_cast<PHINode>(I)) {
        wide[P] = PHINode::Create(carrier(P->getType()), P->getNumIncomingValues(), "", P->getIterator());
        phis.push_back(P);
      }
    for (Instruction *I : todo) {
      if (isa<PHINode>(I))
        continue;
      if (auto *S = dyn_cast<SwitchInst>(I)) {
        widen_switch(*S);
        continue;
      }
      Value *W = widen(*I);
      if (!W)
        return; /* left for the final check to refuse */
      if (odd(I->getType()))
        wide[I] = W;
      else
        I->replaceAllUsesWith(W);
    }
    for (PHINode *P : phis)
      for (unsigned i = 0; i < P->getNumIncomingValues(); i++)
        cast<PHINode>(wide[P])->addIncoming(get(P->getIncomingValue(i)), P->getIncomingBlock(i));
    for (Instruction *I : reverse(todo)) {
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }
};
} // namespace

void cs_bridge_widen_integers(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    if (!F.isDeclaration()) {
      removeUnreachableBlocks(F);
      IntegerWidener(F).run();
    }
}

/* --- The move to SPIR-V's address spaces. --- */

namespace {
class AddressSpaceMapper : public ValueMapTypeRemapper {
  DenseMap<Type *, Type *> known;

  static unsigned map(unsigned space) {
    switch (space) {
    case 0:
      return 4; /* generic */
    case 4:
      return 1; /* constant memory is global memory that nobody writes */
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

static void map_globals(Module &from, Module &to, ValueToValueMapTy &values, AddressSpaceMapper &types) {
  for (GlobalVariable &G : from.globals()) {
    auto *N =
        new GlobalVariable(to, types.remapType(G.getValueType()), G.isConstant(), G.getLinkage(), nullptr, G.getName(),
                           nullptr, GlobalValue::NotThreadLocal, AddressSpaceMapper::space(G.getAddressSpace()));
    N->setAlignment(G.getAlign());
    values[&G] = N;
  }
  for (Function &F : from) {
    Function *N =
        Function::Create(cast<FunctionType>(types.remapType(F.getFunctionType())), F.getLinkage(), 0, F.getName(), &to);
    values[&F] = N;
  }
  for (GlobalVariable &G : from.globals())
    if (G.hasInitializer())
      cast<GlobalVariable>(values[&G])
          ->setInitializer(cast<Constant>(MapValue(G.getInitializer(), values, RF_None, &types)));
}

/* The attributes that matter to the engine. */
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

LLVMModuleRef cs_bridge_to_spirv(LLVMModuleRef module, const char *triple, const char *layout) {
  Module &from = *unwrap(module);
  StripDebugInfo(from);
  LLVMContext &C = from.getContext();
  auto *to = new Module(from.getModuleIdentifier(), C);
  to->setTargetTriple(Triple(triple));
  to->setDataLayout(layout);
  ValueToValueMapTy values;
  AddressSpaceMapper types;
  map_globals(from, *to, values, types);
  for (Function &F : from) {
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
  return wrap(to);
}
