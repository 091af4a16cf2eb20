/* lines.c: remembers the source line of each access before the optimiser moves it.
 *
 * LLVM drops the line of code that it hoists or merges, on purpose: a debugger would jump back and forth. A report
 * needs the line that the programmer wrote. */
#include "pass/module/lines.h"
#include "ir/instructions.h"
#include <stddef.h>
#include <string.h>

/* Metadata: { scope, line, column, of what it was inlined into: scope, line, column, ... } */
#define OWN "cusafe.line"
#define BEFORE "cusafe.line_before" /* of an access without a line: that of the code before it */

static unsigned kind_in(LLVMContextRef context, const char *name) {
  return LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name));
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

/* Three operands for each frame of the inlining chain, the innermost first. A merged frame has no line: then the
 * metadata from before is better, and stays. */
static void remember(LLVMContextRef context, LLVMValueRef instruction, LLVMMetadataRef at, const char *kind) {
  LLVMMetadataRef parts[CHAIN];
  unsigned count = 0;
  for (; at && count < CHAIN; at = LLVMDILocationGetInlinedAt(at)) {
    if (LLVMDILocationGetLine(at) == 0)
      return;
    parts[count++] = LLVMDILocationGetScope(at);
    parts[count++] = number(context, LLVMDILocationGetLine(at));
    parts[count++] = number(context, LLVMDILocationGetColumn(at));
  }
  if (count)
    LLVMSetMetadata(instruction, kind_in(context, kind),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, count)));
}

/* Without a location, an access would get none when its function is inlined; with line 0 it gets the call's. */
static void keep_scope(LLVMContextRef context, LLVMValueRef instruction, LLVMMetadataRef program) {
  if (program != NULL && LLVMInstructionGetDebugLoc(instruction) == NULL)
    LLVMInstructionSetDebugLoc(instruction, LLVMDIBuilderCreateDebugLocation(context, 0, 0, program, NULL));
}

void cs_pass_remember_chains(LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMMetadataRef program = LLVMGetSubprogram(function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_pass_accessed_by(i)) {
      keep_scope(context, i, program);
      remember(context, i, LLVMInstructionGetDebugLoc(i), OWN);
    }
}

static LLVMMetadataRef program_of(LLVMMetadataRef line) {
  return line ? cs_pass_scope_program(LLVMDILocationGetScope(line)) : NULL;
}

/* The line of the function itself, whatever is inlined there; NULL without one. */
static LLVMMetadataRef outermost_line(LLVMValueRef instruction, LLVMMetadataRef program) {
  LLVMMetadataRef line = LLVMInstructionGetDebugLoc(instruction);
  while (line && LLVMDILocationGetInlinedAt(line))
    line = LLVMDILocationGetInlinedAt(line);
  return line && LLVMDILocationGetLine(line) != 0 && program_of(line) == program ? line : NULL;
}

/* The code is in the order of the source, or of the PTX: nvcc gives the loop of a memcpy no line, and it follows the
 * call. */
static void remember_lines_of(LLVMContextRef context, LLVMValueRef function) {
  LLVMMetadataRef program = LLVMGetSubprogram(function), before = NULL;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMMetadataRef line = outermost_line(i, program);
    before = line ? line : before;
    if (!cs_pass_accessed_by(i))
      continue;
    remember(context, i, LLVMInstructionGetDebugLoc(i), OWN);
    if (!line)
      remember(context, i, before, BEFORE);
  }
}

void cs_pass_remember_lines(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    remember_lines_of(LLVMGetModuleContext(module), f);
}

/* The calls by which the function that the access was remembered in was inlined later. */
static LLVMMetadataRef later_calls(LLVMValueRef instruction, LLVMMetadataRef outermost) {
  LLVMMetadataRef program = cs_pass_scope_program(outermost), line = LLVMInstructionGetDebugLoc(instruction);
  while (line != NULL && cs_pass_scope_program(LLVMDILocationGetScope(line)) != program)
    line = LLVMDILocationGetInlinedAt(line);
  return line ? LLVMDILocationGetInlinedAt(line) : NULL;
}

