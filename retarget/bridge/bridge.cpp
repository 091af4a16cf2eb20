/* bridge.cpp: what the LLVM-C API lacks, in C++; see bridge.h for the contracts. */
#include "retarget/bridge/bridge.h"
#include "cusafe/ir.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

int cs_rt_bridge_link_needed(LLVMModuleRef module, LLVMModuleRef source) {
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

void cs_rt_bridge_internalize(LLVMModuleRef module, LLVMValueRef *keep, unsigned count) {
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

/* The alignment of the type is not enough: clang packs structures whose tail it pads itself. */
static Align by_value_align(const CallBase &call, unsigned argument, Type *type) {
  Align align = call.getModule()->getDataLayout().getABITypeAlign(type);
  MaybeAlign at_call = call.getParamAlign(argument), at_callee;
  if (const Function *callee = call.getCalledFunction())
    at_callee = callee->getParamAlign(argument);
  return std::max({align, at_call.valueOrOne(), at_callee.valueOrOne()});
}

/* byval: from here on the caller makes the copy. */
static void copy_by_value(CallBase &call) {
  const DataLayout &layout = call.getModule()->getDataLayout();
  for (unsigned i = 0; i < call.arg_size(); i++) {
    Type *type = call.getParamByValType(i);
    if (!type)
      continue;
    Align align = by_value_align(call, i, type);
    IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
    AllocaInst *copy = entry.CreateAlloca(type);
    copy->setAlignment(align);
    IRBuilder<> before(&call);
    before.CreateMemCpy(copy, align, call.getArgOperand(i), align, layout.getTypeAllocSize(type));
    call.setArgOperand(i, copy);
  }
}

void cs_rt_bridge_strip_attributes(LLVMModuleRef module) {
  LLVMContext &C = unwrap(module)->getContext();
  for (Function &F : *unwrap(module))
    for (Instruction &I : instructions(F))
      if (auto *call = dyn_cast<CallBase>(&I))
        copy_by_value(*call);
  /* Attributes that later steps read or the optimiser needs. */
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
    if (!F.isDeclaration()) { /* the memory effects of a definition are wrong once intrinsics have become calls */
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

void cs_rt_bridge_unmark_cold(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    if (!F.isDeclaration() && !F.getName().starts_with(CS_IR_RUNTIME_PREFIX))
      F.removeFnAttr(Attribute::Cold);
}

/* Whether the function of the support library calls one of the engine's for sub-groups. The library does not
 * recurse. */
static bool uses_sub_group(const Function &F) {
  if (F.isDeclaration())
    return F.getName().contains("sub_group_");
  return any_of(instructions(F), [](const Instruction &I) {
    auto *call = dyn_cast<CallInst>(&I);
    return call && call->getCalledFunction() && uses_sub_group(*call->getCalledFunction());
  });
}

void cs_rt_bridge_mark_inlining(LLVMModuleRef module, int keep_warps) {
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
    if (keep_warps && F.getName().starts_with(CS_IR_SUPPORT_PREFIX) && uses_sub_group(F)) {
      apart = true;
      F.addFnAttr(Attribute::Convergent); /* as what it calls: not to be copied into the sides of a branch */
    }
    apart |= F.getName().starts_with(CS_IR_SUPPORT_PREFIX "product_"); /* support/matrix.c: one copy for all calls */
    F.removeFnAttr(Attribute::AlwaysInline);
    F.removeFnAttr(Attribute::NoInline);
    F.addFnAttr(apart || recursive.count(&F) ? Attribute::NoInline : Attribute::AlwaysInline);
  }
}

void cs_rt_bridge_expand_constants(LLVMValueRef global) {
  convertUsersOfConstantsToInstructions({unwrap<Constant>(global)});
}

LLVMBasicBlockRef cs_rt_bridge_split_before(LLVMValueRef instruction) {
  Instruction *I = unwrap<Instruction>(instruction);
  return wrap(SplitBlock(I->getParent(), I));
}

void cs_rt_bridge_truncate(LLVMValueRef instruction) {
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

LLVMValueRef cs_rt_bridge_add_parameters(LLVMValueRef function, LLVMTypeRef *types, unsigned count) {
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

char *cs_rt_bridge_demangle(const char *name) {
  return strdup(demangle(name).c_str());
}

LLVMValueRef cs_rt_bridge_copy_function(LLVMValueRef function) {
  ValueToValueMapTy values;
  return wrap(CloneFunction(unwrap<Function>(function), values));
}

static bool calls(const Instruction &I, StringRef prefix) {
  auto *call = dyn_cast<CallInst>(&I);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() && callee->getName().starts_with(prefix);
}

/* A condition that is never true, which the engine must not see. It has to differ between lanes: when all lanes leave a
 * loop together, the engine takes its result as the same for all of them. A pointer may well be 1, but no grid is
 * empty. */
static Value *repeats(IRBuilder<> &builder, CallInst *call, AllocaInst *&never) {
  Function &F = *call->getFunction();
  if (call->getType()->isPointerTy()) {
    Value *one = builder.CreateICmpEQ(builder.CreatePtrToInt(call, builder.getInt64Ty()), builder.getInt64(1));
    Value *width = builder.CreateLoad(builder.getInt32Ty(), F.getArg(0)); /* grid[0], at offset 0 of struct cs_launch */
    return builder.CreateAnd(one, builder.CreateIsNull(width));
  }
  if (!never) {
    IRBuilder<> entry(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
    never = entry.CreateAlloca(entry.getInt8Ty());
    entry.CreateStore(entry.getInt8(0), never);
  }
  return builder.CreateIsNotNull(builder.CreateLoad(builder.getInt8Ty(), never, true));
}

/* Marks one side of a branch as unlikely. False if the block is not one side of a branch. */
static bool mark_unlikely(BasicBlock *side) {
  BasicBlock *before = side->getSinglePredecessor();
  auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional())
    return false;
  auto *known = dyn_cast<IntrinsicInst>(branch->getCondition()); /* from an earlier call in this block */
  if (known && known->getIntrinsicID() == Intrinsic::expect)
    return true;
  IRBuilder<> builder(branch);
  Value *expected[] = {branch->getCondition(), builder.getInt1(branch->getSuccessor(0) != side)};
  branch->setCondition(builder.CreateIntrinsic(Intrinsic::expect, {builder.getInt1Ty()}, expected));
  return true;
}

void cs_rt_bridge_empty(LLVMValueRef function) {
  Function &F = *unwrap<Function>(function);
  F.deleteBody();
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setComdat(nullptr);
}

void cs_rt_bridge_keep_scalar(LLVMValueRef function) {
  Function &F = *unwrap<Function>(function);
  BasicBlock *entry = &F.getEntryBlock(), *body = entry->splitBasicBlock(entry->getFirstNonPHIOrDbgOrAlloca());
  BasicBlock *one = BasicBlock::Create(F.getContext(), "", &F, body);
  BasicBlock *other = BasicBlock::Create(F.getContext(), "", &F, body);
  entry->getTerminator()->eraseFromParent();
  IRBuilder<> builder(entry);
  AllocaInst *never = builder.CreateAlloca(builder.getInt8Ty());
  builder.CreateStore(builder.getInt8(0), never);
  auto branch = [&](BasicBlock *from, BasicBlock *if_not, BasicBlock *always) {
    builder.SetInsertPoint(from);
    Value *flag = builder.CreateLoad(builder.getInt8Ty(), never, true);
    builder.CreateCondBr(builder.CreateIsNotNull(flag), if_not, always);
  };
  branch(entry, one, other);
  branch(one, other, body);
  branch(other, one, body);
}

void cs_rt_bridge_skip_cold_calls(LLVMValueRef function) {
  Function &F = *unwrap<Function>(function);
  SmallVector<CallInst *, 32> cold, always;
  for (Instruction &I : instructions(F))
    if (calls(I, CS_IR_CLOSE_VARIABLE))
      always.push_back(cast<CallInst>(&I));
    else if (calls(I, CS_IR_RUNTIME_PREFIX) && !calls(I, CS_IR_RACE))
      cold.push_back(cast<CallInst>(&I));
  for (CallInst *call : always) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
  AllocaInst *never = nullptr;
  for (CallInst *call : cold) {
    if (mark_unlikely(call->getParent()))
      continue;
    BasicBlock *loop = call->getParent()->splitBasicBlock(call);
    BasicBlock *after = loop->splitBasicBlock(call->getNextNode());
    loop->getTerminator()->eraseFromParent();
    IRBuilder<> builder(loop);
    Value *again = repeats(builder, call, never);
    builder.CreateCondBr(again, loop, after);
  }
}

static bool lives_across_blocks(Instruction &I) {
  for (User *U : I.users())
    if (cast<Instruction>(U)->getParent() != I.getParent() || isa<PHINode>(U))
      return true;
  return false;
}

void cs_rt_bridge_demote(LLVMValueRef function) {
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

static bool becomes_integer(Value *from) {
  SmallVector<Value *, 16> todo{from};
  SmallPtrSet<Value *, 16> seen;
  while (!todo.empty()) {
    Value *V = todo.pop_back_val();
    if (!seen.insert(V).second)
      continue;
    for (User *U : V->users()) {
      if (isa<PtrToIntInst>(U))
        return true;
      if (isa<GetElementPtrInst>(U) || isa<CastInst>(U) || isa<PHINode>(U) || isa<SelectInst>(U))
        todo.push_back(U);
    }
  }
  return false;
}

/* The engine's vectoriser crashes on some arithmetic with the address of a local array, which checks perform. A
 * volatile store and load hide the origin of the address from it. */
static Value *hide_origin(IRBuilder<> &B, Value *address) {
  AllocaInst *slot = B.CreateAlloca(address->getType(), 5, nullptr);
  B.CreateStore(address, slot, true);
  return B.CreateLoad(address->getType(), slot, true);
}

/* The SPIR-V back end writes an alignment as a signed byte: above 64, allocate more and round up. */
static Value *local_alloca(AllocaInst &A) {
  const uint64_t max_align = 64, align = A.getAlign().value();
  IRBuilder<> B(&A);
  if (align <= max_align) {
    AllocaInst *L = B.CreateAlloca(A.getAllocatedType(), 5, A.isArrayAllocation() ? A.getArraySize() : nullptr);
    L->setAlignment(A.getAlign());
    Value *generic = B.CreateAddrSpaceCast(L, A.getType());
    return becomes_integer(&A) ? hide_origin(B, generic) : generic;
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
  L->setAlignment(Align(max_align));
  Value *address = B.CreatePtrToInt(B.CreateAddrSpaceCast(L, A.getType()), B.getInt64Ty());
  address = B.CreateAnd(B.CreateAdd(address, B.getInt64(align - 1)), B.getInt64(~(align - 1)));
  return hide_origin(B, B.CreateIntToPtr(address, A.getType()));
}

void cs_rt_bridge_local_allocas(LLVMModuleRef module) {
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

int cs_rt_bridge_escapes(LLVMValueRef alloca) {
  return PointerMayBeCaptured(unwrap(alloca), false);
}

LLVMValueRef cs_rt_bridge_alloca_of(LLVMValueRef pointer) {
  return wrap(
      const_cast<Value *>(static_cast<const Value *>(dyn_cast<AllocaInst>(getUnderlyingObject(unwrap(pointer), 32)))));
}

void cs_rt_bridge_remove_undef(LLVMModuleRef module) {
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

void cs_rt_bridge_global_atomics(LLVMModuleRef module) {
  for (Function &F : *unwrap(module))
    for (Instruction &I : instructions(F)) {
      if (!isa<AtomicRMWInst>(I) && !isa<AtomicCmpXchgInst>(I))
        continue;
      if (I.getOperand(0)->getType()->getPointerAddressSpace() == 0)
        I.setOperand(0,
                     new AddrSpaceCastInst(I.getOperand(0), PointerType::get(F.getContext(), 1), "", I.getIterator()));
    }
}
