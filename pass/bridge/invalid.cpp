// invalid.cpp: keeps accesses that LLVM knows to be out of bounds until they are checked.
//
// An access at a constant offset outside its variable is undefined behaviour, so LLVM may fold or delete it, in many
// passes. Three measures keep it. Its address is hidden in a call of HIDE, which LLVM cannot look through. Where SROA
// would make an offset constant and fold the access in one run, the variable's address is hidden during that run. And
// constant arrays to which the program has pointers count as written by the host: their loads would be folded even
// while a call is inlined. cs_pass_release_invalid() undoes all of it before the instrumentation. Loads that LLVM would
// add, of a variable that has ended, are prevented in the same way.
#include "pass/bridge/invalid.h"
#include "pass/bridge/version.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

#define HIDE "cusafe.hide."          // + address space: until release
#define HIDE_STORED "cusafe.stored." // during one run of SROA
#define SPACES 8                     // address spaces of NVPTX
#define KEPT "cusafe.kept" // metadata: of a variable that counts as written by the host; of the module until release

namespace {

FunctionCallee hideFunction(Module &module, StringRef name, PointerType *type) {
  LLVMContext &context = module.getContext();
  AttributeList attributes;
  for (Attribute::AttrKind kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoFree, Attribute::NoSync})
    attributes = attributes.addFnAttribute(context, kind);
  attributes = attributes.addFnAttribute(context, Attribute::getWithMemoryEffects(context, MemoryEffects::none()));
  return module.getOrInsertFunction((name + Twine(type->getAddressSpace())).str(),
                                    FunctionType::get(type, {type}, false), attributes);
}

void hide(StringRef name, Use &use, Instruction *before) {
  auto *type = cast<PointerType>(use->getType());
  IRBuilder<> builder(before);
  use.set(builder.CreateCall(hideFunction(*before->getModule(), name, type), {use.get()}));
}

template <typename Visit> void forEachHide(Module &module, StringRef name, Visit visit) {
  for (unsigned space = 0; space < SPACES; space++)
    if (Function *function = module.getFunction((name + Twine(space)).str()))
      visit(*function);
}

void show(Function &hide) {
  for (User *user : make_early_inc_range(hide.users())) {
    auto *call = cast<CallInst>(user);
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
}

// The local variable that the pointer is in at a constant offset, or null.
AllocaInst *localOf(const DataLayout &data, Value *pointer, APInt &offset) {
  offset = APInt(data.getIndexTypeSizeInBits(pointer->getType()), 0);
  return dyn_cast<AllocaInst>(pointer->stripAndAccumulateConstantOffsets(data, offset, true));
}

bool isOutsideOne(const DataLayout &data, Value *pointer, int64_t distance, uint64_t size) {
  APInt offset;
  AllocaInst *variable = localOf(data, pointer, offset);
  std::optional<TypeSize> room = variable ? variable->getAllocationSize(data) : std::nullopt;
  if (!room || room->isScalable() || size == 0)
    return false;
  int64_t start = offset.getSExtValue() + distance;
  return start < 0 || uint64_t(start) > room->getFixedValue() || size > room->getFixedValue() - uint64_t(start);
}

// Of a pointer that is selected among variables, one is enough.
bool isOutside(const DataLayout &data, Value *pointer, uint64_t size) {
  APInt offset(data.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value *base = pointer->stripAndAccumulateConstantOffsets(data, offset, true);
  auto isOne = [&](Value *one) { return isOutsideOne(data, one, offset.getSExtValue(), size); };
  if (auto *select = dyn_cast<SelectInst>(base))
    return isOne(select->getTrueValue()) || isOne(select->getFalseValue());
  if (auto *phi = dyn_cast<PHINode>(base))
    return any_of(phi->incoming_values(), isOne);
  return isOne(base);
}

void hideIfOutside(const DataLayout &data, Use &use, Instruction &access, uint64_t size) {
  if (isOutside(data, use.get(), size))
    hide(HIDE, use, &access);
}

// Whether a variable with a hidden scope may be selected, by one select or by several.
bool mayHaveEnded(const Value *pointer, unsigned depth) { // NOLINT(misc-no-recursion): at most MAX_SELECTS deep
  enum { MAX_SELECTS = 6 };
  pointer = getUnderlyingObject(pointer);
  if (auto *select = dyn_cast<SelectInst>(pointer))
    return depth < MAX_SELECTS &&
           (mayHaveEnded(select->getTrueValue(), depth + 1) || mayHaveEnded(select->getFalseValue(), depth + 1));
  auto *call = dyn_cast<CallInst>(pointer);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == CS_PASS_SCOPE_BEGIN_NAME;
}

// LLVM loads from both operands of a select if that was safe where they were selected, also where the scope of one has
// ended since.
void hideIfSelected(LoadInst &load) {
  if (isa<SelectInst>(getUnderlyingObject(load.getPointerOperand())) && mayHaveEnded(load.getPointerOperand(), 0))
    hide(HIDE, load.getOperandUse(0), &load);
}

void hideInvalidAccess(const DataLayout &data, Instruction &access) {
  auto size = [&](Type *type) { return data.getTypeStoreSize(type).getFixedValue(); };
  if (auto *load = dyn_cast<LoadInst>(&access)) {
    hideIfOutside(data, load->getOperandUse(0), access, size(load->getType()));
    hideIfSelected(*load);
  } else if (auto *store = dyn_cast<StoreInst>(&access)) {
    hideIfOutside(data, store->getOperandUse(1), access, size(store->getValueOperand()->getType()));
  } else if (auto *update = dyn_cast<AtomicRMWInst>(&access)) {
    hideIfOutside(data, update->getOperandUse(0), access, size(update->getType()));
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access)) {
    hideIfOutside(data, exchange->getOperandUse(0), access, size(exchange->getNewValOperand()->getType()));
  } else if (auto *fill = dyn_cast<MemIntrinsic>(&access)) {
    auto *length = dyn_cast<ConstantInt>(fill->getLength());
    if (!length)
      return;
    hideIfOutside(data, fill->getRawDestUse(), access, length->getZExtValue());
    if (auto *copy = dyn_cast<MemTransferInst>(fill))
      hideIfOutside(data, copy->getRawSourceUse(), access, length->getZExtValue());
  }
}

// Finds out whether the program has pointers to a variable: uses that do more than reach it inside its bounds, or with
// clang's check of the index. A local variable that starts as a copy of it counts as the variable.
class PointerSearch {
  SmallPtrSet<Value *, 8> seen; // copies can form circles

  bool isPlain(Use &use) { // NOLINT(misc-no-recursion): each value once
    User *user = use.getUser();
    if (isa<GEPOperator>(user) || isa<AddrSpaceCastOperator>(user))
      return !hasPointers(user);
    if (auto *copy = dyn_cast<MemTransferInst>(user))
      return &use != &copy->getRawSourceUse() || !hasPointers(copy->getDest());
    if (auto *store = dyn_cast<StoreInst>(user))
      return use.getOperandNo() == store->getPointerOperandIndex();
    return isa<LoadInst>(user) || isa<MemIntrinsic>(user) || isa<LifetimeIntrinsic>(user);
  }

public:
  bool hasPointers(Value *value) { // NOLINT(misc-no-recursion): each value once
    return seen.insert(value).second && any_of(value->uses(), [&](Use &use) { return !isPlain(use); });
  }
};

// LLVM makes a variable of this module that nothing writes a constant.
bool isFoldable(const GlobalVariable &variable) {
  return variable.hasDefinitiveInitializer() && (variable.isConstant() || variable.hasLocalLinkage()) &&
         variable.getValueType()->isArrayTy() && !variable.hasSection();
}

} // namespace

