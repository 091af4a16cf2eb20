/* aggregates.cpp: splits structures and arrays as values into their scalars: the SPIR-V back end gets them wrong. */
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
using Path = SmallVector<unsigned, 4>;
using Scalars = SmallVector<Value *, 8>;

class Splitter {
  Function &F;
  const DataLayout &layout;
  DenseMap<Value *, Scalars> known;
  SmallVector<Instruction *, 16> gone;

  static unsigned count_of(Type *T) {
    if (auto *S = dyn_cast<StructType>(T))
      return S->getNumElements();
    return static_cast<unsigned>(cast<ArrayType>(T)->getNumElements());
  }
  static Type *element(Type *T, unsigned i) { return GetElementPtrInst::getTypeAtIndex(T, static_cast<uint64_t>(i)); }

  /* The indices of each scalar, in order. */
  static void add_paths(Type *T, Path &at, SmallVectorImpl<Path> &out) {
    if (!T->isAggregateType()) {
      out.push_back(at);
      return;
    }
    for (unsigned i = 0; i < count_of(T); i++) {
      at.push_back(i);
      add_paths(element(T, i), at, out);
      at.pop_back();
    }
  }
  static SmallVector<Path, 8> paths_of(Type *T) {
    SmallVector<Path, 8> out;
    Path at;
    add_paths(T, at, out);
    return out;
  }
  static unsigned scalar_count(Type *T) {
    if (!T->isAggregateType())
      return 1;
    if (auto *A = dyn_cast<ArrayType>(T))
      return static_cast<unsigned>(A->getNumElements()) * scalar_count(A->getElementType());
    unsigned sum = 0;
    for (Type *E : cast<StructType>(T)->elements())
      sum += scalar_count(E);
    return sum;
  }
  /* The number of the first scalar of the element of T at the path. */
  static unsigned first_scalar(Type *T, ArrayRef<unsigned> path) {
    unsigned first = 0;
    for (unsigned index : path) {
      for (unsigned i = 0; i < index; i++)
        first += scalar_count(element(T, i));
      T = element(T, index);
    }
    return first;
  }
  uint64_t offset_of(Type *T, ArrayRef<unsigned> path) const {
    uint64_t offset = 0;
    for (unsigned index : path) {
      if (auto *S = dyn_cast<StructType>(T))
        offset += layout.getStructLayout(S)->getElementOffset(index);
      else
        offset += index * layout.getTypeAllocSize(element(T, index)).getFixedValue();
      T = element(T, index);
    }
    return offset;
  }

  /* Elements of a constant; what stays an aggregate (the result of a call, a parameter) is extracted right after it. */
  const Scalars &scalars(Value *V) {
    auto found = known.find(V);
    if (found != known.end())
      return found->second;
    Scalars made;
    if (auto *C = dyn_cast<Constant>(V)) {
      for (const Path &path : paths_of(V->getType())) {
        Constant *part = C;
        for (unsigned index : path)
          part = part->getAggregateElement(index);
        made.push_back(part);
      }
    } else {
      auto *I = dyn_cast<Instruction>(V);
      IRBuilder<> B(I ? &*std::next(I->getIterator()) : &*F.getEntryBlock().getFirstInsertionPt());
      for (const Path &path : paths_of(V->getType()))
        made.push_back(B.CreateExtractValue(V, path));
    }
    return known[V] = std::move(made);
  }
  /* The aggregate, for a user that cannot be split. */
  Value *whole(Value *V, Instruction *user) {
    if (!known.count(V) || isa<Constant>(V))
      return V;
    Value *made = PoisonValue::get(V->getType());
    IRBuilder<> B(user);
    SmallVector<Path, 8> paths = paths_of(V->getType());
    for (unsigned i = 0; i < paths.size(); i++)
      made = B.CreateInsertValue(made, known[V][i], paths[i]);
    return made;
  }

