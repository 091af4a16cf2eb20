/* ptx.c: the instructions of inline PTX that have a rule: arithmetic, which lifted code has where IR has no instruction
 * of the same meaning. All of a result is uninitialised if any of an operand is. Instructions that move bits or compute
 * with packed values are not among them, since a part of their result is a part of an operand. */
#include "ir/instructions.h"
#include "ir/names.h"
#include "pass/init/init.h"
#include <stdlib.h>
#include <string.h>

/* The text of a call of inline PTX without effects, which is one instruction; NULL for other values. */
static const char *text_of(LLVMValueRef i) {
  const char *text = cs_ir_asm_text(i);
  if (!text || LLVMGetInlineAsmHasSideEffects(LLVMGetCalledValue(i)))
    return NULL;
  const char *end = strchr(text, ';');
  return end && !end[1] ? text : NULL;
}

/* Whether a part of the opcode is this word: div of div.s32. */
static int has(const char *text, const char *word) {
  size_t length = strlen(word), end = strcspn(text, " ;");
  for (size_t at = 0; at < end; at += strcspn(text + at, ". ;") + 1)
    if (strcspn(text + at, ". ;") == length && strncmp(text + at, word, length) == 0)
      return 1;
  return 0;
}

static int is_packed(const char *text) {
  static const char *const words[] = {"f16x2", "bf16x2", "f32x2", "s16x2", "u16x2", "e4m3x2", "e5m2x2", "pack"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (has(text, words[k]))
      return 1;
  return 0;
}

static int is_division(const char *text) {
  return (cs_ir_starts_with(text, "div.") || cs_ir_starts_with(text, "rem.")) && !has(text, "f32") && !has(text, "f64");
}

int cs_pass_init_is_arithmetic(LLVMValueRef i) {
  static const char *const opcodes[] = {"div.",   "rem.", "mul.", "mul24.", "mad.", "mad24.", "fma.", "add.",
                                        "sub.",   "sad.", "min.", "max.",   "abs.", "neg.",   "cvt.", "sqrt.",
                                        "rsqrt.", "rcp.", "sin.", "cos.",   "ex2.", "lg2.",   "tanh."};
  const char *text = text_of(i);
  for (size_t k = 0; text && k < sizeof opcodes / sizeof *opcodes; k++)
    if (cs_ir_starts_with(text, opcodes[k]))
      return !is_packed(text);
  return 0;
}

/* Its last operand, $2 of "div.s32 $0, $1, $2;". */
LLVMValueRef cs_pass_init_divisor(LLVMValueRef i) {
  const char *text = text_of(i), *last = text && is_division(text) ? strrchr(text, '$') : NULL;
  char *end;
  unsigned long number = last ? strtoul(last + 1, &end, 10) : 0;
  return number && strcmp(end, ";") == 0 && number <= LLVMGetNumArgOperands(i) ? LLVMGetOperand(i, (unsigned)number - 1)
                                                                               : NULL;
}
