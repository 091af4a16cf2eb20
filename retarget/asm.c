/* asm.c: inline PTX, as far as it is straight-line code over registers. Each instruction becomes a call of the support
 * library's function for its opcode (ptx.inc); registers are names for values; the carry flag is one more value. */
#include "retarget/retarget.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 6, MAX_REGISTERS = 64, NAME = 64 };

enum form { PLAIN, CARRY };
static const struct opcode {
  const char *name, *function;
  enum form form;
} opcodes[] = {
#define CS_PTX(name, function) {name, #function, PLAIN},
#define CS_PTX_CARRY(name, function) {name, #function, CARRY},
#include "retarget/ptx.inc"
#undef CS_PTX
#undef CS_PTX_CARRY
};

struct assembly {
  struct cs_unit *unit;
  LLVMBuilderRef builder;
  LLVMValueRef call;
  unsigned outputs;
  LLVMTypeRef output_types[MAX_OPERANDS];
  LLVMValueRef output[MAX_OPERANDS];
  struct {
    char name[NAME];
    LLVMValueRef value;
  } registers[MAX_REGISTERS];
  unsigned register_count;
  LLVMValueRef carry;
};

static LLVMTypeRef integer(struct assembly *a, unsigned bits) {
  return LLVMIntTypeInContext(a->unit->context, bits);
}

/* --- Operands --- */

static LLVMValueRef *register_named(struct assembly *a, const char *name) {
  for (unsigned i = 0; i < a->register_count; i++)
    if (strcmp(a->registers[i].name, name) == 0)
      return &a->registers[i].value;
  if (a->register_count == MAX_REGISTERS || strlen(name) >= NAME)
    return NULL;
  strcpy(a->registers[a->register_count].name, name);
  return &a->registers[a->register_count++].value;
}

/* "$3": an operand of the asm statement; outputs come first. */
static int operand_number(const char *text) {
  return text[0] == '$' && isdigit((unsigned char)text[1]) ? atoi(text + 1) : -1;
}

static LLVMValueRef immediate(struct assembly *a, const char *text) {
  LLVMTypeRef word = integer(a, 64);
  char *end;
  if (text[0] == '0' && (text[1] == 'f' || text[1] == 'F')) {
    LLVMValueRef bits = LLVMConstInt(integer(a, 32), strtoull(text + 2, &end, 16), 0);
    return *end ? NULL : LLVMConstBitCast(bits, LLVMFloatTypeInContext(a->unit->context));
  }
  unsigned long long value = strtoull(text, &end, 0);
  if (*end == 'U')
    end++;
  return end == text || *end ? NULL : LLVMConstInt(word, value, 0);
}

static LLVMValueRef special_register(struct assembly *a, const char *name) {
  char dotted[NAME], *at;
  LLVMTypeRef type = integer(a, 32);
  if (strcmp(name, "WARP_SZ") == 0)
    return LLVMConstInt(type, 32, 0);
  snprintf(dotted, sizeof dotted, "%s", name + 1);
  while ((at = strchr(dotted, '.')))
    *at = '_';
  if (strncmp(dotted, "lanemask_", 9) && strcmp(dotted, "laneid") && strcmp(dotted, "warpid") &&
      strcmp(dotted, "clock") && strcmp(dotted, "clock64") && !strstr(dotted, "tid_") && !strstr(dotted, "ctaid_"))
    return NULL;
  if (strcmp(dotted, "clock64") == 0)
    type = integer(a, 64);
  return cs_call_support(a->unit, a->builder, dotted, NULL, 0, type);
}