  void split_load(LoadInst &L) {
    IRBuilder<> B(&L);
    Scalars made;
    for (const Path &path : paths_of(L.getType())) {
      uint64_t offset = offset_of(L.getType(), path);
      Value *at = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), L.getPointerOperand(), offset);
      Type *type = ExtractValueInst::getIndexedType(L.getType(), path);
      made.push_back(B.CreateAlignedLoad(type, at, commonAlignment(L.getAlign(), offset), L.isVolatile()));
    }
    known[&L] = std::move(made);
  }
  void split_store(StoreInst &S) {
    Value *V = S.getValueOperand();
    Scalars parts = scalars(V);
    IRBuilder<> B(&S);
    SmallVector<Path, 8> paths = paths_of(V->getType());
    for (unsigned i = 0; i < paths.size(); i++) {
      uint64_t offset = offset_of(V->getType(), paths[i]);
      Value *at = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), S.getPointerOperand(), offset);
      B.CreateAlignedStore(parts[i], at, commonAlignment(S.getAlign(), offset), S.isVolatile());
    }
  }
  void split_select(SelectInst &S) {
    Scalars yes = scalars(S.getTrueValue()), no = scalars(S.getFalseValue()), made;
    IRBuilder<> B(&S);
    for (unsigned i = 0; i < yes.size(); i++)
      made.push_back(B.CreateSelect(S.getCondition(), yes[i], no[i]));
    known[&S] = std::move(made);
  }
  void split_freeze(FreezeInst &Z) {
    Scalars from = scalars(Z.getOperand(0)), made;
    IRBuilder<> B(&Z);
    for (Value *part : from)
      made.push_back(B.CreateFreeze(part));
    known[&Z] = std::move(made);
  }
  void split_insert(InsertValueInst &I) {
    Scalars made = scalars(I.getAggregateOperand());
    Value *V = I.getInsertedValueOperand();
    unsigned first = first_scalar(I.getType(), I.getIndices());
    if (V->getType()->isAggregateType())
      copy(scalars(V), made.begin() + first);
    else
      made[first] = V;
    known[&I] = std::move(made);
  }
  void split_extract(ExtractValueInst &I) {
    Scalars from = scalars(I.getAggregateOperand());
    unsigned first = first_scalar(I.getAggregateOperand()->getType(), I.getIndices());
    if (I.getType()->isAggregateType())
      known[&I] = Scalars(from.begin() + first, from.begin() + first + scalar_count(I.getType()));
    else
      I.replaceAllUsesWith(from[first]);
  }
  void open_phi(PHINode &P) {
    Scalars made;
    IRBuilder<> B(&P);
    for (const Path &path : paths_of(P.getType()))
      made.push_back(B.CreatePHI(ExtractValueInst::getIndexedType(P.getType(), path), P.getNumIncomingValues()));
    known[&P] = std::move(made);
  }
  void close_phi(PHINode &P) {
    for (unsigned k = 0; k < P.getNumIncomingValues(); k++) {
      Scalars from = scalars(P.getIncomingValue(k));
      for (unsigned i = 0; i < from.size(); i++)
        cast<PHINode>(known[&P][i])->addIncoming(from[i], P.getIncomingBlock(k));
    }
  }

  static bool is_split(Instruction &I) {
    Value *V = isa<StoreInst>(I) ? I.getOperand(0) : isa<ExtractValueInst>(I) ? I.getOperand(0) : &I;
    return V->getType()->isAggregateType() &&
           (isa<PHINode>(I) || isa<SelectInst>(I) || isa<FreezeInst>(I) || isa<LoadInst>(I) || isa<StoreInst>(I) ||
            isa<InsertValueInst>(I) || isa<ExtractValueInst>(I));
  }
  void split(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      split_load(*L);
    else if (auto *S = dyn_cast<StoreInst>(&I))
      split_store(*S);
    else if (auto *S = dyn_cast<SelectInst>(&I))
      split_select(*S);
    else if (auto *Z = dyn_cast<FreezeInst>(&I))
      split_freeze(*Z);
    else if (auto *V = dyn_cast<InsertValueInst>(&I))
      split_insert(*V);
    else if (auto *V = dyn_cast<ExtractValueInst>(&I))
      split_extract(*V);
  }

public:
  explicit Splitter(Function &F) : F(F), layout(F.getParent()->getDataLayout()) {}
  /* In reverse post-order the scalars of a value are known before its users, except for phis: those are completed
   * last. */
  void run() {
    SmallVector<Instruction *, 16> others;
    ReversePostOrderTraversal<Function *> order(&F);
    for (BasicBlock *B : order)
      for (Instruction &I : *B)
        if (is_split(I))
          gone.push_back(&I);
        else if (any_of(I.operands(), [](Use &U) { return U->getType()->isAggregateType(); }))
          others.push_back(&I);
    for (Instruction *I : gone)
      if (auto *P = dyn_cast<PHINode>(I))
        open_phi(*P);
    for (Instruction *I : gone)
      split(*I);
    for (Instruction *I : gone)
      if (auto *P = dyn_cast<PHINode>(I))
        close_phi(*P);
    for (Instruction *I : others)
      for (Use &U : I->operands())
        if (U->getType()->isAggregateType())
          U.set(whole(U.get(), I));
    for (Instruction *I : reverse(gone)) {
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }
};
} // namespace

void cs_rt_bridge_split_aggregates(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    if (!F.isDeclaration()) {
      removeUnreachableBlocks(F);
      Splitter(F).run();
    }
}
