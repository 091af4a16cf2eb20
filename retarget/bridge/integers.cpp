/* integers.cpp: integers of unusual width (i24, i33, ...), kept zero-extended in the next power of two. */
#include "retarget/bridge/bridge.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

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
  /* V in its carrier: the upper bits are zero. */
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
  /* The type of a slot on the stack, as lower-barriers creates them: it is only loaded and stored, always as this odd
   * type. The optimiser makes it an array of bytes. nullptr if the instruction is none. */
  static Type *slot_type(Instruction &I) {
    auto *A = dyn_cast<AllocaInst>(&I);
    Type *only = nullptr;
    if (!A || A->isArrayAllocation())
      return nullptr;
    for (User *U : A->users()) {
      auto *S = dyn_cast<StoreInst>(U);
      Type *T = isa<LoadInst>(U)                   ? U->getType()
                : S && S->getPointerOperand() == A ? S->getValueOperand()->getType()
                                                   : nullptr;
      if (!T || !odd(T) || (only && only != T))
        return nullptr;
      only = T;
    }
    return only;
  }
  Value *access(IRBuilder<> &B, Instruction &I) {
    if (Type *T = slot_type(I))
      return B.CreateAlloca(carrier(T), cast<AllocaInst>(I).getAddressSpace());
    if (auto *L = dyn_cast<LoadInst>(&I); L && slot(L->getPointerOperand()))
      return B.CreateLoad(carrier(L->getType()), slot(L->getPointerOperand()));
    if (auto *S = dyn_cast<StoreInst>(&I); S && slot(S->getPointerOperand()))
      return B.CreateStore(get(S->getValueOperand()), slot(S->getPointerOperand()));
    return nullptr;
  }
  /* The carrier's slot in place of that of an odd type; nullptr for any other address. */
  Value *slot(Value *pointer) { return isa<AllocaInst>(pointer) ? wide.lookup(pointer) : nullptr; }
  /* The replacement; nullptr if the instruction stays, and is refused later. */
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
    return access(B, I);
  }

public:
  explicit IntegerWidener(Function &F) : F(F) {}
  void run() {
    SmallVector<Instruction *, 16> todo;
    SmallVector<PHINode *, 8> phis;
    ReversePostOrderTraversal<Function *> order(&F);
    for (BasicBlock *BB : order)
      for (Instruction &I : *BB)
        if (odd(I.getType()) || slot_type(I) || any_of(I.operands(), [](Use &U) { return odd(U->getType()); }))
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
        return; /* the step `check` refuses it */
      if (odd(I->getType()) || isa<AllocaInst>(I))
        wide[I] = W;
      else if (!I->getType()->isVoidTy())
        I->replaceAllUsesWith(W);
    }
    for (PHINode *P : phis)
      for (unsigned i = 0; i < P->getNumIncomingValues(); i++)
        cast<PHINode>(wide[P])->addIncoming(get(P->getIncomingValue(i)), P->getIncomingBlock(i));
    for (Instruction *I : reverse(todo)) {
      if (!I->getType()->isVoidTy())
        I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }
};
} // namespace

/* SPIR-V cannot switch over booleans. */
static void widen_boolean_switches(Function &F) {
  SmallVector<SwitchInst *, 8> found;
  for (BasicBlock &B : F)
    if (auto *S = dyn_cast<SwitchInst>(B.getTerminator()))
      if (S->getCondition()->getType()->isIntegerTy(1))
        found.push_back(S);
  for (SwitchInst *S : found) {
    IRBuilder<> B(S);
    Value *wide = B.CreateZExt(S->getCondition(), B.getInt32Ty());
    SwitchInst *N = B.CreateSwitch(wide, S->getDefaultDest(), S->getNumCases());
    for (auto C : S->cases())
      N->addCase(B.getInt32(static_cast<uint32_t>(C.getCaseValue()->getZExtValue())), C.getCaseSuccessor());
    S->eraseFromParent();
  }
}

/* A vector of booleans cast to an integer: SPIR-V's booleans have no bits. */
static void gather_booleans(Function &F) {
  SmallVector<BitCastInst *, 8> found;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<BitCastInst>(&I))
      if (auto *V = dyn_cast<FixedVectorType>(C->getSrcTy()); V && V->getElementType()->isIntegerTy(1))
        if (C->getDestTy()->isIntegerTy() && V->getNumElements() <= 64)
          found.push_back(C);
  for (BitCastInst *C : found) {
    IRBuilder<> B(C);
    Value *made = B.getInt64(0);
    for (unsigned i = 0; i < cast<FixedVectorType>(C->getSrcTy())->getNumElements(); i++) {
      Value *bit = B.CreateZExt(B.CreateExtractElement(C->getOperand(0), i), B.getInt64Ty());
      made = B.CreateOr(made, B.CreateShl(bit, i));
    }
    C->replaceAllUsesWith(B.CreateTrunc(made, C->getDestTy()));
    C->eraseFromParent();
  }
}

void cs_rt_bridge_widen_integers(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    if (!F.isDeclaration()) {
      gather_booleans(F);
      removeUnreachableBlocks(F);
      IntegerWidener(F).run();
      widen_boolean_switches(F);
    }
}
