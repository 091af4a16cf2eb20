/* uniform.cpp: uniformity: which barriers all threads of a block reach together, phis at which divergent threads
 * reconverge, and loops with a single entry. */
#include "retarget/bridge/bridge.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
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
