// spaces.cpp: after a failed check, an access in a specific address space goes through a generic pointer.
//
//   check: br ok, exit, cold                         check: br ok, exit, cold
//   cold:  r = __cs_fail(...); br exit               cold:  r = __cs_fail(...); w = load r; br rest
//   exit:  p = phi [q, check], [r, cold]      =>     exit:  v = load (addrspacecast q); br rest
//          v = load (addrspacecast p); ...           rest:  phi [v, exit], [w, cold]; ...
#include "pass/bridge/spaces.h"
#include "cusafe/ir.h"
#include "pass/bridge/cold.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

bool isSpecific(const AddrSpaceCastInst &cast) {
  return cast.getSrcAddressSpace() == NVPTXAS::ADDRESS_SPACE_GENERIC &&
         cast.getDestAddressSpace() != NVPTXAS::ADDRESS_SPACE_GENERIC &&
         cast.getDestAddressSpace() != NVPTXAS::ADDRESS_SPACE_GLOBAL;
}

// The result of a check that the cast converts: a phi, or the failure itself where a check cannot hold; nullptr if it
// is something else.
Instruction *checkedPointer(const AddrSpaceCastInst &cast) {
  Value *value = cast.getOperand(0);
  while (auto *step = dyn_cast<GetElementPtrInst>(value))
    value = step->getPointerOperand();
  auto *phi = dyn_cast<PHINode>(value);
  bool fails = cs_pass_is_failure(value) ||
               (phi && phi->getNumIncomingValues() == 2 && any_of(phi->incoming_values(), cs_pass_is_failure));
  return fails ? llvm::cast<Instruction>(value) : nullptr;
}

bool isAccess(const Instruction &i) {
  return isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst, CallBase>(i);
}

// The accesses that get the address, also as an integer or through a loop.
SetVector<Instruction *> findAccesses(Instruction &address) {
  SetVector<Instruction *> seen, found;
  seen.insert(&address);
  for (size_t next = 0; next < seen.size(); next++)
    for (User *user : seen[next]->users()) {
      auto *i = cast<Instruction>(user);
      (isAccess(*i) ? found : seen).insert(i);
    }
  return found;
}

