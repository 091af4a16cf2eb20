/* waits.cpp: loops in which a thread waits for others, and only that. */
#include "cusafe/ir.h"
#include "retarget/bridge/bridge.h"

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/* The name of the function that a direct call calls; empty for all other values. */
static StringRef callee_name(const Value &value) {
  auto *call = dyn_cast<CallInst>(&value);
  return call && call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
}

namespace {
/* What ends a cycle. */
class Ends {
  const Cycle &cycle;
  SmallPtrSet<const PHINode *, 8> within; /* these phis */

  bool are_operands_awaited(const Instruction &I) {
    return all_of(I.operands(), [&](const Use &use) { return is_awaited(use.get()); });
  }
  bool is_phi_awaited(const PHINode &phi) {
    if (!within.insert(&phi).second)
      return false;
    bool awaited = are_operands_awaited(phi);
    within.erase(&phi);
    return awaited;
  }
  bool is_known(const Instruction &I) const {
    auto *call = dyn_cast<CallInst>(&I);
    bool is_load = isa<LoadInst>(I) && !I.hasMetadata(LLVMContext::MD_invariant_load);
    return !is_load && !I.isAtomic() && !isa<AllocaInst>(I) && (!call || call->doesNotAccessMemory()) &&
           !I.mayWriteToMemory();
  }

public:
  explicit Ends(const Cycle &cycle) : cycle(cycle) {}
  /* Whether the value changes only if what __cr_awaited was called with does. */
  bool is_awaited(const Value *value) {
    auto *I = dyn_cast<Instruction>(value);
    if (!I || !cycle.contains(I->getParent()))
      return true;
    if (callee_name(*value) == "__cr_awaited")
      return true;
    if (auto *phi = dyn_cast<PHINode>(I))
      return is_phi_awaited(*phi);
    return is_known(*I) && are_operands_awaited(*I);
  }
};
} // namespace

/* Whether the value depends on such an instruction of the cycle, through the cycle's instructions. */
static bool depends_on(const Value *value, const Cycle &cycle, function_ref<bool(const Instruction &)> is_such) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> todo = {value};
  while (!todo.empty()) {
    auto *I = dyn_cast<Instruction>(todo.pop_back_val());
    if (!I || !cycle.contains(I->getParent()) || !seen.insert(I).second)
      continue;
    if (is_such(*I))
      return true;
    for (const Use &use : I->operands())
      todo.push_back(use.get());
  }
  return false;
}

/* The value of a phi, other than that of one latch, depends on the branches before it. */
static bool has_join(const Value *value, const Cycle &cycle) {
  return depends_on(value, cycle, [&](const Instruction &I) {
    auto *phi = dyn_cast<PHINode>(&I);
    return phi && (phi->getParent() != cycle.getHeader() || phi->getNumIncomingValues() > 2);
  });
}

/* Whether the value is another one in each iteration, as far as operands show: which object is tested, for example. */
static bool varies(const Value *value, const Cycle &cycle) {
  return depends_on(value, cycle,
                    [&](const Instruction &I) { return isa<PHINode>(I) && I.getParent() == cycle.getHeader(); });
}

/* Of a variable on the stack, also where checks have given its address bounds, or may have replaced it. */
static bool is_own_memory(const Value *address, int depth = 8) {
  const Value *object = getUnderlyingObject(address, 0);
  StringRef name = callee_name(*object);
  if (auto *phi = dyn_cast<PHINode>(object); phi && depth)
    return all_of(phi->incoming_values(), [&](const Use &use) { return is_own_memory(use.get(), depth - 1); });
  if (depth && (name == CS_IR_CLOSE_LOCAL || name == CS_IR_FAIL))
    return is_own_memory(cast<CallInst>(object)->getArgOperand(0), depth - 1);
  return isa<AllocaInst>(object);
}

/* Whether a thread that repeats it does something that another one may wait for. */
static bool acts(const Instruction &I, const Cycle &cycle) {
  if (auto *store = dyn_cast<StoreInst>(&I))
    return !is_own_memory(store->getPointerOperand());
  auto *call = dyn_cast<CallInst>(&I);
  if (!call)
    return I.mayWriteToMemory() && !isa<LoadInst>(I);
  StringRef name = callee_name(I);
  if (name == "__cr_awaited")
    return varies(call->getArgOperand(0), cycle);
  bool only_waits = name == "__cr_yield" || name == "__cr_moves" || name == "__cr_waits_at" ||
                    name == "__cr_named_settle" || name.starts_with("__cr_mbarriers_") || name.contains("clock_read") ||
                    name.starts_with(CS_IR_RUNTIME_PREFIX);
  return !only_waits && !call->getIntrinsicID() && call->mayWriteToMemory();
}

