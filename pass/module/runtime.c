/* runtime.c: declares the device runtime's functions in a module, and links their bitcode into it. */
#include "pass/module/runtime.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "report/print.h"
#include <limits.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *signature;
} functions[CS_PASS_RUNTIME_COUNT] = {
#define CS_PASS_RUNTIME(id, name, signature) [CS_PASS_RUNTIME_##id] = {name, signature},
#include "pass/module/device_functions.inc"
};

static LLVMTypeRef type_of(const struct cs_pass *pass, char code) {
  return code == 'i'   ? pass->i32
         : code == 'l' ? pass->i64
         : code == 'p' ? pass->ptr
                       : LLVMVoidTypeInContext(pass->context);
}

static LLVMTypeRef function_type(const struct cs_pass *pass, const char *signature) {
  enum { MAX_PARAMETERS = 16 };
  LLVMTypeRef parameters[MAX_PARAMETERS];
  unsigned count = (unsigned)strlen(signature) - 1;
  for (unsigned i = 0; i < count && i < MAX_PARAMETERS; i++)
    parameters[i] = type_of(pass, signature[i + 1]);
  return LLVMFunctionType(type_of(pass, signature[0]), parameters, count, 0);
}

void cs_pass_runtime_declare(struct cs_pass *pass) {
  for (int f = 0; f < CS_PASS_RUNTIME_COUNT; f++) {
    pass->runtime_type[f] = function_type(pass, functions[f].signature);
    pass->runtime[f] = LLVMAddFunction(pass->module, functions[f].name, pass->runtime_type[f]);
  }
}

LLVMValueRef cs_pass_runtime_call(struct cs_pass *pass, enum cs_pass_runtime function, LLVMValueRef *arguments) {
  unsigned count = (unsigned)strlen(functions[function].signature) - 1;
  return LLVMBuildCall2(pass->builder, pass->runtime_type[function], pass->runtime[function], arguments, count, "");
}

LLVMValueRef cs_pass_device_call(struct cs_pass *pass, const char *name, const char *signature,
                                 LLVMValueRef *arguments) {
  LLVMTypeRef type = function_type(pass, signature);
  LLVMValueRef function = LLVMGetNamedFunction(pass->module, name);
  if (function == NULL)
    function = LLVMAddFunction(pass->module, name, type);
  return LLVMBuildCall2(pass->builder, type, function, arguments, (unsigned)strlen(signature) - 1, "");
}

static LLVMModuleRef read_bitcode(LLVMContextRef context, const char *file) {
  LLVMMemoryBufferRef buffer;
  LLVMModuleRef runtime;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(file, &buffer, &message)) {
    cs_report_print(stderr, "cusafe: cannot read the device runtime '%s': %s\n", file, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  if (LLVMParseBitcodeInContext2(context, buffer, &runtime))
    runtime = NULL;
  LLVMDisposeMemoryBuffer(buffer);
  if (runtime == NULL)
    cs_report_print(stderr, "cusafe: '%s' is not the device runtime's bitcode\n", file);
  return runtime;
}

/* The same bitcode serves every architecture. */
static void forget_target(LLVMModuleRef runtime) {
  for (LLVMValueRef f = LLVMGetFirstFunction(runtime); f; f = LLVMGetNextFunction(f)) {
    LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "target-cpu", 10);
    LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "target-features", 15);
  }
}

int cs_pass_is_ours(LLVMValueRef function) {
  return cs_ir_starts_with(cs_ir_name(function), CS_IR_RUNTIME_PREFIX);
}

int cs_pass_calls_ours(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef callee = cs_ir_callee(i);
    if (callee && cs_pass_is_ours(callee))
      return 1;
  }
  return 0;
}

/* Several modules of a program contain the runtime: internal functions do not collide. */
static void hide_functions(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (cs_pass_is_ours(f) && !LLVMIsDeclaration(f))
      LLVMSetLinkage(f, LLVMInternalLinkage);
}

/* The file with the code for GPUs is next to the given one, as X-gpu.bc to X.bc. It has no detectors. */
static const char *file_of(const struct cs_pass_options *options, char *to, size_t size) {
  const char *file = options->runtime, *end = strrchr(file, '.');
  if (!options->gpu || options->detects || end == NULL)
    return file;
  snprintf(to, size, "%.*s-gpu%s", (int)(end - file), file, end);
  return to;
}

int cs_pass_runtime_link(struct cs_pass *pass) {
  char name[PATH_MAX];
  const char *file = file_of(pass->options, name, sizeof name);
  LLVMModuleRef runtime = read_bitcode(pass->context, file);
  if (runtime == NULL)
    return -1;
  LLVMValueRef abi = LLVMGetNamedGlobal(runtime, CS_ABI_SYMBOL);
  if (abi == NULL || LLVMIsDeclaration(abi)) {
    cs_report_print(
        stderr,
        "cusafe: the device runtime '%s' does not define %s: pass and runtime come from different versions of "
        "CuSafe; reinstall both\n",
        file, CS_ABI_SYMBOL);
    return -1;
  }
  LLVMSetTarget(runtime, LLVMGetTarget(pass->module));
  LLVMSetDataLayout(runtime, LLVMGetDataLayoutStr(pass->module));
  forget_target(runtime);
  if (LLVMLinkModules2(pass->module, runtime)) {
    cs_report_print(stderr, "cusafe: the device runtime '%s' does not link with this module\n", file);
    return -1;
  }
  hide_functions(pass->module);
  return 0;
}