static LLVMValueRef value_of(struct assembly *a, const char *text) {
  int number = operand_number(text);
  if (number >= 0) {
    if ((unsigned)number < a->outputs)
      return a->output[number];
    unsigned index = (unsigned)number - a->outputs;
    return index < LLVMGetNumArgOperands(a->call) ? LLVMGetOperand(a->call, index) : NULL;
  }
  if (isdigit((unsigned char)text[0]) || text[0] == '-')
    return immediate(a, text);
  if (text[0] == '%' || strcmp(text, "WARP_SZ") == 0)
    return special_register(a, text);
  LLVMValueRef *known = register_named(a, text);
  return known ? *known : NULL;
}

static LLVMValueRef as_integer(struct assembly *a, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
    return value;
  unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, type);
  return LLVMBuildBitCast(a->builder, value, integer(a, bits), "");
}

/* Registers carry integers, so that a float's bits may be read as they are. */
static int assign(struct assembly *a, const char *text, LLVMValueRef value) {
  int number = operand_number(text);
  if (number >= 0 && (unsigned)number >= a->outputs)
    return 0;
  LLVMValueRef *slot = number >= 0 ? &a->output[number] : register_named(a, text);
  if (slot)
    *slot = as_integer(a, value);
  return slot != NULL;
}

/* --- Instructions --- */

struct statement {
  char opcode[NAME];
  char operands[MAX_OPERANDS][NAME];
  unsigned count;
};

static unsigned bits_in(const char *opcode) {
  const char *dot = strrchr(opcode, '.');
  return dot ? (unsigned)atoi(dot + 2) : 0;
}

/* "{low,high}": both halves' texts. */
static int halves(const char *text, char *low, char *high) {
  return sscanf(text, "{%63[^,{}],%63[^,{}]}", low, high) == 2;
}

static int move(struct assembly *a, struct statement *s) {
  char low[NAME], high[NAME];
  unsigned bits = bits_in(s->opcode);
  if (s->count != 2 || !bits)
    return 0;
  LLVMTypeRef whole = integer(a, bits), half = integer(a, bits / 2);
  LLVMValueRef by = LLVMConstInt(whole, bits / 2, 0);
  if (halves(s->operands[0], low, high)) {
    LLVMValueRef value = value_of(a, s->operands[1]);
    if (!value)
      return 0;
    value = as_integer(a, value);
    return assign(a, low, LLVMBuildTrunc(a->builder, value, half, "")) &&
           assign(a, high, LLVMBuildTrunc(a->builder, LLVMBuildLShr(a->builder, value, by, ""), half, ""));
  }
  if (halves(s->operands[1], low, high)) {
    LLVMValueRef l = value_of(a, low), h = value_of(a, high);
    if (!l || !h)
      return 0;
    l = LLVMBuildIntCast2(a->builder, as_integer(a, l), half, 0, "");
    h = LLVMBuildIntCast2(a->builder, as_integer(a, h), half, 0, "");
    h = LLVMBuildShl(a->builder, LLVMBuildZExt(a->builder, h, whole, ""), by, "");
    return assign(a, s->operands[0], LLVMBuildOr(a->builder, LLVMBuildZExt(a->builder, l, whole, ""), h, ""));
  }
  LLVMValueRef value = value_of(a, s->operands[1]);
  return value && assign(a, s->operands[0], LLVMBuildIntCast2(a->builder, as_integer(a, value), whole, 0, ""));
}

/* "[$1]" or "[$1+16]" as a pointer. */
static LLVMValueRef address(struct assembly *a, const char *text) {
  char base[NAME];
  unsigned long long offset = 0;
  if (sscanf(text, "[%63[^]+]+%llu]", base, &offset) < 1)
    return NULL;
  LLVMValueRef value = value_of(a, base);
  if (!value)
    return NULL;
  LLVMTypeRef word = integer(a, 64), pointer = LLVMPointerTypeInContext(a->unit->context, 0);
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
    value = LLVMBuildPtrToInt(a->builder, value, word, "");
  if (LLVMSizeOfTypeInBits(a->unit->layout, LLVMTypeOf(value)) != 64)
    return NULL; /* a 32-bit shared address is not an address here */
  value = LLVMBuildAdd(a->builder, value, LLVMConstInt(word, offset, 0), "");
  return LLVMBuildIntToPtr(a->builder, value, pointer, "");
}