int cs_rt_bridge_only_waits(LLVMValueRef yield) {
  auto *call = unwrap<Instruction>(yield);
  CycleInfo cycles;
  cycles.compute(*call->getFunction());
  const Cycle *cycle = cycles.getCycle(call->getParent());
  if (!cycle || !cycle->isReducible())
    return 0;
  Ends ends(*cycle);
  bool joins = false;
  SmallVector<BasicBlock *, 8> exiting;
  for (BasicBlock *B : cycle->blocks())
    if (any_of(*B, [&](const Instruction &I) { return acts(I, *cycle); }))
      return 0;
  for (BasicBlock *B : cycle->blocks())
    if (any_of(successors(B), [&](BasicBlock *next) { return !cycle->contains(next); })) {
      exiting.push_back(B);
      joins |= any_of(B->getTerminator()->operands(), [&](const Use &use) { return has_join(use.get(), *cycle); });
    }
  for (BasicBlock *B : joins ? SmallVector<BasicBlock *, 8>(cycle->blocks()) : exiting)
    if (!all_of(B->getTerminator()->operands(),
                [&](const Use &use) { return isa<BasicBlock>(use.get()) || ends.is_awaited(use.get()); }))
      return 0;
  return 1;
}

/* The address from which the instruction loads what another thread may store; NULL if it does not. An atomic operation
 * that leaves the value as it is counts as a load. */
static const Value *polled(const Instruction &I) {
  const Value *address = nullptr;
  if (auto *load = dyn_cast<LoadInst>(&I); load && (load->isVolatile() || load->isAtomic()))
    address = load->getPointerOperand();
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&I))
    if (auto *C = dyn_cast<ConstantInt>(rmw->getValOperand());
        C && C->isZero() &&
        is_contained({AtomicRMWInst::Add, AtomicRMWInst::Or, AtomicRMWInst::Xor}, rmw->getOperation()))
      address = rmw->getPointerOperand();
  return address && !is_own_memory(address) ? address : nullptr;
}

int cs_rt_bridge_may_poll(LLVMValueRef instruction) {
  return polled(*unwrap<Instruction>(instruction)) != nullptr;
}

/* Whether the cycle's code is checked for uninitialised memory: plain stores may then be those of the shadow. */
static bool has_shadow(const Cycle &cycle) {
  return any_of(cycle.blocks(), [](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) { return callee_name(I) == CS_IR_INIT; });
  });
}

/* Whether a thread that repeats it does more than load the value. Before the detectors' code is inlined, it is not what
 * the thread does. */
static bool does_more(const Instruction &I, const Cycle &cycle, bool is_shadowed) {
  auto *store = dyn_cast<StoreInst>(&I);
  bool is_of_shadow = is_shadowed && store && store->isSimple();
  return !is_of_shadow && !polled(I) && !isa<FenceInst>(I) && callee_name(I) != "__cr_fence" && acts(I, cycle);
}

/* The address that all ends of the cycle depend on, some perhaps through the thread's variables; NULL if they do not,
 * or if the cycle does more. */
static const Value *address_of_wait(const Cycle &cycle) {
  const Value *address = nullptr;
  bool is_shadowed = has_shadow(cycle);
  for (BasicBlock *B : cycle.blocks()) {
    if (any_of(*B, [&](const Instruction &I) { return does_more(I, cycle, is_shadowed); }))
      return nullptr;
    for (const Instruction &I : *B)
      address = polled(I) ? polled(I) : address;
    if (all_of(successors(B), [&](BasicBlock *next) { return cycle.contains(next); }))
      continue;
    bool waits = any_of(B->getTerminator()->operands(), [&](const Use &use) {
      return !isa<BasicBlock>(use.get()) && depends_on(use.get(), cycle, [&](const Instruction &I) {
        auto *load = dyn_cast<LoadInst>(&I);
        return polled(I) || (load && is_own_memory(load->getPointerOperand()));
      });
    });
    if (!waits)
      return nullptr;
  }
  return address;
}

/* A loop that waits for an mbarrier has its own mark. */
static bool has_mark(const Cycle &cycle, const Function &mark) {
  auto is_called = [&](const Function *F) {
    return F && any_of(F->users(), [&](const User *U) { return cycle.contains(cast<Instruction>(U)->getParent()); });
  };
  return is_called(&mark) || is_called(mark.getParent()->getFunction("__cr_yield"));
}

static void mark_polls(const Cycle *cycle, Function &mark) {
  for (const Cycle *child : cycle->children())
    mark_polls(child, mark);
  bool is_free = cycle->isReducible() && !has_mark(*cycle, mark);
  auto *address = const_cast<Value *>(is_free ? address_of_wait(*cycle) : nullptr);
  if (!address)
    return;
  Function &F = *cycle->getHeader()->getParent();
  DominatorTree dominators(F);
  Type *generic = mark.getFunctionType()->getParamType(0);
  for (BasicBlock *latch : predecessors(cycle->getHeader())) {
    if (!cycle->contains(latch))
      continue;
    auto *at = dyn_cast<Instruction>(address);
    bool is_known = !at || dominators.dominates(at, latch->getTerminator());
    IRBuilder<> builder(latch->getTerminator());
    Value *passed = is_known ? builder.CreateAddrSpaceCast(address, generic) : Constant::getNullValue(generic);
    builder.CreateCall(&mark, passed)->setConvergent();
  }
}

void cs_rt_bridge_mark_polls(LLVMValueRef function, LLVMValueRef mark) {
  Function &F = *unwrap<Function>(function);
  if (none_of(instructions(F), [](const Instruction &I) { return polled(I) != nullptr; }))
    return;
  CycleInfo cycles;
  cycles.compute(F);
  for (const Cycle *cycle : cycles.toplevel_cycles())
    mark_polls(cycle, *unwrap<Function>(mark));
}
