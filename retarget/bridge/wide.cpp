/* wide.cpp: integers above 64 bits as limbs of 64 bits, the lowest first; the unused bits of the highest are zero.
 * LLVM's optimiser forms them of vectors that are copied through local memory, and programs use __int128. */
#include "retarget/bridge/bridge.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {
using Limbs = SmallVector<Value *, 4>;

bool is_wide(Type *T) {
  return T->isIntegerTy() && T->getIntegerBitWidth() > 64;
}

bool contains_wide(Type *T) {
  if (auto *A = dyn_cast<ArrayType>(T))
    return contains_wide(A->getElementType());
  return is_wide(T) ||
         any_of(T->subtypes(), [](Type *S) { return is_wide(S) || (!S->isPointerTy() && contains_wide(S)); });
}

class Splitter {
  Function &F;
  DenseMap<Value *, Limbs> split;
  SmallVector<Instruction *, 16> todo;

  static unsigned bits(Value *V) { return V->getType()->getIntegerBitWidth(); }
  static unsigned count(Type *T) { return (T->getIntegerBitWidth() + 63) / 64; }
  /* Bits of the limb that are in use. */
  static unsigned used(Type *T, unsigned limb) { return std::min(64u, T->getIntegerBitWidth() - limb * 64); }

  static bool is_known(Value *V) { return isa<ConstantInt>(V) || isa<UndefValue>(V); }
  Limbs get(Value *V) {
    IntegerType *I64 = Type::getInt64Ty(V->getContext());
    if (!is_known(V))
      return split.lookup(V);
    Limbs made;
    for (unsigned i = 0; i < count(V->getType()); i++)
      made.push_back(ConstantInt::get(
          I64, isa<ConstantInt>(V)
                   ? cast<ConstantInt>(V)->getValue().extractBitsAsZExtValue(used(V->getType(), i), i * 64)
                   : 0));
    return made;
  }
  static Value *clean(IRBuilder<> &B, Value *limb, unsigned n) {
    return n == 64 ? limb : B.CreateAnd(limb, maskTrailingOnes<uint64_t>(n));
  }
  /* The limbs of a result, without what is above its highest bit. */
  static Limbs clean(IRBuilder<> &B, Limbs limbs, Type *T) {
    limbs.back() = clean(B, limbs.back(), used(T, count(T) - 1));
    return limbs;
  }
  /* The highest limb with its sign in all of its bits. */
  static Value *signed_top(IRBuilder<> &B, const Limbs &limbs, Type *T) {
    unsigned by = 64 - used(T, count(T) - 1);
    return B.CreateAShr(B.CreateShl(limbs.back(), by), by);
  }

  /* --- Arithmetic --- */