static int memory(struct assembly *a, struct statement *s, int store) {
  unsigned bits = bits_in(s->opcode);
  if (s->count != 2 || (bits != 8 && bits != 16 && bits != 32 && bits != 64) || strstr(s->opcode, ".v"))
    return 0;
  LLVMValueRef at = address(a, s->operands[store ? 0 : 1]), made;
  if (!at)
    return 0;
  if (store) {
    LLVMValueRef value = value_of(a, s->operands[1]);
    if (!value)
      return 0;
    value = LLVMBuildIntCast2(a->builder, as_integer(a, value), integer(a, bits), 0, "");
    made = LLVMBuildStore(a->builder, value, at);
  } else {
    made = LLVMBuildLoad2(a->builder, integer(a, bits), at, "");
  }
  LLVMSetAlignment(made, bits / 8);
  LLVMSetVolatile(made, strstr(s->opcode, ".volatile") || strstr(s->opcode, ".cv") || strstr(s->opcode, ".wt") ||
                            strstr(s->opcode, ".relaxed"));
  return store || assign(a, s->operands[0], made);
}

static const struct opcode *opcode_named(const char *name) {
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
    if (strcmp(opcodes[i].name, name) == 0)
      return &opcodes[i];
  return NULL;
}

/* The arguments as the function wants them: immediates are 64 bits wide, registers integers. */
static int arguments(struct assembly *a, struct statement *s, LLVMValueRef function, LLVMValueRef *args) {
  LLVMTypeRef params[MAX_OPERANDS + 1], type = LLVMGlobalGetValueType(function);
  unsigned count = s->count - 1;
  if (LLVMCountParamTypes(type) < count || LLVMCountParamTypes(type) > MAX_OPERANDS)
    return 0;
  LLVMGetParamTypes(type, params);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef value =
        s->operands[i + 1][0] == '[' ? address(a, s->operands[i + 1]) : value_of(a, s->operands[i + 1]);
    if (!value)
      return 0;
    unsigned wanted = (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, params[i]);
    if (LLVMGetTypeKind(params[i]) != LLVMPointerTypeKind) {
      value = LLVMBuildIntCast2(a->builder, as_integer(a, value), integer(a, wanted), 0, "");
      value = LLVMBuildBitCast(a->builder, value, params[i], "");
    }
    args[i] = value;
  }
  return 1;
}

static int operate(struct assembly *a, struct statement *s) {
  const struct opcode *opcode = opcode_named(s->opcode);
  LLVMValueRef function = opcode && s->count ? cs_support_function(a->unit, opcode->function) : NULL;
  LLVMValueRef args[MAX_OPERANDS + 1];
  if (!function || !arguments(a, s, function, args))
    return 0;
  unsigned count = s->count - 1;
  LLVMTypeRef type = LLVMGlobalGetValueType(function), result = LLVMGetReturnType(type);
  if (opcode->form == CARRY)
    args[count++] = a->carry ? a->carry : LLVMConstNull(integer(a, 1));
  if (count != LLVMCountParamTypes(type))
    return 0;
  LLVMValueRef made = cs_call_support(a->unit, a->builder, opcode->function, args, count, result);
  if (opcode->form == CARRY) {
    a->carry = LLVMBuildTrunc(a->builder, LLVMBuildExtractValue(a->builder, made, 1, ""), integer(a, 1), "");
    made = LLVMBuildExtractValue(a->builder, made, 0, "");
  }
  return assign(a, s->operands[0], made);
}

