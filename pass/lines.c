/* lines.c: remembers where accesses were written, before the optimiser moves them.
 *
 * Code that is moved out of a loop or merged with other code has no line of its own any more, on purpose: a debugger would jump
 * back and forth. A report needs the line that the programmer wrote. */
#include "pass/lines.h"
#include <stddef.h>

#define KIND "cusafe.line" /* { scope, line, column, of what it was inlined into: scope, line, column, ... } */

static unsigned kind_in(LLVMContextRef context) {
  return LLVMGetMDKindIDInContext(context, KIND, sizeof KIND - 1);
}

LLVMValueRef cs_pass_accessed_by(LLVMValueRef i) {
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

enum { CHAIN = 3 * 64 }; /* deeper inlining is truncated */

/* The chain of inlining goes into the metadata, too: three operands for each frame, the innermost first. A merged frame has no line, and
 * what is known already is better than that. */
static void remember(LLVMContextRef context, LLVMValueRef instruction) {
  LLVMMetadataRef parts[CHAIN];
  unsigned count = 0;
  for (LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction); at && count < CHAIN;
       at = LLVMDILocationGetInlinedAt(at)) {
    if (LLVMDILocationGetLine(at) == 0)
      return;
    parts[count++] = LLVMDILocationGetScope(at);
    parts[count++] = number(context, LLVMDILocationGetLine(at));
    parts[count++] = number(context, LLVMDILocationGetColumn(at));
  }
  if (count)
    LLVMSetMetadata(instruction, kind_in(context),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, count)));
}

/* An access without a location would get none when the function is inlined; one without a line gets the call's. */
static void keep_scope(LLVMContextRef context, LLVMValueRef instruction, LLVMMetadataRef program) {
  if (program != NULL && LLVMInstructionGetDebugLoc(instruction) == NULL)
    LLVMInstructionSetDebugLoc(instruction, LLVMDIBuilderCreateDebugLocation(context, 0, 0, program, NULL));
}

void cs_pass_remember_chains(LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMMetadataRef program = LLVMGetSubprogram(function);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (cs_pass_accessed_by(i)) {
        keep_scope(context, i, program);
        remember(context, i);
      }
}

void cs_pass_remember_lines(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (cs_pass_accessed_by(i))
          remember(context, i);
}

/* The chain beyond the function that the access was remembered in: where that was inlined later. */
static LLVMMetadataRef later_calls(LLVMValueRef instruction, LLVMMetadataRef outermost) {
  LLVMMetadataRef program = cs_pass_scope_program(outermost), line = LLVMInstructionGetDebugLoc(instruction);
  while (line != NULL && cs_pass_scope_program(LLVMDILocationGetScope(line)) != program)
    line = LLVMDILocationGetInlinedAt(line);
  return line ? LLVMDILocationGetInlinedAt(line) : NULL;
}

/* Of the user's own code one frame, which is a place: whether the optimiser moves code changes no fingerprint. */
static LLVMMetadataRef remembered(struct cs_pass_headers *headers, LLVMContextRef context, LLVMValueRef instruction) {
  LLVMValueRef node = LLVMGetMetadata(instruction, kind_in(context)), parts[CHAIN];
  unsigned count = node ? LLVMGetMDNodeNumOperands(node) : 0;
  if (count == 0 || count % 3 != 0 || count > CHAIN)
    return NULL;
  LLVMGetMDNodeOperands(node, parts);
  LLVMMetadataRef line = NULL;
  if (headers == NULL || !cs_pass_in_header(headers, LLVMValueAsMetadata(parts[0])))
    count = 3;
  else
    line = later_calls(instruction, LLVMValueAsMetadata(parts[count - 3]));
  for (unsigned i = count; i > 0; i -= 3)
    line = LLVMDIBuilderCreateDebugLocation(context, (unsigned)LLVMConstIntGetZExtValue(parts[i - 2]),
                                            (unsigned)LLVMConstIntGetZExtValue(parts[i - 1]),
                                            LLVMValueAsMetadata(parts[i - 3]), line);
  return line;
}

static LLVMMetadataRef own_line(LLVMValueRef instruction) {
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
  return location != NULL && LLVMDILocationGetLine(location) != 0 ? location : NULL;
}

/* 1 if a line of the user's is in the chain: a place to report. Without headers, any line is. */
static int is_placed(struct cs_pass_headers *headers, LLVMMetadataRef location) {
  if (headers == NULL)
    return location != NULL;
  for (; location != NULL; location = LLVMDILocationGetInlinedAt(location))
    if (LLVMDILocationGetLine(location) != 0 && !cs_pass_in_header(headers, LLVMDILocationGetScope(location)))
      return 1;
  return 0;
}

/* Of two accesses to one place that were merged, both lines are lost; where its address was written is mostly one of them. The
 * address may be merged, too: then of one of the two. */
static LLVMMetadataRef line_of_address(struct cs_pass_headers *headers, LLVMValueRef address, int depth) {
  if (address == NULL || depth == 0 || !LLVMIsAInstruction(address))
    return NULL;
  LLVMMetadataRef line = own_line(address);
  unsigned first = LLVMIsASelectInst(address) != NULL;
  if (is_placed(headers, line) || (!first && !LLVMIsAPHINode(address)))
    return line;
  for (unsigned i = first; i < (unsigned)LLVMGetNumOperands(address); i++) {
    LLVMMetadataRef other = line_of_address(headers, LLVMGetOperand(address, i), depth - 1);
    if (is_placed(headers, other))
      return other;
  }
  return line;
}

/* When nothing is left but the function. */
static LLVMMetadataRef line_of_function(LLVMContextRef context, LLVMValueRef instruction) {
  LLVMMetadataRef program = LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
  if (program == NULL)
    return NULL;
  return LLVMDIBuilderCreateDebugLocation(context, LLVMDISubprogramGetLine(program), 0, program, NULL);
}

/* The first that has a line of the user's; if none has, the first. */
LLVMMetadataRef cs_pass_line_of(struct cs_pass_headers *headers, LLVMValueRef instruction) {
  enum { DEPTH = 4 };
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
  const LLVMMetadataRef candidates[] = {own_line(instruction), remembered(headers, context, instruction),
                                        line_of_address(headers, cs_pass_accessed_by(instruction), DEPTH),
                                        line_of_function(context, instruction)};
  LLVMMetadataRef first = NULL;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    if (is_placed(headers, candidates[i]))
      return candidates[i];
    first = first ? first : candidates[i];
  }
  return first;
}