  static Limbs add(IRBuilder<> &B, const Limbs &L, const Limbs &R) {
    Limbs made;
    Value *carry = B.getInt64(0);
    for (unsigned i = 0; i < L.size(); i++) {
      Value *sum = B.CreateAdd(L[i], R[i]), *all = B.CreateAdd(sum, carry);
      carry = B.CreateZExt(B.CreateOr(B.CreateICmpULT(sum, L[i]), B.CreateICmpULT(all, sum)), B.getInt64Ty());
      made.push_back(all);
    }
    return made;
  }
  static Limbs subtract(IRBuilder<> &B, const Limbs &L, const Limbs &R) {
    Limbs made;
    Value *borrow = B.getInt64(0);
    for (unsigned i = 0; i < L.size(); i++) {
      Value *difference = B.CreateSub(L[i], R[i]), *all = B.CreateSub(difference, borrow);
      borrow =
          B.CreateZExt(B.CreateOr(B.CreateICmpULT(L[i], R[i]), B.CreateICmpULT(difference, borrow)), B.getInt64Ty());
      made.push_back(all);
    }
    return made;
  }
  /* The upper half of a product of two limbs, from products of 32 bits. */
  static Value *high_product(IRBuilder<> &B, Value *L, Value *R) {
    auto low = [&](Value *V) { return B.CreateAnd(V, 0xffffffffull); };
    auto high = [&](Value *V) { return B.CreateLShr(V, 32); };
    Value *t = B.CreateMul(low(L), low(R));
    Value *u = B.CreateAdd(B.CreateMul(high(L), low(R)), high(t));
    Value *v = B.CreateAdd(B.CreateMul(low(L), high(R)), low(u));
    return B.CreateAdd(B.CreateAdd(B.CreateMul(high(L), high(R)), high(u)), high(v));
  }
  static Limbs multiply(IRBuilder<> &B, const Limbs &L, const Limbs &R) {
    Limbs sum(L.size(), B.getInt64(0));
    for (unsigned i = 0; i < L.size(); i++)
      for (unsigned k = 0; i + k < L.size(); k++) {
        Limbs product(L.size(), B.getInt64(0));
        product[i + k] = B.CreateMul(L[i], R[k]);
        if (i + k + 1 < L.size())
          product[i + k + 1] = high_product(B, L[i], R[k]);
        sum = add(B, sum, product);
      }
    return sum;
  }
  static Value *at(const Limbs &limbs, int i, Value *below, Value *above) {
    return i < 0 ? below : i >= static_cast<int>(limbs.size()) ? above : limbs[i];
  }
  /* Limb `to` of a shift by whole limbs and `by` bits; `fill` comes from above. */
  static Value *shifted(IRBuilder<> &B, const Limbs &in, int to, int whole, Value *by, bool left, Value *fill) {
    Value *zero = B.getInt64(0), *rest = B.CreateSub(B.getInt64(63), by);
    if (left)
      return B.CreateOr(B.CreateShl(at(in, to - whole, zero, zero), by),
                        B.CreateLShr(B.CreateLShr(at(in, to - whole - 1, zero, zero), 1), rest));
    Value *from = at(in, to + whole, zero, fill), *next = at(in, to + whole + 1, zero, fill);
    return B.CreateOr(B.CreateLShr(from, by), B.CreateShl(B.CreateShl(next, 1), rest));
  }
  static Limbs shift(IRBuilder<> &B, Limbs in, Value *amount, Type *T, Instruction::BinaryOps opcode) {
    Value *fill = B.getInt64(0), *by = B.CreateAnd(amount, 63), *whole = B.CreateLShr(amount, 6);
    if (opcode == Instruction::AShr) {
      in.back() = signed_top(B, in, T);
      fill = B.CreateAShr(in.back(), 63);
    }
    Limbs made;
    for (unsigned i = 0; i < in.size(); i++) {
      Value *limb = nullptr;
      for (unsigned w = 0; w < in.size(); w++) {
        if (isa<ConstantInt>(whole) && !cast<ConstantInt>(whole)->equalsInt(w))
          continue;
        Value *one = shifted(B, in, static_cast<int>(i), static_cast<int>(w), by, opcode == Instruction::Shl, fill);
        limb = limb ? B.CreateSelect(B.CreateICmpEQ(whole, B.getInt64(w)), one, limb) : one;
      }
      made.push_back(limb ? limb : fill); /* an amount above the width has no defined result */
    }
    return made;
  }
  Limbs binary(IRBuilder<> &B, BinaryOperator &I) {
    Limbs L = get(I.getOperand(0)), R = get(I.getOperand(1)), made;
    switch (I.getOpcode()) {
    case Instruction::Add:
      return clean(B, add(B, L, R), I.getType());
    case Instruction::Sub:
      return clean(B, subtract(B, L, R), I.getType());
    case Instruction::Mul:
      return clean(B, multiply(B, L, R), I.getType());
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      return clean(B, shift(B, L, R[0], I.getType(), I.getOpcode()), I.getType());
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      for (unsigned i = 0; i < L.size(); i++)
        made.push_back(B.CreateBinOp(I.getOpcode(), L[i], R[i]));
      return made;
    default:
      llvm_unreachable("can_split refuses it");
    }
  }
  Value *compare(IRBuilder<> &B, ICmpInst &I) {
    Type *T = I.getOperand(0)->getType();
    Limbs L = get(I.getOperand(0)), R = get(I.getOperand(1));
    if (I.isEquality()) {
      Value *differ = B.getInt64(0);
      for (unsigned i = 0; i < L.size(); i++)
        differ = B.CreateOr(differ, B.CreateXor(L[i], R[i]));
      return B.CreateICmp(I.getPredicate(), differ, B.getInt64(0));
    }
    if (I.isSigned()) {
      L.back() = signed_top(B, L, T);
      R.back() = signed_top(B, R, T);
    }
    Value *result = B.CreateICmp(I.getUnsignedPredicate(), L[0], R[0]);
    for (unsigned i = 1; i < L.size(); i++) {
      CmpInst::Predicate predicate = i + 1 == L.size() ? I.getPredicate() : I.getUnsignedPredicate();
      result = B.CreateSelect(B.CreateICmpEQ(L[i], R[i]), result, B.CreateICmp(predicate, L[i], R[i]));
    }
    return result;
  }
  /* Leading or trailing zeros, as division by LLVM's expansion needs them. */
  static bool counts_zeros(Instruction &I) {
    auto *C = dyn_cast<IntrinsicInst>(&I);
    return C && (C->getIntrinsicID() == Intrinsic::ctlz || C->getIntrinsicID() == Intrinsic::cttz);
  }
  Limbs count_zeros(IRBuilder<> &B, IntrinsicInst &I) {
    Limbs in = get(I.getArgOperand(0)), made;
    bool leading = I.getIntrinsicID() == Intrinsic::ctlz;
    unsigned n = bits(&I), limbs = in.size();
    Value *result = B.getInt64(n);
    for (unsigned k = 0; k < limbs; k++) {
      unsigned i = leading ? k : limbs - 1 - k; /* the limb that is inspected first decides last */
      unsigned offset =
          leading ? n - i * 64 - 64 : i * 64; /* modulo 2^32: the unused bits of the highest count as zeros */
      Value *zeros = B.CreateBinaryIntrinsic(I.getIntrinsicID(), in[i], B.getInt1(false));
      zeros = B.CreateAdd(zeros, B.getInt64(static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(offset)))));
      result = B.CreateSelect(B.CreateICmpEQ(in[i], B.getInt64(0)), result, zeros);
    }
    made.assign(limbs, B.getInt64(0));
    made[0] = result;
    return made;
  }

  /* --- Casts --- */

  Limbs cast_to_wide(IRBuilder<> &B, CastInst &I) {
    Value *V = I.getOperand(0), *fill = B.getInt64(0);
    unsigned n = count(I.getType());
    Limbs made;
    switch (I.getOpcode()) {
    case Instruction::Trunc:
      made = get(V);
      made.resize(n);
      return clean(B, made, I.getType());
    case Instruction::PtrToInt:
      made.push_back(B.CreatePtrToInt(V, B.getInt64Ty()));
      break;
    case Instruction::ZExt:
      made = is_wide(V->getType()) ? get(V) : Limbs{B.CreateZExt(V, B.getInt64Ty())};
      break;
    case Instruction::SExt:
      made = is_wide(V->getType()) ? get(V) : Limbs{B.CreateSExt(V, B.getInt64Ty())};
      if (is_wide(V->getType()))
        made.back() = signed_top(B, made, V->getType());
      fill = B.CreateAShr(made.back(), 63);
      break;
    case Instruction::BitCast:
      V = B.CreateBitCast(V, FixedVectorType::get(B.getInt64Ty(), n));
      for (unsigned i = 0; i < n; i++)
        made.push_back(B.CreateExtractElement(V, i));
      break;
    default:
      llvm_unreachable("can_cast refuses it");
    }
    made.resize(n, fill);
    return clean(B, made, I.getType());
  }
  Value *cast_from_wide(IRBuilder<> &B, CastInst &I) {
    Value *V = I.getOperand(0), *vector;
    Limbs in = get(V);
    switch (I.getOpcode()) {
    case Instruction::Trunc:
      return B.CreateTrunc(in[0], I.getType());
    case Instruction::IntToPtr:
      return B.CreateIntToPtr(in[0], I.getType());
    case Instruction::BitCast:
      vector = PoisonValue::get(FixedVectorType::get(B.getInt64Ty(), in.size()));
      for (unsigned i = 0; i < in.size(); i++)
        vector = B.CreateInsertElement(vector, in[i], i);
      return B.CreateBitCast(vector, I.getType());
    default:
      llvm_unreachable("can_cast refuses it");
    }
  }

  /* --- Memory --- */

  /* Every limb is a machine integer in memory. */
  static bool is_storable(Type *T) {
    unsigned top = used(T, count(T) - 1);
    return top == 8 || top == 16 || top == 32 || top == 64;
  }
  template <typename Access> static void copy_traits(Access *made, const Access &from, unsigned limb) {
    made->setAlignment(commonAlignment(from.getAlign(), limb * 8));
    made->setVolatile(from.isVolatile());
    made->copyMetadata(from);
    for (unsigned kind : {LLVMContext::MD_range, LLVMContext::MD_noundef, LLVMContext::MD_tbaa})
      made->setMetadata(kind, nullptr);
  }
  Limbs load(IRBuilder<> &B, LoadInst &I) {
    Limbs made;
    for (unsigned i = 0; i < count(I.getType()); i++) {
      Value *address = i ? B.CreateConstGEP1_64(B.getInt8Ty(), I.getPointerOperand(), i * 8) : I.getPointerOperand();
      LoadInst *limb = B.CreateLoad(B.getIntNTy(used(I.getType(), i)), address);
      copy_traits(limb, I, i);
      made.push_back(B.CreateZExt(limb, B.getInt64Ty()));
    }
    return made;
  }
  Value *store(IRBuilder<> &B, StoreInst &I) {
    Type *T = I.getValueOperand()->getType();
    StoreInst *limb = nullptr;
    Limbs limbs = get(I.getValueOperand());
    for (unsigned i = 0; i < limbs.size(); i++) {
      Value *address = i ? B.CreateConstGEP1_64(B.getInt8Ty(), I.getPointerOperand(), i * 8) : I.getPointerOperand();
      limb = B.CreateStore(B.CreateTrunc(limbs[i], B.getIntNTy(used(T, i))), address);
      copy_traits(limb, I, i);
    }
    return limb;
  }
  /* Memory of bytes, with the same size and alignment. */
  static void retype_alloca(AllocaInst &I) {
    const DataLayout &layout = I.getDataLayout();
    uint64_t bytes = layout.getTypeAllocSize(I.getAllocatedType());
    Align align = std::max(I.getAlign(), layout.getABITypeAlign(I.getAllocatedType()));
    I.setAllocatedType(bytes % 8 ? ArrayType::get(Type::getInt8Ty(I.getContext()), bytes)
                                 : ArrayType::get(Type::getInt64Ty(I.getContext()), bytes / 8));
    I.setAlignment(align);
  }
  static void retype_address(GetElementPtrInst &I) {
    IRBuilder<> B(&I);
    Value *offset = emitGEPOffset(&B, I.getDataLayout(), &I);
    I.replaceAllUsesWith(B.CreateGEP(B.getInt8Ty(), I.getPointerOperand(), offset));
    I.eraseFromParent();
  }
  void retype_memory() {
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *A = dyn_cast<AllocaInst>(&I); A && contains_wide(A->getAllocatedType()))
        retype_alloca(*A);
      else if (auto *G = dyn_cast<GetElementPtrInst>(&I); G && contains_wide(G->getSourceElementType()))
        retype_address(*G);
  }

  /* Minima, maxima and absolute values, which LLVM forms of comparisons, as comparisons. */
  static Value *selected(IRBuilder<> &B, IntrinsicInst &I) {
    Value *L = I.getArgOperand(0), *R = I.getArgOperand(I.arg_size() - 1);
    if (auto *M = dyn_cast<MinMaxIntrinsic>(&I))
      return B.CreateSelect(B.CreateICmp(M->getPredicate(), L, R), L, R);
    if (I.getIntrinsicID() != Intrinsic::abs)
      return nullptr;
    return B.CreateSelect(B.CreateICmpSLT(L, ConstantInt::get(L->getType(), 0)), B.CreateNeg(L), L);
  }
  void lower_selections() {
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *C = dyn_cast<IntrinsicInst>(&I); C && is_wide(C->getType())) {
        IRBuilder<> B(C);
        if (Value *made = selected(B, *C)) {
          C->replaceAllUsesWith(made);
          C->eraseFromParent();
        }
      }
  }

  /* A switch as a chain of comparisons. */
  struct Edge {
    BasicBlock *from, *to;
  };
  static void move_phis(BasicBlock *from, ArrayRef<Edge> edges) {
    for (const Edge &E : edges)
      for (PHINode &P : E.to->phis())
        P.addIncoming(P.getIncomingValueForBlock(from), E.from);
    for (const Edge &E : edges)
      for (PHINode &P : E.to->phis())
        while (P.getBasicBlockIndex(from) >= 0)
          P.removeIncomingValue(from, false);
  }
  static void lower_switch(SwitchInst &S) {
    SmallVector<Edge, 8> edges;
    BasicBlock *first = S.getParent(), *at = BasicBlock::Create(S.getContext(), "", first->getParent());
    at->moveAfter(first);
    IRBuilder<> B(&S);
    B.CreateBr(at);
    for (auto C : S.cases()) {
      BasicBlock *next = BasicBlock::Create(S.getContext(), "", first->getParent());
      next->moveAfter(at);
      B.SetInsertPoint(at);
      B.CreateCondBr(B.CreateICmpEQ(S.getCondition(), C.getCaseValue()), C.getCaseSuccessor(), next);
      edges.push_back({at, C.getCaseSuccessor()});
      at = next;
    }
    B.SetInsertPoint(at);
    B.CreateBr(S.getDefaultDest());
    edges.push_back({at, S.getDefaultDest()});
    move_phis(first, edges);
    S.eraseFromParent();
  }
  void lower_switches() {
    SmallVector<SwitchInst *, 4> found;
    for (BasicBlock &BB : F)
      if (auto *S = dyn_cast<SwitchInst>(BB.getTerminator()); S && is_wide(S->getCondition()->getType()))
        found.push_back(S);
    for (SwitchInst *S : found)
      lower_switch(*S);
  }

  /* --- Instructions --- */

  Limbs split_wide(IRBuilder<> &B, Instruction &I) {
    Limbs made;
    if (auto *O = dyn_cast<BinaryOperator>(&I))
      return binary(B, *O);
    if (auto *C = dyn_cast<CastInst>(&I))
      return cast_to_wide(B, *C);
    if (auto *L = dyn_cast<LoadInst>(&I))
      return load(B, *L);
    if (counts_zeros(I))
      return count_zeros(B, cast<IntrinsicInst>(I));
    if (auto *S = dyn_cast<SelectInst>(&I)) {
      Limbs yes = get(S->getTrueValue()), no = get(S->getFalseValue());
      for (unsigned i = 0; i < yes.size(); i++)
        made.push_back(B.CreateSelect(S->getCondition(), yes[i], no[i]));
    } else if (isa<FreezeInst>(I)) {
      for (Value *limb : get(I.getOperand(0)))
        made.push_back(B.CreateFreeze(limb));
    }
    return made;
  }
  Value *split_narrow(IRBuilder<> &B, Instruction &I) {
    if (auto *C = dyn_cast<CastInst>(&I))
      return cast_from_wide(B, *C);
    if (auto *C = dyn_cast<ICmpInst>(&I))
      return compare(B, *C);
    return store(B, cast<StoreInst>(I));
  }
  void replace(Instruction &I) {
    IRBuilder<> B(&I);
    if (is_wide(I.getType())) {
      Limbs limbs = split_wide(B, I);
      split[&I] = limbs;
    } else {
      Value *made = split_narrow(B, I);
      if (!I.getType()->isVoidTy())
        I.replaceAllUsesWith(made);
    }
  }
  void start_phi(PHINode &P) {
    IRBuilder<> B(&P);
    for (unsigned i = 0; i < count(P.getType()); i++)
      split[&P].push_back(B.CreatePHI(B.getInt64Ty(), P.getNumIncomingValues()));
  }
  void finish_phi(PHINode &P) {
    for (unsigned k = 0; k < P.getNumIncomingValues(); k++) {
      Limbs limbs = get(P.getIncomingValue(k));
      for (unsigned i = 0; i < limbs.size(); i++)
        cast<PHINode>(split[&P][i])->addIncoming(limbs[i], P.getIncomingBlock(k));
    }
  }

  /* --- What can be split --- */

  static bool can_cast(CastInst &C) {
    Type *wide = is_wide(C.getType()) ? C.getType() : C.getOperand(0)->getType();
    switch (C.getOpcode()) {
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      return true;
    default:
      return C.getOpcode() == Instruction::BitCast && wide->getIntegerBitWidth() % 64 == 0;
    }
  }
  static bool can_split(Instruction &I) {
    for (Use &U : I.operands())
      if (is_wide(U->getType()) && !is_known(U) && !isa<Instruction>(U))
        return false;
    if (auto *O = dyn_cast<BinaryOperator>(&I))
      return !O->isIntDivRem();
    if (auto *C = dyn_cast<CastInst>(&I))
      return can_cast(*C);
    if (auto *L = dyn_cast<LoadInst>(&I))
      return !L->isAtomic() && is_storable(L->getType());
    if (auto *S = dyn_cast<StoreInst>(&I))
      return !S->isAtomic() && is_storable(S->getValueOperand()->getType());
    return counts_zeros(I) || isa<PHINode, SelectInst, FreezeInst, ICmpInst>(I);
  }

