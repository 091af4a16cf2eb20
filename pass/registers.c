/* registers.c: a limit for the registers of checked kernels: what they take without checks. */
#include "pass/registers.h"
#include "pass/kernels.h"
#include <stdio.h>
#include <string.h>

/* Up to 32 registers every multiprocessor is full of threads all the same, checks in a loop need some, and single instructions
 * (of matrices) need 25. The hardware hands registers out by eight to a thread: the rest of the last eight costs nothing. */
enum { LEAST = 32, MOST = 255, GRANULE = 8 };

static int has_attribute(LLVMValueRef function, const char *name) {
  return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
                                       (unsigned)strlen(name)) != NULL;
}

/* The programmer's own limits stay as they are, and so does the command line's. */
static void limit(LLVMValueRef kernel, unsigned bare, unsigned allowed) {
  unsigned most = (bare + GRANULE - 1) / GRANULE * GRANULE;
  char text[16];
  if (has_attribute(kernel, "nvvm.maxnreg") || has_attribute(kernel, "nvvm.minctasm"))
    return;
  most = most < LEAST ? LEAST : most > MOST ? MOST : most;
  snprintf(text, sizeof text, "%u", most < allowed ? most : allowed);
  LLVMAddTargetDependentFunctionAttr(kernel, "nvvm.maxnreg", text);
}

int cs_pass_limit_registers(struct cs_pass *pass) {
  const char *file = pass->options->registers;
  if (file[0] == '\0')
    return 0;
  FILE *in = fopen(file, "r");
  if (in == NULL)
    return fprintf(stderr, "cusafe: the file of registers '%s' cannot be read\n", file), -1;
  char name[4096];
  unsigned bare, allowed;
  while (fscanf(in, "%4095s %u %u", name, &bare, &allowed) == 3) {
    LLVMValueRef kernel = LLVMGetNamedFunction(pass->module, name);
    if (kernel && cs_pass_is_kernel(kernel))
      limit(kernel, bare, allowed);
  }
  fclose(in);
  return 0;
}
