// The compiler of the wheel cusafe-clang: clang's driver and its -cc1, for the targets of CuSafe, in the library from which the pass, the lifter
// and the retargeter take LLVM. LLVM's libraries are linked statically, and contain neither clang's own main function nor its -cc1as (assemble.cpp).
#include "assemble.h"
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/ToolChain.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/FrontendTool/Utils.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/SMTAPI.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>
#include <sys/random.h>

#define CUSAFE_TARGETS(X) X(X86) X(NVPTX) X(SPIRV)
#define DECLARE(target)                                                                                                \
  extern "C" void LLVMInitialize##target##TargetInfo();                                                                \
  extern "C" void LLVMInitialize##target##Target();                                                                    \
  extern "C" void LLVMInitialize##target##TargetMC();                                                                  \
  extern "C" void LLVMInitialize##target##AsmPrinter();
#define INITIALIZE(target)                                                                                             \
  LLVMInitialize##target##TargetInfo();                                                                                \
  LLVMInitialize##target##Target();                                                                                    \
  LLVMInitialize##target##TargetMC();                                                                                  \
  LLVMInitialize##target##AsmPrinter();
CUSAFE_TARGETS(DECLARE)
extern "C" void LLVMInitializeX86AsmParser();

// glibc has it since 2.36, and LLVM seeds a hash with it: without this, systems with 2.34 and 2.35 could not load the library.
extern "C" uint32_t arc4random() noexcept {
  uint32_t number = 0;
  return getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number ? number : 0;
}

// In place of LLVM's file with these functions, which would require libz3. clang's analyzer calls them with an option that CuSafe does not use.
llvm::SMTSolverRef llvm::CreateZ3Solver() {
  report_fatal_error("this clang has no Z3", false);
}
void llvm::SMTSort::dump() const {}
void llvm::SMTExpr::dump() const {}
void llvm::SMTSolver::dump() const {}
void llvm::SMTSolverStatistics::dump() const {}

using Arguments = llvm::SmallVector<const char *, 256>;

static int compile(const Arguments &arguments) {
  clang::CompilerInstance compiler;
  clang::DiagnosticOptions options;
  clang::TextDiagnosticBuffer buffered;
  clang::DiagnosticsEngine early(clang::DiagnosticIDs::create(), options, &buffered, false);
  bool valid = clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), llvm::ArrayRef(arguments).slice(2),
                                                         early, arguments[0]);
  compiler.createVirtualFileSystem(llvm::vfs::getRealFileSystem(), &buffered);
  compiler.createDiagnostics();
  buffered.FlushDiagnostics(compiler.getDiagnostics());
  return valid && clang::ExecuteCompilerInvocation(&compiler) ? 0 : 1;
}

static int drive(Arguments &arguments, const std::string &self) {
  auto options = clang::CreateAndPopulateDiagOpts(arguments);
  auto *printer = new clang::TextDiagnosticPrinter(llvm::errs(), *options);
  printer->setPrefix("clang++");
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), *options, printer);
  clang::ProcessWarningOptions(diagnostics, *options, *llvm::vfs::getRealFileSystem(), false);
  clang::driver::Driver driver(self, llvm::sys::getDefaultTargetTriple(), diagnostics);
  driver.setTargetAndMode(clang::driver::ToolChain::getTargetAndModeFromProgramName("clang++"));
  arguments.insert(arguments.begin() + 1, "--driver-mode=g++");
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(arguments));
  if (!compilation || compilation->containsError())
    return 1;
  llvm::SmallVector<std::pair<int, const clang::driver::Command *>, 4> failed;
  int status = driver.ExecuteCompilation(*compilation, failed);
  for (const auto &[code, command] : failed)
    status = status ? status : code;
  return status < 0 ? 1 : status;
}

extern "C" int cusafe_clang_main(int count, const char **given) {
  llvm::InitLLVM start(count, given);
  CUSAFE_TARGETS(INITIALIZE)
  LLVMInitializeX86AsmParser();
  Arguments arguments(given, given + count);
  llvm::BumpPtrAllocator room;
  if (llvm::Error error = clang::driver::expandResponseFiles(arguments, false, room)) {
    llvm::errs() << "clang++: " << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  if (count > 1 && arguments[1] == llvm::StringRef("-cc1"))
    return compile(arguments);
  if (count > 1 && arguments[1] == llvm::StringRef("-cc1as"))
    return cusafe_clang_assemble(llvm::ArrayRef(arguments).slice(2));
  std::string self = llvm::sys::fs::getMainExecutable(given[0], reinterpret_cast<void *>(&cusafe_clang_main));
  return drive(arguments, self);
}