/* The checks of the pass trap after they have recorded an error, and the kernel goes on; anybody else's thread ends. */
static int trap(struct assembly *a) {
  size_t length;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->call));
  int goes_on = cs_starts_with(LLVMGetValueName2(function, &length), "__cs_");
  return cs_call_support(a->unit, a->builder, goes_on ? "trap_and_go_on" : "trap", NULL, 0,
                         LLVMVoidTypeInContext(a->unit->context)) != NULL;
}

/* A pair of halves: the scalar instruction on each. The registers of the two runs are the pair's, shifted. */
static int operate_on_halves(struct assembly *a, struct statement *s) {
  LLVMTypeRef half = integer(a, 16), whole = integer(a, 32);
  LLVMValueRef by = LLVMConstInt(whole, 16, 0), made[2];
  struct statement one = *s;
  char *at;
  while ((at = strstr(one.opcode, "x2")))
    memmove(at, at + 2, strlen(at + 2) + 1);
  strcpy(one.operands[0], "pair.result");
  for (int high = 0; high < 2; high++) {
    for (unsigned i = 1; i < s->count; i++) {
      LLVMValueRef value = value_of(a, s->operands[i]);
      if (!value || LLVMTypeOf(value) != whole)
        return 0;
      value = high ? LLVMBuildLShr(a->builder, value, by, "") : value;
      snprintf(one.operands[i], NAME, "pair.%u", i);
      if (!assign(a, one.operands[i], LLVMBuildTrunc(a->builder, value, half, "")))
        return 0;
    }
    if (!operate(a, &one))
      return 0;
    made[high] = LLVMBuildIntCast2(a->builder, value_of(a, "pair.result"), half, 0, "");
    made[high] = LLVMBuildZExt(a->builder, made[high], whole, "");
  }
  return assign(a, s->operands[0], LLVMBuildOr(a->builder, made[0], LLVMBuildShl(a->builder, made[1], by, ""), ""));
}

static int translate(struct assembly *a, struct statement *s) {
  if (cs_starts_with(s->opcode, "mov."))
    return move(a, s);
  if (cs_starts_with(s->opcode, "ld.global") || cs_starts_with(s->opcode, "ld.volatile") ||
      cs_starts_with(s->opcode, "ld.relaxed"))
    return memory(a, s, 0);
  if (cs_starts_with(s->opcode, "st.global") || cs_starts_with(s->opcode, "st.volatile") ||
      cs_starts_with(s->opcode, "st.relaxed"))
    return memory(a, s, 1);
  if (strcmp(s->opcode, "trap") == 0)
    return trap(a);
  if (cs_starts_with(s->opcode, "membar.") || cs_starts_with(s->opcode, "fence."))
    return cs_call_support(a->unit, a->builder, "fence", NULL, 0, LLVMVoidTypeInContext(a->unit->context)) != NULL;
  if (strstr(s->opcode, "f16x2") && !opcode_named(s->opcode) && !strchr(s->operands[1], '['))
    return operate_on_halves(a, s);
  return operate(a, s);
}

/* --- The text --- */

/* One statement without its semicolon: opcode, then operands at the commas outside braces. */
static int parse(const char *text, size_t length, struct statement *s) {
  size_t i = 0, n = 0;
  int depth = 0;
  memset(s, 0, sizeof *s);
  for (; i < length && !isspace((unsigned char)text[i]); i++)
    if (n + 1 < NAME)
      s->opcode[n++] = text[i];
  n = 0;
  for (; i < length; i++) {
    char c = text[i];
    depth += (c == '{') - (c == '}');
    if (isspace((unsigned char)c))
      continue;
    if (s->count == 0)
      s->count = 1;
    if (c == ',' && depth == 0) {
      if (s->count++ == MAX_OPERANDS)
        return 0;
      n = 0;
    } else if (n + 1 < NAME) {
      s->operands[s->count - 1][n++] = c;
    }
  }
  return 1;
}