public:
  explicit Splitter(Function &F) : F(F) {}
  void run() {
    retype_memory();
    lower_selections();
    lower_switches();
    ReversePostOrderTraversal<Function *> order(&F);
    for (BasicBlock *BB : order)
      for (Instruction &I : *BB)
        if (is_wide(I.getType()) || any_of(I.operands(), [](Use &U) { return is_wide(U->getType()); }))
          todo.push_back(&I);
    if (!all_of(todo, [](Instruction *I) { return can_split(*I); }))
      return; /* the step `check` refuses it */
    for (Instruction *I : todo)
      if (auto *P = dyn_cast<PHINode>(I))
        start_phi(*P);
    for (Instruction *I : todo)
      if (!isa<PHINode>(I))
        replace(*I);
    for (Instruction *I : todo)
      if (auto *P = dyn_cast<PHINode>(I))
        finish_phi(*P);
    for (Instruction *I : reverse(todo)) {
      if (!I->getType()->isVoidTy())
        I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }
};
} // namespace

int cs_rt_bridge_has_wide_integers(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    for (Instruction &I : instructions(F))
      if (is_wide(I.getType()) || any_of(I.operands(), [](Use &U) { return is_wide(U->getType()); }))
        return 1;
  return 0;
}

/* --- Variables --- */

