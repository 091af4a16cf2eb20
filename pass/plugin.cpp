// plugin.cpp: the clang plugin: its options, and where the steps of pipeline.inc run in LLVM's pipeline.
#include "cusafe/ir.h"
#include "pass/bridge/analyses.h"
#include "pass/bridge/cold.h"
#include "pass/bridge/counters.h"
#include "pass/bridge/decode.h"
#include "pass/bridge/invalid.h"
#include "pass/bridge/managed.h"
#include "pass/bridge/spaces.h"
#include "pass/bridge/unrolling.h"
#include "pass/bridge/version.h"
#include "pass/pipeline.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"
#include <map>
#include <memory>

using namespace llvm;

static cl::opt<std::string> RuntimeFile("cusafe-runtime", cl::desc("CuSafe: bitcode file of the device runtime"));
static cl::opt<std::string> Placement("cusafe-metadata", cl::init("table"),
                                      cl::desc("CuSafe: where a buffer's metadata word is: table or window"));
static cl::opt<std::string> Eliminate("cusafe-eliminate", cl::init("all"),
                                      cl::desc("CuSafe: which redundant checks to omit: all, none, or a list"));
static cl::opt<std::string> Ignorelist("cusafe-ignorelist",
                                       cl::desc("CuSafe: a file with the functions and files to leave unchecked"));
static cl::bits<cs_pass_skip> Skips("cusafe-skip", cl::CommaSeparated, cl::desc("CuSafe: what to leave unchecked"),
                                    cl::values(
#define CS_SKIP(id, name) clEnumValN(CS_PASS_SKIP_##id, name, ""),
#include "cusafe/skips.inc"
                                        clEnumValN(CS_PASS_SKIP_COUNT, "nothing", "")));
static cl::bits<cs_pass_detect> Detects("cusafe-detect", cl::CommaSeparated, cl::desc("CuSafe: what to look for"),
                                        cl::values(
#define CS_DETECT(id, name) clEnumValN(CS_PASS_DETECT_##id, name, ""),
#include "cusafe/detects.inc"
                                            clEnumValN(CS_PASS_DETECT_COUNT, "nothing", "")));
static cl::opt<std::string>
    Toolkit("cusafe-toolkit",
            cl::desc("CuSafe: the folder of the CUDA toolkit, whose headers are not the user's code"));
static cl::opt<std::string> Registers("cusafe-registers",
                                      cl::desc("CuSafe: file with the registers that each kernel uses without checks"));
static cl::opt<bool> Gpu("cusafe-gpu", cl::desc("CuSafe: the code is for GPUs"));
static cl::opt<bool> Bare("cusafe-bare", cl::desc("CuSafe: no checks, and none of clang's calls for them"));
static cl::opt<bool> Count("cusafe-count", cl::desc("CuSafe: count the checks that are executed"));
static cl::opt<bool> Sampled("cusafe-sampled", cl::desc("CuSafe: add a form without checks to kernels"));
static cl::opt<bool> Unknown("cusafe-unknown", cl::desc("CuSafe: print each access that nothing bounds"));
static cl::opt<bool> Statistics("cusafe-statistics", cl::desc("CuSafe: print how many checks each function has"));
static cl::opt<std::string> PrintAfter("cusafe-print-after", cl::desc("CuSafe: print the IR after this step"));
static cl::opt<std::string> StopAfter("cusafe-stop-after", cl::desc("CuSafe: run no step after this one"));

