/* util.c: walking a module, and saying what cannot be translated. */
#include "retarget/retarget.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* There is nothing to go on with: the compile ends here, and says why. */
static void *or_end(void *memory) {
  if (memory)
    return memory;
  fprintf(stderr, "cusafe: out of memory while translating for the CPU device\n");
  exit(1);
}

void *cs_rt_resized(void *block, size_t bytes) {
  return or_end(realloc(block, bytes ? bytes : 1));
}

void *cs_rt_grow(void *array, unsigned count, size_t element) {
  if (count & (count - 1))
    return array; /* capacity doubles at every power of two */
  return cs_rt_resized(array, (count ? 2 * (size_t)count : 1) * element);
}

void *cs_rt_allocate(size_t count, size_t element) {
  return or_end(calloc(count ? count : 1, element));
}

char *cs_rt_copy_text(const char *text, size_t length) {
  char *copy = cs_rt_allocate(length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}

char *cs_rt_name_of(LLVMValueRef value) {
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);
  return cs_rt_copy_text(name, length);
}

int cs_rt_starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

void cs_rt_each_instruction(LLVMModuleRef module, void (*visit)(LLVMValueRef instruction, void *with), void *with) {
  LLVMValueRef *all = NULL;
  unsigned count = 0; /* collect, then rewrite */
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        all = cs_rt_grow(all, count, sizeof *all);
        all[count++] = i;
      }
  for (unsigned i = 0; i < count; i++)
    visit(all[i], with);
  free(all);
}

struct cs_rt_kernel *cs_rt_kernel_of(const struct cs_rt_unit *unit, LLVMValueRef function) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (unit->kernels[i].function == function || unit->kernels[i].test == function)
      return &unit->kernels[i];
  return NULL;
}

int cs_rt_is_kernel(const struct cs_rt_unit *unit, LLVMValueRef function) {
  return cs_rt_kernel_of(unit, function) != NULL;
}

int cs_rt_used_in(LLVMValueRef value, LLVMValueRef function) { // NOLINT(misc-no-recursion): constants are no circles
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function
                                 : LLVMIsAConstantExpr(user) && cs_rt_used_in(user, function))
      return 1;
  }
  return 0;
}

void cs_rt_replace_operand(LLVMValueRef instruction, LLVMValueRef old, LLVMValueRef by) {
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (LLVMGetOperand(instruction, (unsigned)i) == old)
      LLVMSetOperand(instruction, (unsigned)i, by);
}

LLVMValueRef cs_rt_load_word(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef base, size_t offset) {
  LLVMTypeRef word = LLVMInt64TypeInContext(unit->context), byte = LLVMInt8TypeInContext(unit->context);
  LLVMValueRef at = LLVMConstInt(word, offset, 0);
  LLVMValueRef load = LLVMBuildLoad2(builder, word, LLVMBuildInBoundsGEP2(builder, byte, base, &at, 1, ""), "");
  LLVMSetAlignment(load, 8);
  return load;
}

const char *cs_rt_callee(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction))
    return NULL;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  size_t length;
  return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : NULL;
}

static void place_of(struct cs_rt_unit *unit, LLVMValueRef instruction, char *text, size_t size) {
  unsigned length = 0;
  size_t long_length = 0;
  const char *file = instruction ? LLVMGetDebugLocFilename(instruction, &length) : NULL;
  if (file && length) {
    snprintf(text, size, "%.*s:%u:%u", (int)length, file, LLVMGetDebugLocLine(instruction),
             LLVMGetDebugLocColumn(instruction));
    return;
  }
  const char *source = LLVMGetSourceFileName(unit->module, &long_length);
  snprintf(text, size, "%s", source);
}

/* With the place in front, and only once. */
static void refuse(struct cs_rt_unit *unit, LLVMValueRef instruction, const char *why) {
  static char **said;
  static unsigned said_count;
  char place[1024], line[2048];
  unit->refusals++;
  place_of(unit, instruction, place, sizeof place);
  snprintf(line, sizeof line, "%s: error: cusafe: %s", place, why);
  for (unsigned i = 0; i < said_count; i++)
    if (strcmp(said[i], line) == 0)
      return;
  said = cs_rt_grow(said, said_count, sizeof *said);
  said[said_count++] = cs_rt_copy_text(line, strlen(line));
  fprintf(stderr, "%s\n", line);
}

void cs_rt_refuse(struct cs_rt_unit *unit, LLVMValueRef instruction, const char *what) {
  char why[1024];
  snprintf(why, sizeof why, "cannot translate '%s' for the CPU device", what);
  refuse(unit, instruction, why);
}

void cs_rt_refuse_undefined(struct cs_rt_unit *unit, LLVMValueRef call, const char *name) {
  char why[1024], *plain = cs_rt_bridge_demangle(name);
  snprintf(why, sizeof why,
           "the device function '%s' is not defined here; if another file defines it, give all of them -rdc=true",
           plain);
  free(plain);
  refuse(unit, call, why);
}
