// bridge.cpp: the plugin's entry, its place in the pipeline, and the analyses behind bridge.h.
#include "pass/bridge.h"
#include "pass/analyses.h"
#include "pass/ignore.h"
#include "pass/lines.h"
#include "pass/scopes.h"
#include "pass/wrappers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"
#include <map>
#include <memory>

using namespace llvm;

static cl::opt<std::string> RuntimeFile("cusafe-runtime", cl::desc("CuSafe: bitcode file of the device runtime"));
static cl::opt<std::string> MetadataPlace("cusafe-metadata", cl::init("table"),
                                          cl::desc("CuSafe: where a buffer's metadata word lies, table or window"));
static cl::opt<std::string> Eliminate("cusafe-eliminate", cl::init("all"),
                                      cl::desc("CuSafe: which needless checks to leave away: all, none, or a list"));
static cl::opt<std::string> Ignorelist("cusafe-ignorelist",
                                       cl::desc("CuSafe: a file with the functions and files to leave unchecked"));
static cl::bits<cs_pass_skip> Skips("cusafe-skip", cl::CommaSeparated, cl::desc("CuSafe: what to leave unchecked"),
                                    cl::values(
#define CS_SKIP(id, name) clEnumValN(CS_PASS_SKIP_##id, name, ""),
#include "cusafe/skips.inc"
                                        clEnumValN(CS_PASS_SKIP_COUNT, "nothing", "")));
static cl::opt<std::string>
    Toolkit("cusafe-toolkit",
            cl::desc("CuSafe: the folder of the CUDA toolkit, whose headers are not the user's code"));
static cl::opt<std::string>
    Registers("cusafe-registers", cl::desc("CuSafe: file with the registers that each kernel takes without checks"));
static cl::opt<bool> Bare("cusafe-bare", cl::desc("CuSafe: no checks, nor what clang has made for them"));
static cl::opt<bool> Count("cusafe-count", cl::desc("CuSafe: count the checks that are executed"));
static cl::opt<bool> Unknown("cusafe-unknown", cl::desc("CuSafe: name each access that nothing bounds"));
static cl::opt<bool> Statistics("cusafe-statistics", cl::desc("CuSafe: say how many checks each function has"));

extern "C" int cs_pass_dominates(const cs_pass_analyses *analyses, LLVMValueRef value, LLVMValueRef instruction) {
  auto *definition = dyn_cast<Instruction>(unwrap(value));
  return !definition || analyses->dominators.dominates(definition, unwrap<Instruction>(instruction));
}

extern "C" LLVMBasicBlockRef cs_pass_common_dominator(const cs_pass_analyses *analyses, LLVMBasicBlockRef a,
                                                      LLVMBasicBlockRef b) {
  if (!analyses->dominators.isReachableFromEntry(unwrap(a)))
    return b;
  if (!analyses->dominators.isReachableFromEntry(unwrap(b)))
    return a;
  return wrap(analyses->dominators.findNearestCommonDominator(unwrap(a), unwrap(b)));
}

extern "C" LLVMBasicBlockRef cs_pass_hoist_block(const cs_pass_analyses *analyses, LLVMBasicBlockRef block,
                                                 LLVMValueRef value) {
  BasicBlock *best = nullptr;
  for (Loop *loop = analyses->loops.getLoopFor(unwrap(block)); loop; loop = loop->getParentLoop()) {
    if (!loop->isLoopInvariant(unwrap(value)) || !loop->getLoopPreheader())
      break;
    best = loop->getLoopPreheader();
  }
  return wrap(best);
}

extern "C" int cs_pass_constant_offset(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base,
                                       long long *offset) {
  const DataLayout &data = *unwrap(layout);
  Value *value = unwrap(pointer);
  APInt sum(data.getIndexTypeSizeInBits(value->getType()), 0);
  if (value->stripAndAccumulateConstantOffsets(data, sum, true) != unwrap(base))
    return 0;
  *offset = sum.getSExtValue();
  return 1;
}

static bool add_step(const DataLayout &data, GEPOperator *gep, Value *&index, APInt &scale, APInt &offset) {
  SmallMapVector<Value *, APInt, 4> steps;
  if (!gep->collectOffset(data, offset.getBitWidth(), steps, offset))
    return false;
  for (auto &step : steps) {
    if (index)
      return false;
    index = step.first, scale = step.second;
  }
  return true;
}

extern "C" void cs_pass_set_unseen(LLVMValueRef function) {
  auto *f = unwrap<Function>(function);
  f->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  f->setDoesNotThrow();
  f->addFnAttr(Attribute::WillReturn);
  f->addFnAttr(Attribute::NoCallback);
}