/* In the user's own code one frame is enough, and keeps the fingerprint independent of what the optimiser moves. */
static LLVMMetadataRef remembered(struct cs_pass_headers *headers, LLVMContextRef context, LLVMValueRef instruction,
                                  const char *kind) {
  LLVMValueRef node = LLVMGetMetadata(instruction, kind_in(context, kind)), parts[CHAIN];
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

/* The innermost inlined call that has a line. */
static LLVMMetadataRef line_of_call(LLVMValueRef instruction) {
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
  while (location != NULL && LLVMDILocationGetLine(location) == 0)
    location = LLVMDILocationGetInlinedAt(location);
  return location;
}

static int is_in_function_of(LLVMMetadataRef line, LLVMValueRef instruction) {
  return line != NULL && program_of(line) == program_of(LLVMInstructionGetDebugLoc(instruction));
}

/* 1 if the chain has a line of the user's code, which can be reported. Without headers (NULL), any line can. */
static int is_reportable(struct cs_pass_headers *headers, LLVMMetadataRef location) {
  if (headers == NULL)
    return location != NULL;
  for (; location != NULL; location = LLVMDILocationGetInlinedAt(location))
    if (LLVMDILocationGetLine(location) != 0 && !cs_pass_in_header(headers, LLVMDILocationGetScope(location)))
      return 1;
  return 0;
}

/* Two accesses to one address that LLVM has merged have no line; the line of the address is usually one of theirs. The
 * address may be merged, too: then the line of one of the two. */
static LLVMMetadataRef line_of_address(struct cs_pass_headers *headers, LLVMValueRef address, int depth) {
  if (address == NULL || depth == 0 || !LLVMIsAInstruction(address))
    return NULL;
  LLVMMetadataRef line = own_line(address);
  unsigned first = LLVMIsASelectInst(address) != NULL;
  if (is_reportable(headers, line) || (!first && !LLVMIsAPHINode(address)))
    return line;
  for (unsigned i = first; i < (unsigned)LLVMGetNumOperands(address); i++) {
    LLVMMetadataRef other = line_of_address(headers, LLVMGetOperand(address, i), depth - 1);
    if (is_reportable(headers, other))
      return other;
  }
  return line;
}

/* Of loads from several addresses that LLVM has merged, as those of the first and of the next element of a list,
 * nothing else has a line: the first use of what was loaded is near. */
static LLVMMetadataRef line_of_use(struct cs_pass_headers *headers, LLVMValueRef instruction) {
  LLVMUseRef use = LLVMIsALoadInst(instruction) ? LLVMGetFirstUse(instruction) : NULL;
  for (; use; use = LLVMGetNextUse(use)) {
    LLVMMetadataRef line = LLVMIsAInstruction(LLVMGetUser(use)) ? own_line(LLVMGetUser(use)) : NULL;
    if (is_reportable(headers, line))
      return line;
  }
  return NULL;
}

/* The last resort: the line of the function. */
static LLVMMetadataRef line_of_function(LLVMContextRef context, LLVMValueRef instruction) {
  LLVMMetadataRef program = LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
  if (program == NULL)
    return NULL;
  return LLVMDIBuilderCreateDebugLocation(context, LLVMDISubprogramGetLine(program), 0, program, NULL);
}

/* The first candidate with a line of the user's code; if there is none, the first. An address of a caller has a line
 * that is farther away than the call's. */
LLVMMetadataRef cs_pass_line_of(struct cs_pass_headers *headers, LLVMValueRef instruction) {
  enum { DEPTH = 4 };
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
  LLVMMetadataRef address = line_of_address(headers, cs_pass_accessed_by(instruction), DEPTH);
  const LLVMMetadataRef candidates[] = {own_line(instruction),
                                        remembered(headers, context, instruction, OWN),
                                        is_in_function_of(address, instruction) ? address : NULL,
                                        line_of_call(instruction),
                                        address,
                                        line_of_use(headers, instruction),
                                        remembered(headers, context, instruction, BEFORE),
                                        line_of_function(context, instruction)};
  LLVMMetadataRef first = NULL;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    if (is_reportable(headers, candidates[i]))
      return candidates[i];
    first = first ? first : candidates[i];
  }
  return first;
}