// All threads of a warp carry it out together, so that none may omit it.
bool isCollective(const CallBase &call) {
  if (auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return StringRef(text->getAsmString()).contains(".sync") || StringRef(text->getAsmString()).contains(".aligned");
  return call.isConvergent();
}

bool hasGenericForm(const Instruction &access) {
  return !isa<CallBase>(access) || isa<MemIntrinsic>(access);
}

// Rewrites the access to the pointer that the cast converts.
void makeGeneric(Instruction &access, Instruction *cast, Value *generic) {
  access.replaceUsesOfWith(cast, generic);
  auto *copy = dyn_cast<MemIntrinsic>(&access);
  if (!copy)
    return;
  SmallVector<Type *, 3> types;
  for (unsigned argument : {0u, 1u, 2u})
    if (argument != 1 || isa<MemTransferInst>(copy))
      types.push_back(copy->getArgOperand(argument)->getType());
  copy->setCalledFunction(Intrinsic::getOrInsertDeclaration(copy->getModule(), copy->getIntrinsicID(), types));
}

// One check, and the access that follows it in the same block.
class Contained {
public:
  Contained(AddrSpaceCastInst &c, PHINode &p, Instruction &a)
      : cast(&c), access(&a), exit(p.getParent()),
        cold(p.getIncomingBlock(cs_pass_is_failure(p.getIncomingValue(0)) ? 0 : 1)),
        failed(p.getIncomingValueForBlock(cold)) {}

  // Between the check and the access are only conversions of the address, which nothing else uses.
  bool isAdjacent() const {
    if (access->getParent() != exit || cold->getSingleSuccessor() != exit || !exit->hasNPredecessors(2))
      return false;
    for (Instruction *i = &exit->front(); i != access; i = i->getNextNode())
      if (i->mayHaveSideEffects() ||
          any_of(i->users(), [&](User *user) { return isAfter(*llvm::cast<Instruction>(user)); }))
        return false;
    return true;
  }

  void accessGenerically() {
    BasicBlock *rest = split();
    Instruction *copy = copyBefore(cold->getTerminator());
    makeGeneric(*copy, converted, converted->getOperand(0));
    if (converted->use_empty())
      converted->eraseFromParent();
    join(rest, {{access, exit}, {copy, cold}});
  }

  // Not if the cold path has returned an address of this space after all.
  void omit() {
    BasicBlock *rest = split(), *carryOut = cold->splitBasicBlock(cold->getTerminator());
    Instruction *copy = copyBefore(carryOut->getTerminator());
    Instruction *end = cold->getTerminator();
    IRBuilder<> builder(end);
    builder.CreateCondBr(builder.CreateIntrinsic(Intrinsic::nvvm_isspacep_shared, failed), carryOut, rest);
    end->eraseFromParent();
    join(rest, {{access, exit}, {copy, carryOut}, {nullptr, cold}});
  }

private:
  AddrSpaceCastInst *cast;
  Instruction *access;
  BasicBlock *exit, *cold;
  Value *failed;
  ValueToValueMapTy map;
  Instruction *converted = nullptr; // the copy of the cast

  bool isAfter(const Instruction &user) const {
    return user.getParent() != exit || isa<PHINode>(user) || access->comesBefore(&user);
  }

  // Returns the block that follows the access. The cold block leads there.
  BasicBlock *split() {
    BasicBlock *rest = exit->splitBasicBlock(access->getNextNode());
    cold->getTerminator()->replaceSuccessorWith(exit, rest);
    return rest;
  }

  // Copies what follows the check, up to the access, and leaves the original to threads whose check holds. Returns the
  // copy of the access.
  Instruction *copyBefore(Instruction *end) {
    for (PHINode &other : exit->phis())
      map[&other] = other.getIncomingValueForBlock(cold);
    for (Instruction &i : make_range(exit->getFirstNonPHIIt(), exit->getTerminator()->getIterator())) {
      Instruction *copy = i.clone();
      copy->insertBefore(end->getIterator());
      RemapInstruction(copy, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      map[&i] = copy;
    }
    Instruction *copy = llvm::cast<Instruction>(map[access]);
    converted = llvm::cast<Instruction>(map[cast]);
    map.clear();
    for (PHINode &other : make_early_inc_range(exit->phis())) {
      other.removeIncomingValue(cold, false);
      other.replaceAllUsesWith(other.getIncomingValue(0));
      other.eraseFromParent();
    }
    return copy;
  }

  // nullptr stands for 0.
  void join(BasicBlock *rest, ArrayRef<std::pair<Value *, BasicBlock *>> versions) {
    if (access->getType()->isVoidTy())
      return;
    PHINode *joined = PHINode::Create(access->getType(), unsigned(versions.size()), "", rest->begin());
    access->replaceAllUsesWith(joined);
    for (auto [value, block] : versions)
      joined->addIncoming(value ? value : Constant::getNullValue(access->getType()), block);
  }
};

// The address comes from a failed check, and all lanes of a warp execute the instruction, which accepts shared
// addresses only.
void requireShared(Instruction &checked) {
  FunctionCallee stop =
      checked.getModule()->getOrInsertFunction(CS_IR_FAIL_SHARED, checked.getType(), checked.getType());
  auto *phi = dyn_cast<PHINode>(&checked);
  for (unsigned i = 0; phi && i < phi->getNumIncomingValues(); i++)
    if (cs_pass_is_failure(phi->getIncomingValue(i))) {
      IRBuilder<> builder(phi->getIncomingBlock(i)->getTerminator());
      phi->setIncomingValue(i, builder.CreateCall(stop, phi->getIncomingValue(i)));
    }
  if (phi)
    return;
  CallInst *shared = IRBuilder<>(checked.getNextNode()).CreateCall(stop, &checked);
  checked.replaceUsesWithIf(shared, [&](Use &use) { return use.getUser() != shared; });
}

// The check cannot hold.
void omitFailed(Instruction &failed, Instruction &access) {
  BasicBlock *before = access.getParent();
  Value *isShared = IRBuilder<>(&access).CreateIntrinsic(Intrinsic::nvvm_isspacep_shared, &failed);
  Instruction *end = SplitBlockAndInsertIfThen(isShared, access.getIterator(), false);
  BasicBlock *rest = access.getParent();
  access.moveBefore(end->getIterator());
  if (access.getType()->isVoidTy())
    return;
  PHINode *joined = PHINode::Create(access.getType(), 2, "", rest->begin());
  access.replaceAllUsesWith(joined);
  joined->addIncoming(&access, end->getParent());
  joined->addIncoming(Constant::getNullValue(access.getType()), before);
}

// The one access that can be changed next to its check.
bool containOne(AddrSpaceCastInst &cast, Instruction &checked, Instruction &access) {
  bool generic = hasGenericForm(access), collective = !generic && isCollective(llvm::cast<CallBase>(access));
  auto *phi = dyn_cast<PHINode>(&checked);
  if (collective || (!phi && generic))
    return false;
  if (!phi) {
    omitFailed(checked, access);
    return true;
  }
  Contained one(cast, *phi, access);
  if (!one.isAdjacent())
    return false;
  generic ? one.accessGenerically() : one.omit();
  return true;
}

void contain(AddrSpaceCastInst &cast, Instruction &checked) {
  SetVector<Instruction *> accesses = findAccesses(cast);
  if (accesses.size() == 1 && containOne(cast, checked, *accesses[0]))
    return;
  for (Instruction *access : accesses)
    if (hasGenericForm(*access) && is_contained(cast.users(), access))
      makeGeneric(*access, &cast, cast.getOperand(0));
  if (!cast.use_empty())
    requireShared(checked);
}

} // namespace

bool cs_pass_contain_in_spaces(Function &function) {
  std::vector<AddrSpaceCastInst *> casts;
  for (Instruction &i : instructions(function))
    if (auto *cast = dyn_cast<AddrSpaceCastInst>(&i); cast && isSpecific(*cast) && checkedPointer(*cast))
      casts.push_back(cast);
  for (AddrSpaceCastInst *cast : casts)
    if (Instruction *checked = checkedPointer(*cast))
      contain(*cast, *checked);
  return !casts.empty();
}