static void add_padding(LLVMContext &context, uint64_t bytes, SmallVectorImpl<Constant *> &fields) {
  if (bytes)
    fields.push_back(ConstantAggregateZero::get(ArrayType::get(Type::getInt8Ty(context), bytes)));
}

/* The initial value as the fields of a packed structure, with the padding that its type has. */
static void flatten(const DataLayout &layout, Constant *C, SmallVectorImpl<Constant *> &fields) {
  Type *T = C->getType();
  uint64_t bytes = layout.getTypeAllocSize(T), at = 0;
  if (!contains_wide(T)) {
    fields.push_back(C);
  } else if (is_wide(T)) {
    APInt value = isa<ConstantInt>(C) ? cast<ConstantInt>(C)->getValue() : APInt(T->getIntegerBitWidth(), 0);
    for (value = value.zextOrTrunc(bytes * 8); at < bytes; at += 8)
      fields.push_back(ConstantInt::get(Type::getInt64Ty(T->getContext()), value.extractBitsAsZExtValue(64, at * 8)));
  } else {
    auto *S = dyn_cast<StructType>(T);
    unsigned count = S ? S->getNumElements() : T->getArrayNumElements();
    for (unsigned i = 0; i < count; i++) {
      Constant *element = C->getAggregateElement(i);
      uint64_t size = layout.getTypeAllocSize(element->getType());
      uint64_t offset = S ? layout.getStructLayout(S)->getElementOffset(i).getFixedValue() : i * size;
      add_padding(T->getContext(), offset - at, fields);
      flatten(layout, element, fields);
      at = offset + size;
    }
    add_padding(T->getContext(), bytes - at, fields);
  }
}