namespace {

int stepOf(const cl::opt<std::string> &option) {
  int step = cs_pass_step_of(option.ArgStr.str().c_str(), option.c_str());
  if (step < -1)
    exit(1);
  return step;
}

cs_pass_options optionsAt(OptimizationLevel level) {
  cs_pass_options options{};
  options.runtime = RuntimeFile.c_str();
  options.metadata = Placement.c_str();
  options.eliminate = Eliminate.c_str();
  options.ignorelist = Ignorelist.c_str();
  options.toolkit = Toolkit.c_str();
  options.registers = Registers.c_str();
  options.skips = Skips.getBits();
  options.detects = Detects.getBits();
  options.bare = Bare;
  options.optimise = level != OptimizationLevel::O0;
  options.count = Count;
  options.sampled = Sampled;
  options.statistics = Statistics;
  options.unknown = Statistics || Unknown;
  options.print_after = stepOf(PrintAfter);
  options.stop_after = stepOf(StopAfter);
  return options;
}

// The analyses of every function that a step has asked for.
struct Analyses {
  FunctionAnalysisManager &manager;
  std::map<Function *, std::unique_ptr<cs_pass_analyses>> cache;

  static const cs_pass_analyses *get(void *self, LLVMValueRef function, int again) {
    auto *that = static_cast<Analyses *>(self);
    auto *f = unwrap<Function>(function);
    auto &slot = that->cache[f];
    if (again) {
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

// bench/gpu --executed runs code for GPUs on the CPU device.
bool isForGpu(const Module &module) {
  return Gpu || module.getNamedValue(CS_IR_BLOCK_TABLE);
}

// Consecutive steps of CuSafe's own. Of the host side of the same compilation only the order of registration changes.
struct OwnSteps : PassInfoMixin<OwnSteps> {
  cs_pass_options options;
  cs_pass_step first, last;

  OwnSteps(const cs_pass_options &o, cs_pass_step f, cs_pass_step l) : options(o), first(f), last(l) {}
  static bool isRequired() { return true; } // code at -O0 is optnone, and is checked like any other

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager) {
    if (!module.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    options.gpu = isForGpu(module);
    Analyses analyses{manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager(), {}};
    if (cs_pass_run(wrap(&module), &options, Analyses::get, &analyses, first, last) != 0)
      exit(1);
    return PreservedAnalyses::none();
  }
};

// clang registers a file's kernels after the file's own static initialisers, which may launch them. nvcc registers them
// before.
struct RegisterFirst : PassInfoMixin<RegisterFirst> {
  static constexpr unsigned Priority = 65534; // before initialisers without a priority, which have 65535
  static bool isRequired() { return true; }

  static Constant *moved(Constant *entry) {
    auto *function = dyn_cast<Function>(entry->getOperand(1)->stripPointerCasts());
    if (!function || function->getName() != "__cuda_module_ctor")
      return entry;
    auto *type = cast<StructType>(entry->getType());
    return ConstantStruct::get(type, ConstantInt::get(type->getElementType(0), Priority),
                               cast<Constant>(entry->getOperand(1)), cast<Constant>(entry->getOperand(2)));
  }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (module.getTargetTriple().isNVPTX() || !module.getFunction("__cuda_module_ctor"))
      return PreservedAnalyses::all();
    transformGlobalCtors(module, moved);
    return PreservedAnalyses::none();
  }
};

// Before any other pass: to LLVM the host's variable is undefined.
struct LowerManaged : PassInfoMixin<LowerManaged> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    bool changes = !module.getTargetTriple().isNVPTX() && cs_pass_lower_managed(module);
    return changes ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct InlinedSteps : PassInfoMixin<InlinedSteps> {
  cs_pass_options options;
  explicit InlinedSteps(const cs_pass_options &o) : options(o) {}

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    if (function.getParent()->getTargetTriple().isNVPTX() &&
        cs_pass_run_between(wrap(&function), &options, CS_PASS_PHASE_INLINED) != 0)
      exit(1);
    return PreservedAnalyses::all(); // metadata only
  }
};

// Passes that fold or delete accesses that are out of bounds at a constant offset.
bool folds(StringRef pass) {
  return pass == "SROAPass" || pass == "EarlyCSEPass" || pass == "InstCombinePass" || pass == "GVNPass" ||
         pass == "DSEPass" || pass == "MemCpyOptPass";
}

// Not the copies that get no checks.
bool isChecked(const Function &function) {
  return function.getParent()->getTargetTriple().isNVPTX() && !function.hasFnAttribute(CS_PASS_BARE_ATTRIBUTE);
}

const Function *checkedFunction(const Any &ir) {
  auto *const *function = any_cast<const Function *>(&ir);
  return function && isChecked(**function) ? *function : nullptr;
}

// Accesses become constant in passes that run directly before such a pass, with no point of extension between them.
// ConstraintElimination is skipped: it concludes from an access that the index is in bounds, and removes the loop's
// exit.
void watchFolding(PassInstrumentationCallbacks &callbacks, const cs_pass_options &options) {
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, const Any &ir) { return pass != "ConstraintEliminationPass" || !checkedFunction(ir); });
  callbacks.registerBeforeNonSkippedPassCallback([options](StringRef pass, const Any &ir) {
    const Function *function = folds(pass) ? checkedFunction(ir) : nullptr;
    if (function && cs_pass_run_between(wrap(function), &options, CS_PASS_PHASE_FOLDING) != 0)
      exit(1);
    if (function && pass == "SROAPass")
      cs_pass_hide_stored(wrap(function));
  });
  callbacks.registerAfterPassCallback([](StringRef pass, const Any &ir, const PreservedAnalyses &) {
    const Function *function = pass == "SROAPass" ? checkedFunction(ir) : nullptr;
    if (function)
      cs_pass_show_stored(wrap(function));
  });
}

