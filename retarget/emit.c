/* emit.c: the move to SPIR-V and its emission, in this process. */
#include "retarget/retarget.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Support.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char triple[] = "spirv64v1.4-unknown-unknown";

static LLVMTargetMachineRef spirv_machine(void) {
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    fprintf(stderr, "cusafe-retarget: this LLVM has no SPIR-V target: %s\n", message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  /* No optimisation from here on: loop strength reduction makes integers of two bits, which the back end gets wrong. */
  return LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelNone, LLVMRelocDefault, LLVMCodeModelDefault);
}

static void annotate(struct cs_unit *unit, LLVMValueRef function, const char *name, LLVMValueRef *values,
                     unsigned count) {
  LLVMMetadataRef parts[2];
  for (unsigned i = 0; i < count; i++)
    parts[i] = LLVMValueAsMetadata(values[i]);
  LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(unit->context, name, (unsigned)strlen(name)),
                        LLVMMDNodeInContext2(unit->context, parts, count));
}

/* Warps are sub-groups of 32 lanes. A kernel that says it is written for vectors is run thread by thread. */
static void choose_execution(struct cs_unit *unit, LLVMModuleRef module) {
  LLVMTypeRef word = LLVMInt32TypeInContext(unit->context);
  LLVMValueRef lanes = LLVMConstInt(word, 32, 0);
  LLVMValueRef vector[] = {LLVMGetUndef(LLVMVectorType(word, 16)), LLVMConstInt(word, 1, 0)};
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(module, unit->kernels[i].name);
    if (unit->kernels[i].uses_warp)
      annotate(unit, function, "intel_reqd_sub_group_size", &lanes, 1);
    else if (unit->kernels[i].spins)
      annotate(unit, function, "vec_type_hint", vector, 2);
  }
}

static void dump(LLVMModuleRef module) {
  const char *path = getenv("CUSAFE_RETARGET_DUMP");
  char *message = NULL;
  if (path && LLVMPrintModuleToFile(module, path, &message)) {
    fprintf(stderr, "cusafe-retarget: cannot write %s: %s\n", path, message);
    LLVMDisposeMessage(message);
  }
}

/* What the support library uses beyond core SPIR-V: clocks. */
static void allow_extensions(void) {
  const char *const options[] = {"cusafe-retarget", "--spirv-ext=+SPV_KHR_shader_clock"};
  LLVMParseCommandLineOptions(2, options, NULL);
}

int cs_emit(struct cs_unit *unit) {
  allow_extensions(); /* the target machine reads them when it is made */
  LLVMTargetMachineRef machine = spirv_machine();
  char *message = NULL;
  if (!machine)
    return -1;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  char *layout_text = LLVMCopyStringRepOfTargetData(layout);
  LLVMModuleRef module = cs_bridge_to_spirv(unit->module, triple, layout_text);
  LLVMDisposeMessage(layout_text);
  choose_execution(unit, module);
  dump(module);
  int failed = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
  if (failed)
    fprintf(stderr, "cusafe-retarget: internal error: %s\n", message);
  LLVMDisposeMessage(message);
  message = NULL;
  if (!failed && LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &unit->spirv)) {
    fprintf(stderr, "cusafe-retarget: the SPIR-V back end failed: %s\n", message);
    LLVMDisposeMessage(message);
    failed = 1;
  }
  LLVMDisposeModule(module);
  LLVMDisposeTargetMachine(machine);
  return failed ? -1 : 0;
}
