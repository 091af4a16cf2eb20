/* registers.c: limits the registers of checked kernels to those that they use without checks. */
#include "pass/module/registers.h"
#include "cusafe/predicate.h"
#include "ir/instructions.h"
#include "ir/module.h"
#include "pass/module/kernels.h"
#include "pass/module/runtime.h"
#include "report/print.h"
#include <stdio.h>
#include <string.h>

/* Up to 32 registers do not lower the occupancy of a multiprocessor, checks in a loop need some, and single matrix
 * instructions need 25, but ptxas refuses mma of f64 with fewer than 64. The hardware allocates registers in eights, so
 * rounding up costs nothing. */
enum { MIN_REGISTERS = 32, MIN_WITH_F64_MMA = 64, MAX_REGISTERS = 255, GRANULE = 8 };

static int has_attribute(LLVMValueRef function, const char *name) {
  return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
                                       (unsigned)strlen(name)) != NULL;
}

static int has_f64_mma(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    const char *text = cs_ir_asm_text(i);
    if (text && strstr(text, "mma.sync.") && strstr(text, ".f64.f64."))
      return 1;
  }
  return 0;
}

/* A kernel's limit holds for the functions that it calls: code that is not optimised has the instruction in one of
 * them. */
static unsigned min_registers(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (has_f64_mma(f))
      return MIN_WITH_F64_MMA;
  return MIN_REGISTERS;
}

/* Limits of the programmer and of the command line stay. */
static void limit_kernel(LLVMValueRef kernel, unsigned bare, unsigned min, unsigned allowed) {
  unsigned limit = (bare + GRANULE - 1) / GRANULE * GRANULE;
  char text[16];
  if (has_attribute(kernel, "nvvm.maxnreg") || has_attribute(kernel, "nvvm.minctasm"))
    return;
  limit = limit < min ? min : limit > MAX_REGISTERS ? MAX_REGISTERS : limit;
  snprintf(text, sizeof text, "%u", limit < allowed ? limit : allowed);
  LLVMAddTargetDependentFunctionAttr(kernel, "nvvm.maxnreg", text);
}

/* A kernel without checks, such as an unchecked form, needs no limit. */
static void limit_named(struct cs_pass *pass, const char *name, unsigned bare, unsigned min, unsigned allowed) {
  LLVMValueRef kernel = LLVMGetNamedFunction(pass->module, name);
  if (kernel && cs_ir_is_kernel(kernel) && cs_pass_calls_ours(kernel))
    limit_kernel(kernel, bare, min, allowed);
}

int cs_pass_limit_registers(struct cs_pass *pass) {
  const char *file = pass->options->registers;
  if (file[0] == '\0')
    return 0;
  FILE *in = fopen(file, "r");
  if (in == NULL)
    return cs_report_print(stderr, "cusafe: cannot read the file of registers '%s'\n", file), -1;
  char name[4096 + sizeof CS_FAST_SUFFIX];
  unsigned bare, allowed, min = min_registers(pass->module);
  while (fscanf(in, "%4095s %u %u", name, &bare, &allowed) == 3) {
    limit_named(pass, name, bare, min, allowed);
    limit_named(pass, strcat(name, CS_FAST_SUFFIX), bare, min, allowed);
  }
  fclose(in);
  return 0;
}
