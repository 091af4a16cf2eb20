/* input.c: reads and links the bitcode, the support library's prototypes included. */
#include "cusafe/abi.h"
#include "retarget/retarget.h"
#include "retarget/support/bitcode.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static LLVMModuleRef parse(struct cs_rt_unit *unit, const char *path) {
  LLVMMemoryBufferRef buffer;
  char *message = NULL;
  LLVMModuleRef module = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    fprintf(stderr, "cusafe-retarget: cannot read %s: %s\n", path, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  if (LLVMParseBitcodeInContext2(unit->context, buffer, &module)) {
    fprintf(stderr, "cusafe-retarget: %s is not bitcode of this LLVM; make it with clang 22 and -emit-llvm\n", path);
    module = NULL;
  }
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

LLVMModuleRef cs_rt_parse_support(LLVMContextRef context) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
      cs_rt_support_bitcode, (uintptr_t)cs_rt_support_bitcode_end - (uintptr_t)cs_rt_support_bitcode, "support", 0);
  LLVMModuleRef module = NULL;
  if (LLVMParseBitcodeInContext2(context, buffer, &module))
    module = NULL;
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

static LLVMTargetMachineRef machine_for(const char *triple, const char *cpu) {
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    fprintf(stderr, "cusafe-retarget: this LLVM has no target %s: %s\n", triple, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  return LLVMCreateTargetMachine(target, triple, cpu, "", LLVMCodeGenLevelDefault, LLVMRelocDefault,
                                 LLVMCodeModelDefault);
}

int cs_rt_read(struct cs_rt_unit *unit, char **paths, int count) {
  for (int i = 0; i < count; i++) {
    LLVMModuleRef module = parse(unit, paths[i]);
    if (!module)
      return -1;
    if (!cs_rt_starts_with(LLVMGetTarget(module), "nvptx64")) {
      fprintf(stderr, "cusafe-retarget: %s is not CUDA device code; make it with --cuda-device-only\n", paths[i]);
      return -1;
    }
    if (!unit->module)
      unit->module = module;
    else if (LLVMLinkModules2(unit->module, module))
      return -1;
  }
  unit->nvptx = machine_for("nvptx64-nvidia-cuda", "sm_80");
  unit->support = cs_rt_parse_support(unit->context);
  if (!unit->nvptx || !unit->support)
    return -1;
  unit->layout = LLVMCreateTargetDataLayout(unit->nvptx);
  unit->checked = LLVMGetNamedGlobal(unit->module, CS_SYM_MODULE) != NULL;
  return 0;
}

int cs_rt_run_passes(struct cs_rt_unit *unit, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(unit->module, passes, unit->nvptx, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return 0;
  char *message = LLVMGetErrorMessage(error);
  fprintf(stderr, "cusafe-retarget: %s\n", message);
  LLVMDisposeErrorMessage(message);
  return -1;
}