// Passes that bare compilation does not have.
struct OnChecked : PassInfoMixin<OnChecked> {
  FunctionPassManager passes;
  explicit OnChecked(FunctionPassManager &&p) : passes(std::move(p)) {}

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager) {
    return isChecked(function) ? passes.run(function, manager) : PreservedAnalyses::all();
  }
};

constexpr const char *LaterUnrolled = "llvm.loop.unroll.runtime.disable";

// No range bounds the counter of the remainder that an unrolled loop has, unless the number of iterations is constant.
struct DeferUnrolling : PassInfoMixin<DeferUnrolling> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager) {
    if (isChecked(function))
      for (Loop *loop : manager.getResult<LoopAnalysis>(function).getLoopsInPreorder())
        addStringMetadataToLoop(loop, LaterUnrolled, 1);
    return PreservedAnalyses::all();
  }
};

// Before LLVM unrolls a loop, and after those inside it.
struct LimitUnrolling : PassInfoMixin<LimitUnrolling> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results, LPMUpdater &) {
    const Module &module = *loop.getHeader()->getModule();
    if (module.getTargetTriple().isNVPTX() && !isForGpu(module))
      cs_pass_limit_unrolling(loop, results.SE, results.LI);
    return PreservedAnalyses::all();
  }
};

// The same loops, with their checks. An exact form stays small: it rarely runs if there is a fast one.
struct UnrollDeferred : PassInfoMixin<UnrollDeferred> {
  OptimizationLevel level;
  explicit UnrollDeferred(OptimizationLevel l) : level(l) {}

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager) {
    if (function.getParent()->getFunction((function.getName() + CS_FAST_SUFFIX).str()))
      return PreservedAnalyses::all();
    for (Loop *loop : manager.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (MDNode *id = loop->getLoopID())
        loop->setLoopID(makePostTransformationMetadata(function.getContext(), id, {LaterUnrolled}, {}));
    return LoopUnrollPass(LoopUnrollOptions(int(level.getSpeedupLevel()))).run(function, manager);
  }
};

// Not for the CPU device, where the sink has the addresses of every space.
struct ContainInSpaces : PassInfoMixin<ContainInSpaces> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    bool changes = isForGpu(*function.getParent()) && cs_pass_contain_in_spaces(function);
    return changes ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// Not for the CPU device: its engine runs the threads of a block in vectors, and vectors have to go on together.
