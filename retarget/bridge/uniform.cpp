/* uniform.cpp: uniformity: which barriers all threads of a block reach together, phis at which divergent threads
 * reconverge, and loops with a single entry. */
#include "cusafe/ir.h"
#include "retarget/bridge/bridge.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;

namespace {
/* Common to both forms of the code: threads diverge at branches, and a kernel's parameters are uniform. */
template <class Form> class OfThreads : public TargetTransformInfoImplCRTPBase<Form> {
  friend Form;
  explicit OfThreads(const DataLayout &layout) : TargetTransformInfoImplCRTPBase<Form>(layout) {}

public:
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *V) const override {
    bool is_argument = isa<Argument>(V) && cast<Argument>(V)->getParent()->getCallingConv() != CallingConv::PTX_Kernel;
    auto *I = dyn_cast<Instruction>(V);
    auto *call = dyn_cast<CallInst>(V);
    bool differs = is_argument || (I && (I->isAtomic() || isa<AllocaInst>(I)));
    if (call)
      return Form::of_call(*call);
    return differs || (I && Form::differs(*I)) ? InstructionUniformity::NeverUniform : InstructionUniformity::Default;
  }
};

/* Before intrinsics are lowered. NVPTX's own analysis is no use here: it takes every intrinsic as divergent, even
 * blockDim.x. */
class Block final : public OfThreads<Block> {
  static bool is_of_block(StringRef sreg) {
    return sreg.starts_with("ntid.") || sreg.starts_with("ctaid.") || sreg.starts_with("nctaid.") ||
           sreg.starts_with("cluster") || sreg.starts_with("nclusterid.") || sreg == "nwarpid" || sreg == "warpsize" ||
           sreg == "dynamic_smem_size";
  }

public:
  explicit Block(const DataLayout &layout) : OfThreads(layout) {}
  static InstructionUniformity of_call(const CallInst &call) {
    const Function *callee = call.getCalledFunction();
    if (!callee || !callee->isIntrinsic())
      return InstructionUniformity::NeverUniform;
    StringRef name = callee->getName();
    if (name.starts_with("llvm.nvvm.barrier.cta.red."))
      return InstructionUniformity::AlwaysUniform;
    if (name.consume_front("llvm.nvvm.read.ptx.sreg."))
      return is_of_block(name) ? InstructionUniformity::AlwaysUniform : InstructionUniformity::NeverUniform;
    bool is_function = call.doesNotAccessMemory() && !call.isConvergent();
    return is_function ? InstructionUniformity::Default : InstructionUniformity::NeverUniform;
  }
  static bool differs(const Instruction &I) {
    auto *load = dyn_cast<LoadInst>(&I);
    unsigned space = load ? load->getPointerAddressSpace() : 0; /* a generic address may be on the stack */
    return load && (!load->isUnordered() || load->isVolatile() || (space != 1 && space != 3 && space != 4));
  }
};

/* After intrinsics have become calls of the engine: what the engine takes as uniform. */
class Engine final : public OfThreads<Engine> {
public:
  explicit Engine(const DataLayout &layout) : OfThreads(layout) {}
  static InstructionUniformity of_call(const CallInst &call) {
    const Function *callee = call.getCalledFunction();
    StringRef name = callee ? callee->getName() : "";
    bool of_group = name.starts_with("_Z12get_group_id") || (callee && callee->isIntrinsic());
    return of_group ? InstructionUniformity::Default : InstructionUniformity::NeverUniform;
  }
  static bool differs(const Instruction &I) { return I.isVolatile(); }
};

/* Analyses of a function with the target's notion of divergence. */
template <class Target> struct Analyses {
  FunctionAnalysisManager manager;
  PassBuilder passes;
  Analyses() {
    manager.registerPass([] {
      return TargetIRAnalysis([](const Function &of) {
        return TargetTransformInfo(std::make_unique<Target>(of.getParent()->getDataLayout()));
      });
    });
    passes.registerFunctionAnalyses(manager);
  }
};
} // namespace

