/* asm.c: instructions that have no IR of their own become inline PTX: registers are its operands, addresses are
 * pointers. */
#include "lift/asm.h"
#include "ir/module.h"
#include "lift/instructions.h"
#include "lift/values.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 30 };

/* Operands of the asm statement: outputs first. A predicate is passed as an integer and compared or selected in the
 * text. */
struct text {
  struct cs_lift_function *f;
  const struct cs_ptx_operand *outputs[MAX_OPERANDS];
  unsigned output_bits[MAX_OPERANDS], output_count;
  LLVMValueRef inputs[MAX_OPERANDS];
  unsigned input_count;
  int is_remote; /* addresses may be in the shared memory of another block, and have no generic form there */
  FILE *before, *body, *after;
};

/* --- Which operands are written --- */

/* Its first operand is no destination: of bar it is one in bar.red, of mbarrier in some forms. */
static int has_no_result(const struct cs_ptx_instruction *i) {
  if (i->code == CS_PTX_OP_mbarrier)
    return i->operand_count && i->operands[0].kind == CS_PTX_ADDRESS;
  if (i->code == CS_PTX_OP_bar || i->code == CS_PTX_OP_barrier)
    return !cs_ptx_has(i, "red");
  return cs_ptx_is(i, CS_PTX_NO_RESULT);
}

/* Reads or writes more than its operands, or depends on when it is executed. */
static int has_effects(const struct cs_ptx_instruction *i) {
  return cs_ptx_is(i, CS_PTX_EFFECTS) || has_no_result(i);
}

/* --- Text --- */

/* In LLVM's text of inline assembly, $ starts an operand. */
static void put_name(FILE *to, const char *name) {
  for (; *name; name++)
    *name == '$' ? fputs("$$", to) : fputc(*name, to);
}

/* Inputs are numbered after all outputs, which are not counted yet: \1 marks them. */
static void put_input(struct text *t, LLVMValueRef value) {
  if (t->input_count == MAX_OPERANDS) {
    cs_lift_refuse(t->f->unit, t->f->line, "an instruction with more than 30 operands");
    return;
  }
  fprintf(t->body, "\1%02u", t->input_count);
  t->inputs[t->input_count++] = value;
}

static void put_output(struct text *t, const struct cs_ptx_operand *o, unsigned bits) {
  if (t->output_count == MAX_OPERANDS) {
    cs_lift_refuse(t->f->unit, t->f->line, "an instruction with more than 30 operands");
    return;
  }
  unsigned number = t->output_count++;
  t->outputs[number] = o;
  t->output_bits[number] = bits;
  if (bits > 1) {
    fprintf(t->body, "$%u", number);
    return;
  }
  fprintf(t->before, ".reg .pred po%u; ", number);
  fprintf(t->after, " selp.u32 $%u, 1, 0, po%u;", number, number);
  fprintf(t->body, "po%u", number);
}

static void put_predicate(struct text *t, const struct cs_ptx_operand *o) {
  struct cs_lift_function *f = t->f;
  unsigned number = t->input_count;
  struct cs_ptx_operand plain = *o;
  plain.negated = 0;
  FILE *body = t->body;
  LLVMValueRef value = cs_lift_value(f, &plain, (struct cs_ptx_type){'p', 1, 1});
  fprintf(t->before, ".reg .pred pi%u; setp.ne.u32 pi%u, ", number, number);
  t->body = t->before;
  put_input(t, LLVMBuildZExt(f->builder, value, f->unit->i32, ""));
  t->body = body;
  fprintf(t->before, ", 0; ");
  fprintf(t->body, "%spi%u", o->negated ? "!" : "", number);
}