/* "$$" is a dollar sign in a register's name. */
static char *unescape(const char *text, size_t length) {
  char *copy = malloc(length + 1), *to = copy;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '$' && i + 1 < length && text[i + 1] == '$') {
      *to++ = '_';
      i++;
    } else {
      *to++ = text[i];
    }
  }
  *to = 0;
  return copy;
}

static int translate_text(struct assembly *a, const char *text) {
  while (*text) {
    while (isspace((unsigned char)*text) || *text == ';')
      text++;
    if ((*text == '{' || *text == '}') && text++)
      continue; /* a scope: names in the toolkit's headers do not shadow with other meanings */
    if (!*text)
      return 1;
    size_t length = strcspn(text, ";");
    struct statement statement;
    int declaration = cs_starts_with(text, ".reg"); /* registers come to be when they are assigned */
    if (!declaration && (!parse(text, length, &statement) || !translate(a, &statement)))
      return 0;
    text += length;
  }
  return 1;
}

static void collect_outputs(struct assembly *a) {
  LLVMTypeRef type = LLVMTypeOf(a->call);
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
    break;
  case LLVMStructTypeKind:
    a->outputs = LLVMCountStructElementTypes(type);
    if (a->outputs <= MAX_OPERANDS)
      LLVMGetStructElementTypes(type, a->output_types);
    break;
  default:
    a->outputs = 1;
    a->output_types[0] = type;
  }
}

static LLVMValueRef output_value(struct assembly *a, unsigned index) {
  LLVMTypeRef type = a->output_types[index];
  unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, type);
  if (!a->output[index])
    return NULL;
  LLVMValueRef value = LLVMBuildIntCast2(a->builder, a->output[index], integer(a, bits), 0, "");
  return LLVMBuildBitCast(a->builder, value, type, "");
}

static int finish(struct assembly *a) {
  LLVMTypeRef type = LLVMTypeOf(a->call);
  LLVMValueRef made = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetPoison(type) : NULL;
  for (unsigned i = 0; i < a->outputs; i++) {
    LLVMValueRef value = output_value(a, i);
    if (!value)
      return 0;
    made = made ? LLVMBuildInsertValue(a->builder, made, value, i, "") : value;
  }
  if (made)
    LLVMReplaceAllUsesWith(a->call, made);
  LLVMInstructionEraseFromParent(a->call);
  return 1;
}

/* "+r" operands are inputs tied to an output: they start as it. */
static void tie_inputs(struct assembly *a, char *constraints) {
  unsigned index = 0, input = 0;
  for (char *rest, *at = strtok_r(constraints, ",", &rest); at && *at != '~';
       at = strtok_r(NULL, ",", &rest), index++) {
    if (index < a->outputs)
      continue;
    if (isdigit((unsigned char)*at) && (unsigned)atoi(at) < a->outputs)
      a->output[atoi(at)] = as_integer(a, LLVMGetOperand(a->call, input));
    input++;
  }
}

void cs_lower_asm(struct cs_unit *unit, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length, constraint_length;
  const char *raw = LLVMGetInlineAsmAsmString(callee, &length);
  const char *raw_constraints = LLVMGetInlineAsmConstraintString(callee, &constraint_length);
  struct assembly a = {.unit = unit, .call = call, .builder = LLVMCreateBuilderInContext(unit->context)};
  char *text = unescape(raw, length), *constraints = strndup(raw_constraints, constraint_length);
  LLVMPositionBuilderBefore(a.builder, call);
  collect_outputs(&a);
  if (a.outputs <= MAX_OPERANDS)
    tie_inputs(&a, constraints);
  if (a.outputs > MAX_OPERANDS || !translate_text(&a, text) || !finish(&a)) {
    char what[128];
    snprintf(what, sizeof what, "asm \"%.80s\"", text);
    for (char *c = what; *c; c++)
      if (*c == '\n' || *c == '\t')
        *c = ' ';
    cs_refuse(unit, call, what);
  }
  LLVMDisposeBuilder(a.builder);
  free(text);
  free(constraints);
}