/* The basic blocks that threads may execute after diverging at the end of this one, until they reconverge. */
static SmallPtrSet<BasicBlock *, 16> before_reconvergence(BasicBlock &B, PostDominatorTree &post) {
  DomTreeNode *node = post.getNode(&B), *up = node ? node->getIDom() : nullptr;
  BasicBlock *join = up ? up->getBlock() : nullptr;
  SmallPtrSet<BasicBlock *, 16> apart;
  SmallVector<BasicBlock *, 16> todo(successors(&B));
  while (!todo.empty()) {
    BasicBlock *at = todo.pop_back_val();
    if (at != join && apart.insert(at).second)
      todo.append(succ_begin(at), succ_end(at));
  }
  return apart;
}

int cs_rt_bridge_divergent(LLVMValueRef function, LLVMValueRef *barriers, unsigned count) {
  Function &F = *unwrap<Function>(function);
  Analyses<Block> analyses;
  auto &uniformity = analyses.manager.getResult<UniformityInfoAnalysis>(F);
  auto &post = analyses.manager.getResult<PostDominatorTreeAnalysis>(F);
  for (BasicBlock &B : F) {
    if (succ_size(&B) < 2 || !uniformity.hasDivergentTerminator(B))
      continue;
    SmallPtrSet<BasicBlock *, 16> apart = before_reconvergence(B, post);
    for (unsigned i = 0; i < count; i++)
      if (apart.count(unwrap<Instruction>(barriers[i])->getParent()))
        return 1;
  }
  return 0;
}

namespace {
/* A divergent branch, the block where its sides meet, and the barriers in between. */
struct Condition {
  BasicBlock *branch, *join;
  SmallVector<Instruction *, 4> barriers;
};
} // namespace

static SmallVector<Instruction *, 4> barriers_in(const SmallPtrSetImpl<BasicBlock *> &blocks,
                                                 ArrayRef<LLVMValueRef> barriers) {
  SmallVector<Instruction *, 4> found;
  for (LLVMValueRef barrier : barriers)
    if (blocks.count(unwrap<Instruction>(barrier)->getParent()))
      found.push_back(unwrap<Instruction>(barrier));
  return found;
}

static bool reaches_barrier(BasicBlock *from, ArrayRef<LLVMValueRef> barriers) {
  SmallPtrSet<BasicBlock *, 16> seen;
  SmallVector<BasicBlock *, 16> todo = {from};
  while (!todo.empty()) {
    BasicBlock *at = todo.pop_back_val();
    if (seen.insert(at).second)
      todo.append(succ_begin(at), succ_end(at));
  }
  return !barriers_in(seen, barriers).empty();
}

static SmallVector<Condition, 8> conditions_over(Function &F, ArrayRef<LLVMValueRef> barriers) {
  Analyses<Block> analyses;
  auto &uniformity = analyses.manager.getResult<UniformityInfoAnalysis>(F);
  auto &post = analyses.manager.getResult<PostDominatorTreeAnalysis>(F);
  SmallVector<Condition, 8> found;
  for (BasicBlock &B : F) {
    DomTreeNode *node = post.getNode(&B), *up = node ? node->getIDom() : nullptr;
    BasicBlock *join = up ? up->getBlock() : nullptr;
    if (!join || succ_size(&B) < 2 || !uniformity.hasDivergentTerminator(B))
      continue;
    auto under = barriers_in(before_reconvergence(B, post), barriers);
    if (!under.empty() && reaches_barrier(join, barriers))
      found.push_back({&B, join, under});
  }
  return found;
}

namespace {
/* Counts the conditions that a thread passes without their barriers. One that contains others counts once, however
 * many of these the thread has passed, and in how many iterations: at the join the count is one more than at the
 * branch. */
class SkippedCounter {
  Function &F;
  Value *skipped;
  MapVector<BasicBlock *, SmallVector<Value *, 4>> slots; /* by join: the conditions' counts, see open() */