static void put_value(struct text *t, const struct cs_ptx_operand *o, int is_output) {
  struct cs_lift_function *f = t->f;
  struct cs_lift_symbol *symbol = o->kind == CS_PTX_NAME ? cs_lift_symbol(f, o->name) : NULL;
  if (!symbol)
    put_name(t->body, o->name ? o->name : "_"); /* a number, a special register, or _ */
  else if (symbol->kind != CS_LIFT_REGISTER)
    put_input(t, cs_lift_value(f, o, (struct cs_ptx_type){'b', 64, 1}));
  else if (is_output)
    put_output(t, o, symbol->bits);
  else if (symbol->bits == 1)
    put_predicate(t, o);
  else
    put_input(t, cs_lift_value(f, o, (struct cs_ptx_type){'b', symbol->bits, 1}));
}

/* The base of an address: a pointer, so that its origin is found. A 32-bit address is in shared memory. */
static void put_base(struct text *t, const struct cs_ptx_operand *o) {
  struct cs_lift_function *f = t->f;
  struct cs_lift_symbol *symbol = o->kind == CS_PTX_NAME ? cs_lift_symbol(f, o->name) : NULL;
  struct cs_ptx_operand plain = *o, address = {.kind = CS_PTX_ADDRESS, .count = 1, .items = &plain};
  plain.offset = 0;
  if (!symbol) {
    put_value(t, o, 0);
  } else if (symbol->kind == CS_LIFT_REGISTER && symbol->bits == 32) {
    LLVMValueRef pointer = cs_lift_address(f, &address, CS_IR_SPACE_SHARED);
    put_input(t, t->is_remote ? LLVMBuildPtrToInt(f->builder, pointer, f->unit->i32, "") : pointer);
  } else if (symbol->kind == CS_LIFT_REGISTER) {
    put_input(t, cs_lift_address(f, &address, CS_IR_SPACE_GENERIC));
  } else {
    unsigned space = cs_ir_space_of(symbol->value);
    put_input(t, space == CS_IR_SPACE_GLOBAL ? cs_lift_cast(f, symbol->value, CS_IR_SPACE_GENERIC) : symbol->value);
  }
  if (o->offset)
    fprintf(t->body, "+%lld", o->offset);
}

/* Textures and tensors have coordinates in the brackets. */
static void put_address(struct text *t, const struct cs_ptx_operand *o);

static void put_operand(struct text *t, const struct cs_ptx_operand *o, int is_output) {
  static const struct {
    char open, between, close;
  } forms[] = {[CS_PTX_VECTOR] = {'{', ',', '}'}, [CS_PTX_PAIR] = {0, '|', 0}, [CS_PTX_ARGUMENTS] = {'(', ',', ')'}};
  if (o->kind == CS_PTX_ADDRESS) {
    put_address(t, o);
    return;
  }
  if (o->kind < CS_PTX_ADDRESS) {
    put_value(t, o, is_output);
    return;
  }
  if (forms[o->kind].open)
    fputc(forms[o->kind].open, t->body);
  for (unsigned k = 0; k < o->count; k++) {
    if (k)
      fputc(forms[o->kind].between, t->body);
    put_operand(t, &o->items[k], is_output);
  }
  if (forms[o->kind].close)
    fputc(forms[o->kind].close, t->body);
}

static void put_address(struct text *t, const struct cs_ptx_operand *o) {
  fputc('[', t->body);
  for (unsigned k = 0; k < o->count; k++) {
    if (k)
      fputs(", ", t->body);
    if (o->items[k].kind == CS_PTX_NAME && o->count == 1)
      put_base(t, &o->items[k]);
    else
      put_operand(t, &o->items[k], 0);
  }
  fputc(']', t->body);
}

/* --- The call --- */

static char *numbered(const char *before, const char *body, const char *after, unsigned outputs) {
  char *made = NULL;
  size_t length;
  FILE *to = open_memstream(&made, &length);
  const char *const parts[] = {*before ? "{ " : "", before, body, after, *before ? " }" : ""};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    for (const char *at = parts[k]; *at; at++) {
      if (*at != '\1') {
        fputc(*at, to);
        continue;
      }
      fprintf(to, "$%u", outputs + (unsigned)(at[1] - '0') * 10 + (unsigned)(at[2] - '0'));
      at += 2;
    }
  fclose(to);
  return made;
}

static char letter(unsigned bits) {
  return bits <= 16 && bits > 1 ? 'h' : bits <= 32 ? 'r' : bits <= 64 ? 'l' : 'q';
}