struct LeaveOnFailure : PassInfoMixin<LeaveOnFailure> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    bool changes = isForGpu(*function.getParent()) && function.getName().ends_with(CS_FAST_SUFFIX) &&
                   cs_pass_leave_on_failure(function);
    return changes ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct DecodeByCalls : PassInfoMixin<DecodeByCalls> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager) {
    bool changes =
        isForGpu(*function.getParent()) && cs_pass_decode_by_calls(function, manager.getResult<LoopAnalysis>(function));
    return changes ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct KeepCounters : PassInfoMixin<KeepCounters> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    bool changes = isForGpu(*function.getParent()) && cs_pass_keep_counters(function);
    return changes ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct PrintStep : PassInfoMixin<PrintStep> {
  cs_pass_options options;
  cs_pass_step step;
  PrintStep(const cs_pass_options &o, cs_pass_step s) : options(o), step(s) {}
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (module.getTargetTriple().isNVPTX())
      cs_pass_print_after(wrap(&module), &options, step);
    return PreservedAnalyses::all();
  }
};

// The passes of one CS_PASS_LLVM step.
void addLlvmStep(ModulePassManager &passes, OptimizationLevel level, cs_pass_step step) {
  FunctionPassManager functions;
  switch (step) {
  case CS_PASS_STEP_WIDEN_ACCESSES:
    functions.addPass(InferAddressSpacesPass());
    functions.addPass(LoadStoreVectorizerPass());
    functions.addPass(LoopSimplifyPass());
    functions.addPass(LCSSAPass());
    break;
  case CS_PASS_STEP_INLINE_WRAPPERS:
    passes.addPass(AlwaysInlinerPass(false));
    passes.addPass(GlobalDCEPass());
    return;
  case CS_PASS_STEP_SIMPLIFY_HEADER_KERNELS:
    functions.addPass(SROAPass(SROAOptions::ModifyCFG));
    functions.addPass(EarlyCSEPass(true));
    functions.addPass(InstCombinePass());
    functions.addPass(SimplifyCFGPass());
    functions.addPass(SROAPass(SROAOptions::ModifyCFG));
    functions.addPass(InferAddressSpacesPass());
    functions.addPass(LoopSimplifyPass());
    functions.addPass(LCSSAPass());
    break;
  case CS_PASS_STEP_DECODE_BY_CALLS:
    passes.addPass(createModuleToFunctionPassAdaptor(DecodeByCalls()));
    return;
  case CS_PASS_STEP_INLINE_CHECKS:
    passes.addPass(AlwaysInlinerPass(false));
    return;
  case CS_PASS_STEP_CONTAIN_IN_SPACES:
    passes.addPass(createModuleToFunctionPassAdaptor(ContainInSpaces()));
    return;
  case CS_PASS_STEP_CLEAN_UP:
    functions.addPass(EarlyCSEPass(true));
    functions.addPass(InstCombinePass());
    functions.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), true));
    functions.addPass(EarlyCSEPass(true));
    functions.addPass(SimplifyCFGPass());
    break;
  case CS_PASS_STEP_LEAVE_ON_FAILURE:
    functions.addPass(LeaveOnFailure());
    functions.addPass(EarlyCSEPass(true));
    functions.addPass(InstCombinePass());
    break;
  case CS_PASS_STEP_UNROLL_LOOPS:
    functions.addPass(UnrollDeferred(level));
    functions.addPass(EarlyCSEPass(true));
    functions.addPass(InstCombinePass());
    functions.addPass(SimplifyCFGPass());
    break;
  case CS_PASS_STEP_KEEP_COUNTERS:
    functions.addPass(KeepCounters());
    break;
  case CS_PASS_STEP_REMOVE_UNUSED:
    passes.addPass(GlobalDCEPass());
    return;
  default:
    return;
  }
  passes.addPass(createModuleToFunctionPassAdaptor(OnChecked(std::move(functions))));
}

bool isLlvmStep(cs_pass_step step) {
  switch (step) {
#define CS_PASS_MODULE(phase, id, name, function, when, reason)
#define CS_PASS_FUNCTION(phase, id, name, function, when, reason)
#define CS_PASS_LLVM(phase, id, name, when, reason) case CS_PASS_STEP_##id:
#include "pass/pipeline.inc"
    return true;
  default:
    return false;
  }
}