void cs_pass_keep_constants(LLVMModuleRef m) {
  Module &module = *unwrap(m);
  module.getOrInsertNamedMetadata(KEPT);
  for (GlobalVariable &variable : module.globals())
    if (isFoldable(variable) && PointerSearch().hasPointers(&variable)) {
      variable.setExternallyInitialized(true);
      variable.setMetadata(KEPT, MDNode::get(module.getContext(), {}));
    }
}

void cs_pass_hide_invalid(LLVMValueRef f) {
  Function &function = *unwrap<Function>(f);
  const DataLayout &data = function.getDataLayout();
  if (!function.getParent()->getNamedMetadata(KEPT))
    return;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    hideInvalidAccess(data, instruction);
}

void cs_pass_hide_stored(LLVMValueRef f) {
  Function &function = *unwrap<Function>(f);
  const DataLayout &data = function.getDataLayout();
  APInt offset;
  if (!function.getParent()->getNamedMetadata(KEPT))
    return;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (store && store->getValueOperand()->getType()->isPointerTy() &&
        localOf(data, store->getValueOperand(), offset) && localOf(data, store->getPointerOperand(), offset))
      hide(HIDE_STORED, store->getOperandUse(0), store);
  }
}

void cs_pass_show_stored(LLVMValueRef f) {
  forEachHide(*unwrap<Function>(f)->getParent(), HIDE_STORED, show); // calls are in one function at a time
}

void cs_pass_release_invalid(LLVMModuleRef m) {
  Module &module = *unwrap(m);
  for (StringRef name : {HIDE, HIDE_STORED})
    forEachHide(module, name, [](Function &hide) {
      show(hide);
      hide.eraseFromParent();
    });
  for (GlobalVariable &variable : module.globals())
    if (variable.getMetadata(KEPT)) {
      variable.setExternallyInitialized(false);
      variable.setMetadata(KEPT, nullptr);
    }
  if (NamedMDNode *kept = module.getNamedMetadata(KEPT))
    kept->eraseFromParent();
}

// The bytes of a bool may be neither 0 nor 1, a count of zeros may be that of 0, and what the program assumes may be
// wrong.
void cs_pass_forget_promises(LLVMModuleRef m) {
  for (Function &function : *unwrap(m)) {
    if (function.hasFnAttribute(CS_PASS_BARE_ATTRIBUTE))
      continue;
    for (Instruction &i : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&i);
      Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
      if (isa<LoadInst>(i))
        i.setMetadata(LLVMContext::MD_range, nullptr);
      else if (id == Intrinsic::cttz || id == Intrinsic::ctlz)
        call->setArgOperand(1, ConstantInt::getFalse(i.getContext()));
      else if (id == Intrinsic::assume)
        i.eraseFromParent();
    }
  }
}
