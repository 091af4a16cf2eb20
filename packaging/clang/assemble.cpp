// The assembler of the wheel cusafe-clang (-cc1as): LLVM's, for x86-64, with the options that clang's driver gives it.
#include "assemble.h"
#include <clang/Options/Options.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/ToolOutputFile.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Triple.h>

namespace options = clang::options;
using llvm::StringRef;

// Options that this file reads, and those that need no action. Others are refused, since they would change the object.
static const unsigned KNOWN[] = {
    options::OPT_cc1as,
    options::OPT_filetype,
    options::OPT_object_file_name_EQ,
    options::OPT_INPUT,
    options::OPT_o,
    options::OPT_I,
    options::OPT_triple,
    options::OPT_target_cpu,
    options::OPT_target_feature,
    options::OPT_mrelocation_model,
    options::OPT_defsym,
    options::OPT_main_file_name,
    options::OPT_fdebug_compilation_dir_EQ,
    options::OPT_debug_info_kind_EQ,
    options::OPT_dwarf_debug_producer,
    options::OPT_dwarf_version_EQ,
    options::OPT_compress_debug_sections_EQ,
    options::OPT_mno_exec_stack,
    options::OPT_massembler_fatal_warnings,
    options::OPT_massembler_no_warn,
    options::OPT_msave_temp_labels,
    options::OPT_mrelax_relocations_no,
    options::OPT_mllvm,
};

static bool fail(const llvm::Twine &text) {
  llvm::errs() << "clang++: error: " << text << '\n';
  return false;
}

static bool all_known(const llvm::opt::ArgList &given) {
  for (const llvm::opt::Arg *argument : given)
    if (llvm::none_of(KNOWN, [argument](unsigned option) { return argument->getOption().matches(option); }))
      return fail("the assembler of cusafe-clang has no '" + argument->getAsString(given) +
                  "': use -fno-integrated-as");
  return true;
}

static llvm::MCTargetOptions target_options(const llvm::opt::ArgList &given) {
  llvm::MCTargetOptions target;
  target.MCNoExecStack = given.hasArg(options::OPT_mno_exec_stack);
  target.MCFatalWarnings = given.hasArg(options::OPT_massembler_fatal_warnings);
  target.MCNoWarn = given.hasArg(options::OPT_massembler_no_warn);
  target.MCSaveTempLabels = given.hasArg(options::OPT_msave_temp_labels);
  target.X86RelaxRelocations = !given.hasArg(options::OPT_mrelax_relocations_no);
  target.CompressDebugSections =
      llvm::StringSwitch<llvm::DebugCompressionType>(given.getLastArgValue(options::OPT_compress_debug_sections_EQ))
          .Case("zlib", llvm::DebugCompressionType::Zlib)
          .Case("zstd", llvm::DebugCompressionType::Zstd)
          .Default(llvm::DebugCompressionType::None);
  return target;
}

static void set_llvm_options(const llvm::opt::ArgList &given) {
  std::vector<const char *> words = {"clang++ (LLVM option parsing)"};
  for (const llvm::opt::Arg *argument : given.filtered(options::OPT_mllvm))
    words.push_back(argument->getValue());
  if (words.size() > 1)
    llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data());
}

// Line tables of the assembly itself, with -g.
static void describe_source(llvm::MCContext &context, const llvm::opt::ArgList &given, StringRef source) {
  unsigned version = 0;
  context.setCompilationDir(given.getLastArgValue(options::OPT_fdebug_compilation_dir_EQ));
  context.setMainFileName(given.getLastArgValue(options::OPT_main_file_name));
  context.setDwarfDebugProducer(given.getLastArgValue(options::OPT_dwarf_debug_producer));
  if (!given.getLastArgValue(options::OPT_dwarf_version_EQ).getAsInteger(10, version))
    context.setDwarfVersion(version);
  if (!given.hasArg(options::OPT_debug_info_kind_EQ))
    return;
  context.setGenDwarfForAssembly(true);
  context.setGenDwarfRootFile(given.getLastArgValue(options::OPT_main_file_name), source);
}

static bool define_symbols(llvm::MCContext &context, llvm::MCStreamer &streamer, const llvm::opt::ArgList &given) {
  for (const std::string &word : given.getAllArgValues(options::OPT_defsym)) {
    auto [name, text] = StringRef(word).split('=');
    int64_t value;
    if (text.getAsInteger(0, value))
      return fail("--defsym: '" + word + "' is not NAME=NUMBER");
    context.setSymbolValue(streamer, name, value);
  }
  return true;
}

static bool write_object(const llvm::opt::ArgList &given, const llvm::Target &target, const llvm::Triple &triple,
                         llvm::SourceMgr &source, llvm::raw_pwrite_stream &out) {
  llvm::MCTargetOptions wanted = target_options(given);
  std::unique_ptr<llvm::MCRegisterInfo> registers(target.createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> syntax(target.createMCAsmInfo(*registers, triple, wanted));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target.createMCInstrInfo());
  std::string features = llvm::join(given.getAllArgValues(options::OPT_target_feature), ",");
  std::unique_ptr<llvm::MCSubtargetInfo> processor(
      target.createMCSubtargetInfo(triple, given.getLastArgValue(options::OPT_target_cpu), features));
  llvm::MCContext context(triple, syntax.get(), registers.get(), processor.get(), &source, &wanted);
  bool independent = given.getLastArgValue(options::OPT_mrelocation_model) != "static";
  std::unique_ptr<llvm::MCObjectFileInfo> sections(target.createMCObjectFileInfo(context, independent));
  context.setObjectFileInfo(sections.get());
  describe_source(context, given, source.getMemoryBuffer(1)->getBuffer());

  std::unique_ptr<llvm::MCAsmBackend> backend(target.createMCAsmBackend(*processor, *registers, wanted));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> encoder(target.createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(encoder), *processor));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(source, context, *streamer, *syntax));
  std::unique_ptr<llvm::MCTargetAsmParser> dialect(
      target.createMCAsmParser(*processor, *parser, *instructions, wanted));
  parser->setTargetParser(*dialect);
  return define_symbols(context, *streamer, given) && !parser->Run(false) && !context.hadError();
}

int cusafe_clang_assemble(llvm::ArrayRef<const char *> arguments) {
  unsigned missing_index, missing_count;
  llvm::opt::InputArgList given = clang::getDriverOptTable().ParseArgs(
      arguments, missing_index, missing_count, llvm::opt::Visibility(options::CC1AsOption | options::CC1Option));
  if (missing_count)
    return fail(llvm::Twine("'") + arguments[missing_index] + "' requires a value"), 1;
  std::string input = given.getLastArgValue(options::OPT_INPUT, "-").str(), error;
  llvm::Triple triple(given.getLastArgValue(options::OPT_triple));
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!all_known(given))
    return 1;
  set_llvm_options(given);
  if (!target)
    return fail(error), 1;
  if (!text)
    return fail("cannot read '" + input + "': " + text.getError().message()), 1;
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  source.setIncludeDirs(given.getAllArgValues(options::OPT_I));
  source.setVirtualFileSystem(llvm::vfs::getRealFileSystem());
  std::error_code status;
  llvm::ToolOutputFile file(given.getLastArgValue(options::OPT_o), status, llvm::sys::fs::OF_None);
  if (status)
    return fail("cannot write '" + file.outputFilename() + "': " + status.message()), 1;
  if (!write_object(given, *target, triple, source, file.os()))
    return 1; // the file is removed
  file.keep();
  return 0;
}
