/* lines.c: remembers where accesses were written, before the optimiser moves them.
 *
 * Code that is moved out of a loop or merged with other code has no line of its own any more, on purpose: a debugger would jump
 * back and forth. A report needs the line that the programmer wrote. */
#include "pass/lines.h"
#include <stddef.h>

#define KIND "cusafe.line" /* { scope, line, column } */

static unsigned kind_in(LLVMContextRef context) {
  return LLVMGetMDKindIDInContext(context, KIND, sizeof KIND - 1);
}

LLVMValueRef cs_accessed_by(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return LLVMGetOperand(i, 0);
  case LLVMStore:
    return LLVMGetOperand(i, 1);
  default:
    return NULL;
  }
}

static LLVMMetadataRef number(LLVMContextRef context, unsigned value) {
  return LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), value, 0));
}

static void remember(LLVMContextRef context, LLVMValueRef instruction) {
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
  if (location == NULL || LLVMDILocationGetLine(location) == 0)
    return;
  LLVMMetadataRef parts[] = {LLVMDILocationGetScope(location), number(context, LLVMDILocationGetLine(location)),
                             number(context, LLVMDILocationGetColumn(location))};
  LLVMSetMetadata(instruction, kind_in(context), LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3)));
}

void cs_remember_lines(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (cs_accessed_by(i))
          remember(context, i);
}

static LLVMMetadataRef remembered(LLVMContextRef context, LLVMValueRef instruction) {
  LLVMValueRef node = LLVMGetMetadata(instruction, kind_in(context)), parts[3];
  if (node == NULL || LLVMGetMDNodeNumOperands(node) != 3)
    return NULL;
  LLVMGetMDNodeOperands(node, parts);
  return LLVMDIBuilderCreateDebugLocation(context, (unsigned)LLVMConstIntGetZExtValue(parts[1]),
                                          (unsigned)LLVMConstIntGetZExtValue(parts[2]), LLVMValueAsMetadata(parts[0]),
                                          NULL);
}

static LLVMMetadataRef own_line(LLVMValueRef instruction) {
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
  return location != NULL && LLVMDILocationGetLine(location) != 0 ? location : NULL;
}

/* Of two accesses to one place that were merged, both lines are lost; where its address was written is mostly one of them. */
static LLVMMetadataRef line_of_address(LLVMValueRef access) {
  LLVMValueRef address = cs_accessed_by(access);
  return address && LLVMIsAInstruction(address) ? own_line(address) : NULL;
}

/* When nothing is left but the function. */
static LLVMMetadataRef line_of_function(LLVMContextRef context, LLVMValueRef instruction) {
  LLVMMetadataRef program = LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
  if (program == NULL)
    return NULL;
  return LLVMDIBuilderCreateDebugLocation(context, LLVMDISubprogramGetLine(program), 0, program, NULL);
}

LLVMMetadataRef cs_line_of(LLVMValueRef instruction) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
  LLVMMetadataRef line = own_line(instruction);
  if (line == NULL)
    line = remembered(context, instruction);
  if (line == NULL)
    line = line_of_address(instruction);
  return line != NULL ? line : line_of_function(context, instruction);
}
