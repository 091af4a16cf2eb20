/* util.c: walking a module, and saying what cannot be translated. */
#include "retarget/retarget.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *cs_grow(void *array, unsigned count, size_t element) {
  if (count & (count - 1))
    return array; /* capacity doubles at every power of two */
  void *grown = realloc(array, (count ? 2 * (size_t)count : 1) * element);
  if (!grown) {
    fprintf(stderr, "cusafe: out of memory\n");
    exit(1);
  }
  return grown;
}

int cs_starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

void cs_each_instruction(LLVMModuleRef module, void (*visit)(LLVMValueRef instruction, void *with), void *with) {
  LLVMValueRef *all = NULL;
  unsigned count = 0; /* collect, then rewrite */
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        all = cs_grow(all, count, sizeof *all);
        all[count++] = i;
      }
  for (unsigned i = 0; i < count; i++)
    visit(all[i], with);
  free(all);
}

const char *cs_callee(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction))
    return NULL;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  size_t length;
  return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : NULL;
}

static void place_of(struct cs_unit *unit, LLVMValueRef instruction, char *text, size_t size) {
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

void cs_refuse(struct cs_unit *unit, LLVMValueRef instruction, const char *what) {
  static char **said;
  static unsigned said_count;
  char place[1024], line[2048];
  unit->refusals++;
  place_of(unit, instruction, place, sizeof place);
  snprintf(line, sizeof line, "%s: error: cusafe: cannot translate '%s' for the CPU device", place, what);
  for (unsigned i = 0; i < said_count; i++)
    if (strcmp(said[i], line) == 0)
      return;
  said = cs_grow(said, said_count, sizeof *said);
  said[said_count++] = strdup(line);
  fprintf(stderr, "%s\n", line);
}