static LLVMTypeRef result_type(struct text *t) {
  LLVMTypeRef types[MAX_OPERANDS];
  for (unsigned k = 0; k < t->output_count; k++)
    types[k] = cs_lift_integer(t->f->unit, t->output_bits[k] == 1 ? 32 : t->output_bits[k]);
  return t->output_count == 0   ? LLVMVoidTypeInContext(t->f->unit->context)
         : t->output_count == 1 ? types[0]
                                : LLVMStructTypeInContext(t->f->unit->context, types, t->output_count, 0);
}

static char *constraints_of(struct text *t, int clobbers, LLVMTypeRef *types) {
  char *made = NULL;
  size_t length;
  FILE *to = open_memstream(&made, &length);
  for (unsigned k = 0; k < t->output_count; k++)
    fprintf(to, "%s=%c", k ? "," : "", letter(t->output_bits[k]));
  for (unsigned k = 0; k < t->input_count; k++) {
    types[k] = LLVMTypeOf(t->inputs[k]);
    unsigned bits = LLVMGetTypeKind(types[k]) == LLVMPointerTypeKind ? 64 : LLVMGetIntTypeWidth(types[k]);
    fprintf(to, "%s%c", t->output_count + k ? "," : "", letter(bits));
  }
  if (clobbers)
    fprintf(to, "%s~{memory}", t->output_count + t->input_count ? "," : "");
  fclose(to);
  return made;
}

static LLVMValueRef call(struct text *t, const struct cs_ptx_instruction *i, const char *text) {
  struct cs_lift_unit *unit = t->f->unit;
  LLVMTypeRef types[MAX_OPERANDS];
  int effects = has_effects(i);
  char *constraints = constraints_of(t, effects, types);
  LLVMTypeRef type = LLVMFunctionType(result_type(t), types, t->input_count, 0);
  LLVMValueRef callee = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), effects, 0,
                                         LLVMInlineAsmDialectATT, 0);
  LLVMValueRef made = LLVMBuildCall2(t->f->builder, type, callee, t->inputs, t->input_count, "");
  const char *const names[] = {"nounwind", "convergent"};
  for (int k = 0; k < (cs_ptx_is(i, CS_PTX_CONVERGENT) ? 2 : 1); k++)
    LLVMAddCallSiteAttribute(made, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             cs_ir_attribute(unit->context, names[k]));
  free(constraints);
  return made;
}

static void assign_results(struct text *t, LLVMValueRef made) {
  for (unsigned k = 0; k < t->output_count; k++) {
    LLVMValueRef one = t->output_count > 1 ? LLVMBuildExtractValue(t->f->builder, made, k, "") : made;
    if (t->output_bits[k] == 1)
      one = LLVMBuildICmp(t->f->builder, LLVMIntNE, one, LLVMConstNull(LLVMTypeOf(one)), "");
    cs_lift_assign(t->f, t->outputs[k], one, 0);
  }
}

void cs_lift_asm(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct text t = {.f = f, .is_remote = cs_ptx_has(i, "shared::cluster")};
  char *parts[3] = {NULL};
  size_t lengths[3];
  unsigned refused = f->unit->refused;
  t.before = open_memstream(&parts[0], &lengths[0]);
  t.body = open_memstream(&parts[1], &lengths[1]);
  t.after = open_memstream(&parts[2], &lengths[2]);
  put_name(t.body, i->opcode);
  for (unsigned k = 0; k < i->operand_count; k++) {
    fputs(k ? ", " : " ", t.body);
    put_operand(&t, &i->operands[k], k == 0 && !has_no_result(i));
  }
  fputc(';', t.body);
  fclose(t.before);
  fclose(t.body);
  fclose(t.after);
  if (f->unit->refused == refused) {
    char *text = numbered(parts[0], parts[1], parts[2], t.output_count);
    assign_results(&t, call(&t, i, text));
    free(text);
  }
  for (int k = 0; k < 3; k++)
    free(parts[k]);
}