extern "C" int cs_pass_index_of(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base,
                                cs_pass_index *found) {
  const DataLayout &data = *unwrap(layout);
  APInt offset(64, 0), scale(64, 0);
  Value *index = nullptr, *at = unwrap(pointer);
  for (; at != unwrap(base); at = cast<Operator>(at)->getOperand(0)) {
    if (data.getIndexTypeSizeInBits(at->getType()) != 64)
      return 0;
    if (auto *gep = dyn_cast<GEPOperator>(at)) {
      if (!add_step(data, gep, index, scale, offset))
        return 0;
    } else if (!isa<AddrSpaceCastOperator, BitCastOperator, FreezeInst>(at)) {
      return 0;
    }
  }
  bool is_unsigned = index && isa<ZExtInst>(index);
  if (index && isa<SExtInst, ZExtInst>(index))
    index = cast<CastInst>(index)->getOperand(0);
  if (!index || !index->getType()->isIntegerTy(32) || !scale.isPowerOf2() || offset.getSignificantBits() > 40)
    return 0;
  *found = {wrap(index), scale.logBase2(), offset.getSExtValue(), is_unsigned};
  return 1;
}

extern "C" int cs_pass_steps_by(LLVMTargetDataRef layout, LLVMValueRef gep, unsigned align) {
  const DataLayout &data = *unwrap(layout);
  auto *op = cast<GEPOperator>(unwrap(gep));
  SmallMapVector<Value *, APInt, 4> steps;
  APInt constant(data.getIndexTypeSizeInBits(op->getType()), 0);
  if (!op->collectOffset(data, constant.getBitWidth(), steps, constant) || constant.urem(align) != 0)
    return 0;
  for (auto &step : steps)
    if (step.second.urem(align) != 0)
      return 0;
  return 1;
}

extern "C" void cs_pass_expand_constants(LLVMValueRef global) {
  convertUsersOfConstantsToInstructions({unwrap<Constant>(global)});
}

extern "C" void cs_pass_demangle(const char *name, char *to, size_t room) {
  snprintf(to, room, "%s", demangle(name).c_str());
}

extern "C" const char *cs_pass_scope_function(LLVMMetadataRef scope, size_t *length) {
  StringRef name;
  if (auto *local = dyn_cast_or_null<DILocalScope>(unwrap(scope)))
    if (DISubprogram *program = local->getSubprogram())
      name = program->getLinkageName().empty() ? program->getName() : program->getLinkageName();
  *length = name.size();
  return name.empty() ? "" : name.data();
}

extern "C" LLVMMetadataRef cs_pass_scope_program(LLVMMetadataRef scope) {
  auto *local = dyn_cast_or_null<DILocalScope>(unwrap(scope));
  return wrap(local ? local->getSubprogram() : nullptr);
}

namespace {

struct Analyses {
  FunctionAnalysisManager &manager;
  std::map<Function *, std::unique_ptr<cs_pass_analyses>> cache;

  static const cs_pass_analyses *get(void *self, LLVMValueRef function, int anew) {
    auto *that = static_cast<Analyses *>(self);
    auto *f = unwrap<Function>(function);
    auto &slot = that->cache[f];
    if (anew) {
      that->manager.invalidate(*f, PreservedAnalyses::none());
      slot.reset();
    }
    if (!slot)
      slot.reset(new cs_pass_analyses{that->manager.getResult<DominatorTreeAnalysis>(*f),
                                      that->manager.getResult<LoopAnalysis>(*f),
                                      that->manager.getResult<ScalarEvolutionAnalysis>(*f)});
    return slot.get();
  }
};

// Integers made of variables' addresses are often constants; the pass rewrites instructions.
void expandNumbers(Module &module) {
  SmallVector<Constant *, 16> numbers, todo;
  for (GlobalVariable &variable : module.globals())
    todo.push_back(&variable);
  while (!todo.empty())
    for (User *user : todo.pop_back_val()->users())
      if (auto *expression = dyn_cast<ConstantExpr>(user))
        (expression->getOpcode() == Instruction::PtrToInt ? numbers : todo).push_back(expression);
  convertUsersOfConstantsToInstructions(numbers, nullptr, false, true);
}

struct CuSafePass : PassInfoMixin<CuSafePass> {
  static bool isRequired() { return true; } // -O0 code is optnone, and is checked like any other

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager) {
    if (!module.getTargetTriple().isNVPTX() || Bare)
      return PreservedAnalyses::all(); // the host side of the same compilation
    Analyses analyses{manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager(), {}};
    expandNumbers(module);
    cs_pass_options options{RuntimeFile.c_str(),   MetadataPlace.c_str(), Eliminate.c_str(),
                            Ignorelist.c_str(),    Skips.getBits(),       Statistics,
                            Statistics || Unknown, Toolkit.c_str(),       Registers.c_str()};
    if (cs_pass_instrument_module(wrap(&module), &options, Analyses::get, &analyses) != 0)
      exit(1);
    if (verifyModule(module, &errs()))
      report_fatal_error("cusafe: the instrumented module is not valid IR; this is a bug in CuSafe", false);
    return PreservedAnalyses::none();
  }
};