static Constant *retyped_value(const DataLayout &layout, GlobalVariable &G) {
  Type *T = ArrayType::get(Type::getInt64Ty(G.getContext()), layout.getTypeAllocSize(G.getValueType()) / 8);
  SmallVector<Constant *, 16> fields;
  if (!G.hasInitializer() || isa<UndefValue>(G.getInitializer()))
    return UndefValue::get(T);
  if (G.getInitializer()->isNullValue())
    return Constant::getNullValue(T);
  flatten(layout, G.getInitializer(), fields);
  return ConstantStruct::getAnon(G.getContext(), fields, true);
}

void cs_rt_bridge_retype_wide_variables(LLVMModuleRef module) {
  Module &M = *unwrap(module);
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (!contains_wide(G.getValueType()))
      continue;
    Constant *value = retyped_value(M.getDataLayout(), G);
    auto *made =
        new GlobalVariable(M, value->getType(), G.isConstant(), G.getLinkage(), G.hasInitializer() ? value : nullptr,
                           "", &G, G.getThreadLocalMode(), G.getAddressSpace());
    made->copyAttributesFrom(&G);
    made->setAlignment(M.getDataLayout().getValueOrABITypeAlignment(G.getAlign(), G.getValueType()));
    made->takeName(&G);
    made->copyMetadata(&G, 0);
    G.replaceAllUsesWith(made);
    G.eraseFromParent();
  }
}

void cs_rt_bridge_split_wide_integers(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    if (!F.isDeclaration()) {
      removeUnreachableBlocks(F);
      Splitter(F).run();
    }
}