  static ConstantInt *none(IRBuilder<> &at) { return at.getInt32(~0u); }
  /* The count when the thread came to the branch, until it comes to a barrier or to the join. */
  static void open(IRBuilder<> &at, Value *slot, Value *skipped) {
    Value *is_open = at.CreateICmpNE(at.CreateLoad(at.getInt32Ty(), slot), none(at));
    Value *count =
        at.CreateSelect(is_open, at.CreateLoad(at.getInt32Ty(), slot), at.CreateLoad(at.getInt32Ty(), skipped));
    at.CreateStore(count, slot);
  }

public:
  SkippedCounter(Function &F, Value *skipped) : F(F), skipped(skipped) {}
  void add(const Condition &c) {
    IRBuilder<> at(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
    Value *slot = at.CreateAlloca(at.getInt32Ty());
    at.CreateStore(none(at), slot);
    at.SetInsertPoint(c.branch->getTerminator());
    open(at, slot, skipped);
    for (Instruction *barrier : c.barriers) {
      at.SetInsertPoint(barrier);
      at.CreateStore(none(at), slot);
    }
    slots[c.join].push_back(slot);
  }
  /* Of the conditions that end at a join, the outermost one was opened with the least count. */
  void close() {
    for (auto &[join, of_join] : slots) {
      IRBuilder<> at(join, join->getFirstInsertionPt());
      Value *least = none(at);
      for (Value *slot : of_join) {
        Value *count = at.CreateLoad(at.getInt32Ty(), slot);
        least = at.CreateSelect(at.CreateICmpULT(count, least), count, least);
        at.CreateStore(none(at), slot);
      }
      Value *is_open = at.CreateICmpNE(least, none(at));
      Value *sum = at.CreateAdd(least, at.getInt32(1));
      at.CreateStore(at.CreateSelect(is_open, sum, at.CreateLoad(at.getInt32Ty(), skipped)), skipped);
    }
  }
};
} // namespace

void cs_rt_bridge_count_skipped(LLVMValueRef function, LLVMValueRef *barriers, unsigned count, LLVMValueRef skipped) {
  Function &F = *unwrap<Function>(function);
  SkippedCounter counter(F, unwrap(skipped));
  for (const Condition &c : conditions_over(F, ArrayRef(barriers, count)))
    counter.add(c);
  counter.close();
}

namespace {
/* The values whose operands show the engine that they differ between threads. That only the control flow makes a phi
 * divergent, in a cycle of phis for example, shows it nothing. */
class Shown {
  SmallPtrSet<const Value *, 32> shown;

public:
  explicit Shown(Function &F, const TargetTransformInfo &target) {
    for (Argument &argument : F.args())
      if (target.getInstructionUniformity(&argument) == InstructionUniformity::NeverUniform)
        add(&argument);
    for (Instruction &I : instructions(F))
      if (target.getInstructionUniformity(&I) == InstructionUniformity::NeverUniform)
        add(&I);
  }
  void add(const Value *value) {
    SmallVector<const Value *, 16> todo = {value};
    while (!todo.empty()) {
      const Value *at = todo.pop_back_val();
      if (!shown.insert(at).second)
        continue;
      for (const User *user : at->users())
        if (!(isa<PHINode>(user) && isa<CallInst>(at)))
          todo.push_back(user);
    }
  }
  /* The engine may take the result of a call as uniform. */
  bool differs(const PHINode &phi) const {
    return any_of(phi.incoming_values(),
                  [&](const Value *value) { return !isa<CallInst>(value) && shown.count(value); });
  }
};
} // namespace

static void separate(PHINode *phi, Value *always) {
  IRBuilder<> builder(phi->getIncomingBlock(0u)->getTerminator());
  Value *value = phi->getIncomingValue(0);
  phi->setIncomingValueForBlock(phi->getIncomingBlock(0u),
                                builder.CreateSelect(always, value, Constant::getNullValue(value->getType())));
}

void cs_rt_bridge_separate_joins(LLVMValueRef function) {
  Function &F = *unwrap<Function>(function);
  Analyses<Engine> analyses;
  auto &uniformity = analyses.manager.getResult<UniformityInfoAnalysis>(F);
  Shown shown(F, analyses.manager.getResult<TargetIRAnalysis>(F));
  SmallVector<PHINode *, 16> parted;
  for (BasicBlock &B : F)
    for (PHINode &phi : B.phis())
      if (uniformity.isDivergent(&phi) && !shown.differs(phi)) {
        parted.push_back(&phi);
        shown.add(&phi);
      }
  if (parted.empty())
    return;
  IRBuilder<> entry(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *zero = entry.CreateAlloca(entry.getInt8Ty());
  entry.CreateStore(entry.getInt8(0), zero);
  Value *always = entry.CreateIsNull(entry.CreateLoad(entry.getInt8Ty(), zero, true));
  for (PHINode *phi : parted)
    separate(phi, always);
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
    auto *call = dyn_cast<CallInst>(value);
    if (!I || !cycle.contains(I->getParent()))
      return true;
    if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__cr_awaited")
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
  auto *call = dyn_cast<CallInst>(object);
  StringRef name = call && call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
  if (auto *phi = dyn_cast<PHINode>(object); phi && depth)
    return all_of(phi->incoming_values(), [&](const Use &use) { return is_own_memory(use.get(), depth - 1); });
  if (depth && (name == CS_IR_CLOSE_LOCAL || name == CS_IR_FAIL))
    return is_own_memory(call->getArgOperand(0), depth - 1);
  return isa<AllocaInst>(object);
}

/* Whether a thread that repeats it does something that another one may wait for. */
static bool acts(const Instruction &I, const Cycle &cycle) {
  if (auto *store = dyn_cast<StoreInst>(&I))
    return !is_own_memory(store->getPointerOperand());
  auto *call = dyn_cast<CallInst>(&I);
  if (!call)
    return I.mayWriteToMemory() && !isa<LoadInst>(I);
  StringRef name = call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
  if (name == "__cr_awaited")
    return varies(call->getArgOperand(0), cycle);
  bool only_waits = name == "__cr_yield" || name == "__cr_moves" || name == "__cr_waits_at" ||
                    name == "__cr_named_settle" || name.contains("clock_read") ||
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

/* In code that is checked for uninitialised memory, plain stores may be those of the shadow. */
static bool has_shadow(const Cycle &cycle) {
  for (BasicBlock *B : cycle.blocks())
    for (const Instruction &I : *B)
      if (auto *call = dyn_cast<CallInst>(&I);
          call && call->getCalledFunction() && call->getCalledFunction()->getName() == CS_IR_INIT)
        return true;
  return false;
}

/* Before the detectors' code is inlined, it is not what the thread does. */
static bool acts_alone(const Instruction &I, const Cycle &cycle) {
  if (auto *store = dyn_cast<StoreInst>(&I); store && store->isSimple() && has_shadow(cycle))
    return false;
  auto *call = dyn_cast<CallInst>(&I);
  StringRef name = call && call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
  return !polled(I) && !isa<FenceInst>(I) && name != "__cr_fence" && acts(I, cycle);
}

/* The address that all ends of the cycle depend on, some perhaps through the thread's variables; NULL if they do not,
 * or if the cycle does more. */
static const Value *address_of_wait(const Cycle &cycle) {
  const Value *address = nullptr;
  for (BasicBlock *B : cycle.blocks()) {
    if (any_of(*B, [&](const Instruction &I) { return acts_alone(I, cycle); }))
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

/* A loop that waits for an mbarrier has a mark of its own. */
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

static bool has_one_entry(const Cycle *cycle) {
  return cycle->isReducible() && all_of(cycle->children(), has_one_entry);
}

void cs_rt_bridge_make_reducible(LLVMModuleRef module) {
  PassBuilder passes;
  FunctionAnalysisManager analyses;
  passes.registerFunctionAnalyses(analyses);
  for (Function &F : *unwrap(module)) {
    if (F.isDeclaration())
      continue;
    CycleInfo cycles;
    cycles.compute(F);
    if (all_of(cycles.toplevel_cycles(), has_one_entry))
      continue;
    FunctionPassManager steps;
    steps.addPass(LowerSwitchPass());
    steps.addPass(FixIrreduciblePass());
    steps.run(F, analyses);
    analyses.clear();
  }
}