// All steps of these phases: CuSafe's own in as few passes as possible, since they share their state.
void addPhases(ModulePassManager &passes, OptimizationLevel level, cs_pass_phase from, cs_pass_phase to) {
  cs_pass_options options = optionsAt(level);
  for (int s = 0; s < CS_PASS_STEP_COUNT; s++) {
    auto step = cs_pass_step(s);
    cs_pass_phase phase = cs_pass_phase_of(step);
    if (phase < from || phase > to || !cs_pass_step_is_on(&options, step))
      continue;
    if (isLlvmStep(step)) {
      addLlvmStep(passes, level, step);
      if (options.print_after == s)
        passes.addPass(PrintStep(options, step));
      continue;
    }
    int last = s;
    while (last + 1 < CS_PASS_STEP_COUNT && cs_pass_phase_of(cs_pass_step(last + 1)) <= to &&
           !isLlvmStep(cs_pass_step(last + 1)))
      last++;
    passes.addPass(OwnSteps(options, step, cs_pass_step(last)));
    s = last;
  }
}

void addStart(ModulePassManager &passes, OptimizationLevel level) {
  passes.addPass(LowerManaged());
  passes.addPass(RegisterFirst());
  addPhases(passes, level, CS_PASS_PHASE_START, CS_PASS_PHASE_START);
}

void addInlined(FunctionPassManager &passes, OptimizationLevel level) {
  passes.addPass(InlinedSteps(optionsAt(level)));
}

void addLimitUnrolling(LoopPassManager &passes, OptimizationLevel) {
  passes.addPass(LimitUnrolling());
}

void addDeferUnrolling(FunctionPassManager &passes, OptimizationLevel) {
  passes.addPass(DeferUnrolling());
}

// One run of SROA more than LLVM has, after calls are inlined: watched, a run leaves variables whose address is stored
// to the next.
void addInlinedCalls(CGSCCPassManager &passes, OptimizationLevel) {
  FunctionPassManager functions;
  functions.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(createCGSCCToFunctionPassAdaptor(OnChecked(std::move(functions))));
}

void addLast(ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
  addPhases(passes, level, CS_PASS_PHASE_PREPARE, CS_PASS_PHASE_FINISH);
}

// opt -passes=NAME: some phases without LLVM's own pipeline between them, at -O2. The whole pipeline is opt
// -passes='default<O2>'.
bool addByName(StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
  static const struct {
    StringRef name;
    cs_pass_phase from, to;
  } parts[] = {{"cusafe-start", CS_PASS_PHASE_START, CS_PASS_PHASE_START},
               {"cusafe-prepare", CS_PASS_PHASE_PREPARE, CS_PASS_PHASE_PREPARE},
               {"cusafe", CS_PASS_PHASE_SET_UP, CS_PASS_PHASE_EMIT},
               {"cusafe-finish", CS_PASS_PHASE_FINISH, CS_PASS_PHASE_FINISH}};
  for (const auto &part : parts)
    if (name == part.name) {
      addPhases(passes, OptimizationLevel::O2, part.from, part.to);
      return true;
    }
  return false;
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cusafe", CUSAFE_VERSION, [](PassBuilder &builder) {
            if (!Bare && builder.getPassInstrumentationCallbacks()) {
              watchFolding(*builder.getPassInstrumentationCallbacks(), optionsAt(OptimizationLevel::O2));
              builder.registerCGSCCOptimizerLateEPCallback(addInlinedCalls);
              builder.registerVectorizerStartEPCallback(addDeferUnrolling);
            }
            builder.registerLateLoopOptimizationsEPCallback(addLimitUnrolling);
            builder.registerPipelineStartEPCallback(addStart);
            builder.registerPeepholeEPCallback(addInlined);
            builder.registerScalarOptimizerLateEPCallback(addInlined);
            builder.registerOptimizerLastEPCallback(addLast);
            builder.registerPipelineParsingCallback(addByName);
          }};
}