// What must be done while the code is still as clang wrote it.
struct BeginPass : PassInfoMixin<BeginPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager) {
    if (!module.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    cs_pass_allow_undefined(wrap(&module));
    if (Bare) {
      cs_pass_forget_fields(wrap(&module));
      cs_pass_build_shared_tables(wrap(&module));
      return PreservedAnalyses::none();
    }
    Analyses analyses{manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager(), {}};
    cs_pass_remember_lines(wrap(&module));
    cs_pass_note_unchecked_functions(wrap(&module));
    cs_pass_forget_arithmetic(wrap(&module));
    cs_pass_note_arrays(wrap(&module));
    cs_pass_hide_heap(wrap(&module));
    cs_pass_build_shared_tables(wrap(&module));
    if (Skips.isSet(CS_PASS_SKIP_SCOPES))
      cs_pass_drop_scopes(wrap(&module));
    cs_pass_keep_scopes(wrap(&module), Analyses::get, &analyses);
    return PreservedAnalyses::none();
  }
};

// Between inlining and the passes that move code.
struct ChainsPass : PassInfoMixin<ChainsPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    if (function.getParent()->getTargetTriple().isNVPTX() && !Bare)
      cs_pass_remember_chains(wrap(&function));
    return PreservedAnalyses::all(); // metadata only
  }
};

struct MarkWrappersPass : PassInfoMixin<MarkWrappersPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (module.getTargetTriple().isNVPTX())
      cs_pass_mark_wrappers(wrap(&module), Toolkit.c_str());
    return PreservedAnalyses::none();
  }
};

// The optimiser turns a switch over addresses into a table.
struct BuildTablesPass : PassInfoMixin<BuildTablesPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (module.getTargetTriple().isNVPTX())
      cs_pass_build_shared_tables(wrap(&module));
    return PreservedAnalyses::none();
  }
};

struct CountPass : PassInfoMixin<CountPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (module.getTargetTriple().isNVPTX())
      cs_pass_count_accesses(wrap(&module));
    if (module.getTargetTriple().isNVPTX() && Count)
      cs_pass_count_checks(wrap(&module));
    return PreservedAnalyses::none();
  }
};

// Before: as few and as wide accesses as the back end would make itself, and loops with preheaders.
// After: the runtime's functions become plain code at every level; the rest only where the user wants optimisation.
void addPasses(ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
  bool optimise = level != OptimizationLevel::O0;
  passes.addPass(BuildTablesPass());
  if (Bare)
    return;
  if (optimise) {
    FunctionPassManager before;
    before.addPass(InferAddressSpacesPass());
    before.addPass(LoadStoreVectorizerPass());
    before.addPass(LoopSimplifyPass());
    before.addPass(LCSSAPass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(before)));
  } else {
    passes.addPass(MarkWrappersPass());
    passes.addPass(AlwaysInlinerPass(false));
    passes.addPass(GlobalDCEPass()); // of what was inlined everywhere, nothing is to be checked
    FunctionPassManager opened;      // the kernels of headers: all others are optnone
    opened.addPass(SROAPass(SROAOptions::ModifyCFG));
    opened.addPass(EarlyCSEPass(true));
    opened.addPass(InstCombinePass());
    opened.addPass(SimplifyCFGPass());
    opened.addPass(SROAPass(SROAOptions::ModifyCFG));
    opened.addPass(InferAddressSpacesPass());
    opened.addPass(LoopSimplifyPass());
    opened.addPass(LCSSAPass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(opened)));
  }
  passes.addPass(CuSafePass());
  passes.addPass(AlwaysInlinerPass(false));
  if (optimise) {
    FunctionPassManager after;
    after.addPass(EarlyCSEPass(true));
    after.addPass(InstCombinePass());
    after.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), true));
    after.addPass(EarlyCSEPass(true));
    after.addPass(SimplifyCFGPass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(after)));
  }
  passes.addPass(GlobalDCEPass());
  passes.addPass(CountPass());
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cusafe", "0.1", [](PassBuilder &builder) {
            builder.registerPipelineStartEPCallback(
                [](ModulePassManager &passes, OptimizationLevel) { passes.addPass(BeginPass()); });
            auto chains = [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(ChainsPass()); };
            builder.registerPeepholeEPCallback(chains);
            builder.registerScalarOptimizerLateEPCallback(chains);
            builder.registerOptimizerLastEPCallback(addPasses);
            builder.registerPipelineParsingCallback(
                [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
                  if (name != "cusafe")
                    return false;
                  passes.addPass(CuSafePass());
                  return true;
                });
          }};
}
