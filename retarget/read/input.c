/* input.c: reads and links the program's bitcode, and reads the support library for its prototypes. */
#include "retarget/read/input.h"
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "ir/names.h"
#include "report/print.h"
#include "retarget/unit/library.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <stdio.h>

static LLVMModuleRef parse(struct cs_rt_unit *unit, const char *path) {
  LLVMMemoryBufferRef buffer;
  char *message = NULL;
  LLVMModuleRef module = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    cs_report_print(stderr, "cusafe-retarget: cannot read %s: %s\n", path, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  if (LLVMParseBitcodeInContext2(unit->context, buffer, &module)) {
    cs_report_print(stderr, "cusafe-retarget: %s is not bitcode of LLVM 22; compile it with clang 22 and -emit-llvm\n",
                    path);
    module = NULL;
  }
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

static cs_u32 what_is_checked(LLVMModuleRef module) {
  if (!LLVMGetNamedGlobal(module, CS_SYM_MODULE))
    return 0;
  return CS_IMAGE_CHECKED | (LLVMGetNamedFunction(module, CS_IR_INIT) ? CS_IMAGE_INIT : 0);
}

static LLVMTargetMachineRef machine_for(const char *triple, const char *cpu) {
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    cs_report_print(stderr, "cusafe-retarget: this LLVM has no target %s: %s\n", triple, message);
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
    if (!cs_ir_starts_with(LLVMGetTarget(module), "nvptx64")) {
      cs_report_print(stderr, "cusafe-retarget: %s is not CUDA device code; compile it with --cuda-device-only\n",
                      paths[i]);
      return -1;
    }
    if (!unit->module)
      unit->module = module;
    else if (LLVMLinkModules2(unit->module, module))
      return -1;
  }
  unit->nvptx = machine_for("nvptx64-nvidia-cuda", "sm_80");
  unit->support = cs_rt_parse_library(unit->context);
  if (!unit->nvptx || !unit->support)
    return -1;
  unit->layout = LLVMCreateTargetDataLayout(unit->nvptx);
  unit->checked = what_is_checked(unit->module);
  return 0;
}
