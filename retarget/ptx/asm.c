/* asm.c: inline PTX, limited to code over registers and memory, and branches. Each instruction becomes a call of the
 * support library's function for its opcode, or the code that its family generates (ptx/opcodes.inc); registers are
 * names for values. */
#include "retarget/ptx/asm.h"
#include "ir/memory.h"
#include "retarget/bridge/bridge.h"
#include "retarget/ptx/families.h"
#include "retarget/ptx/flow.h"
#include "retarget/unit/library.h"
#include "retarget/unit/refuse.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 12, MAX_OPCODE = 64, MAX_REFUSED = 120 };

static const struct {
  const char *form, *function;
} calls[] = {
#define CS_PTX_CALL(form, function) {form, #function},
#include "ptx/opcodes.inc"
};

static int (*const translations[])(struct cs_rt_asm *, const struct cs_ptx_instruction *) = {
    [CS_PTX_UNKNOWN] = cs_rt_ptx_none,
#define CS_PTX_OPCODE(opcode, access, lift, cpu, traits) [CS_PTX_OP_##opcode] = cs_rt_ptx_##cpu,
#include "ptx/opcodes.inc"
};

int cs_rt_ptx_none(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  (void)a;
  (void)s;
  return 0;
}

static const char *function_for(const char *opcode) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (strcmp(calls[i].form, opcode) == 0)
      return calls[i].function;
  return NULL;
}

/* --- One statement --- */

/* Operands take the widths of the function's parameters. */
static int call_function(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const char *name) {
  LLVMValueRef function = cs_rt_library_function(a->unit, name), args[MAX_OPERANDS];
  LLVMTypeRef params[MAX_OPERANDS], type = function ? LLVMGlobalGetValueType(function) : NULL;
  if (!function || !s->operand_count || s->operand_count > MAX_OPERANDS ||
      LLVMCountParamTypes(type) != s->operand_count - 1)
    return 0;
  LLVMGetParamTypes(type, params);
  for (unsigned i = 0; i + 1 < s->operand_count; i++) {
    LLVMTypeKind kind = LLVMGetTypeKind(params[i]);
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, params[i]);
    int is_float = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    struct cs_ptx_type expected = {is_float ? 'f' : bits == 1 ? 'p' : 'b', bits, 1};
    const struct cs_ptx_operand *o = &s->operands[i + 1];
    args[i] = o->kind == CS_PTX_ADDRESS ? cs_rt_asm_address(a, o, 0) : cs_rt_asm_value(a, o, expected);
    if (!args[i])
      return 0;
  }
  return cs_rt_asm_assign(a, &s->operands[0], cs_rt_asm_call(a, name, args, s->operand_count - 1));
}

/* f16x2: the scalar instruction's function for each half. */
static int call_on_halves(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  char opcode[MAX_OPCODE];
  if (strlen(s->opcode) >= sizeof opcode)
    return 0;
  strcpy(opcode, s->opcode);
  for (char *at = opcode; (at = strstr(at, "f16x2"));) {
    at += strlen("f16");
    memmove(at, at + 2, strlen(at + 2) + 1);
  }
  const char *name = function_for(opcode);
  return name && cs_rt_asm_call_on_halves(a, s, name, 16);
}

static int translate(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  const char *function = function_for(s->opcode);
  if (function)
    return call_function(a, s, function);
  if (translations[s->code](a, s))
    return 1;
  return strstr(s->opcode, "f16x2") && call_on_halves(a, s);
}

/* --- Predicates --- */

/* The registers and outputs before a predicated statement. */
struct before {
  LLVMValueRef *registers, output[CS_RT_ASM_MAX_OUTPUTS];
  unsigned count;
};

static struct before remember(const struct cs_rt_asm *a) {
  struct before before = {cs_ir_allocate(a->register_count + 1, sizeof(LLVMValueRef)), {NULL}, a->register_count};
  for (unsigned i = 0; i < a->register_count; i++)
    before.registers[i] = a->registers[i].value;
  memcpy(before.output, a->output, sizeof before.output);
  return before;
}

/* Replaces every register and output that the statement has changed by join(new, old). */
static void join_changes(struct cs_rt_asm *a, const struct before *before,
                         LLVMValueRef (*join)(struct cs_rt_asm *, LLVMValueRef new, LLVMValueRef old, void *),
                         void *with) {
  for (unsigned i = 0; i < a->register_count + a->outputs; i++) {
    int is_output = i >= a->register_count;
    unsigned index = is_output ? i - a->register_count : i;
    LLVMValueRef *now = is_output ? &a->output[index] : &a->registers[index].value;
    LLVMValueRef old = is_output ? before->output[index] : index < before->count ? before->registers[index] : NULL;
    if (*now != old)
      *now = join(a, *now, old, with);
  }
}

static LLVMValueRef select_value(struct cs_rt_asm *a, LLVMValueRef new, LLVMValueRef old, void *with) {
  if (!old)
    return new; /* the register was undefined before */
  old = LLVMBuildIntCast2(a->builder, old, LLVMTypeOf(new), 0, "");
  return LLVMBuildSelect(a->builder, (LLVMValueRef)with, new, old, "");
}

struct branch {
  LLVMBasicBlockRef before, body;
};

static LLVMValueRef phi_value(struct cs_rt_asm *a, LLVMValueRef new, LLVMValueRef old, void *with) {
  struct branch *branch = with;
  LLVMTypeRef type = LLVMTypeOf(new);
  if (old && LLVMTypeOf(old) != type) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(a->unit->context);
    LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(branch->before));
    old = LLVMBuildIntCast2(builder, old, type, 0, "");
    LLVMDisposeBuilder(builder);
  }
  LLVMValueRef phi = LLVMBuildPhi(a->builder, type, ""), values[] = {new, old ? old : LLVMConstNull(type)};
  LLVMBasicBlockRef blocks[] = {branch->body, branch->before};
  LLVMAddIncoming(phi, values, blocks, 2);
  return phi;
}

static int translate_in_branch(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef condition) {
  struct branch branch = {.before = LLVMGetInstructionParent(a->call)};
  struct before before = remember(a);
  branch.body = cs_rt_bridge_split_before(a->call);
  LLVMBasicBlockRef rest = cs_rt_bridge_split_before(a->call);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(branch.before));
  LLVMPositionBuilderAtEnd(a->builder, branch.before);
  LLVMBuildCondBr(a->builder, condition, branch.body, rest);
  LLVMPositionBuilderBefore(a->builder, LLVMGetBasicBlockTerminator(branch.body));
  int done = translate(a, s);
  LLVMPositionBuilderBefore(a->builder, a->call);
  if (done)
    join_changes(a, &before, phi_value, &branch);
  free(before.registers);
  return done;
}

/* bra and bra.uni. */
static int translate_jump(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef condition) {
  return s->operand_count == 1 && s->operands[0].kind == CS_PTX_NAME &&
         cs_rt_asm_branch(a, s->operands[0].name, condition);
}

static int translate_predicated(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  int jumps = s->code == CS_PTX_OP_bra;
  if (!s->predicate)
    return jumps ? translate_jump(a, s, NULL) : translate(a, s);
  struct cs_ptx_operand predicate = {.kind = CS_PTX_NAME, .name = s->predicate};
  LLVMValueRef condition = cs_rt_asm_value(a, &predicate, (struct cs_ptx_type){'p', 1, 1});
  if (!condition)
    return 0;
  if (s->negated)
    condition = LLVMBuildNot(a->builder, condition, "");
  if (jumps)
    return translate_jump(a, s, condition);
  if (!cs_ptx_is(s, CS_PTX_PURE))
    return translate_in_branch(a, s, condition);
  struct before before = remember(a);
  int done = translate(a, s);
  if (done)
    join_changes(a, &before, select_value, condition);
  free(before.registers);
  return done;
}

/* --- The whole text --- */

/* Scopes are ignored: in one asm statement, names are not shadowed. Registers need no declaration. */
static int translate_node(struct cs_rt_asm *a, const struct cs_ptx_node *node) {
  switch (node->kind) {
  case CS_PTX_INSTRUCTION:
    return translate_predicated(a, &node->instruction);
  case CS_PTX_DECLARATION:
    return strcmp(node->variable->space, ".reg") == 0;
  case CS_PTX_LABEL:
    return cs_rt_asm_place(a, node->name);
  case CS_PTX_OPEN:
  case CS_PTX_CLOSE:
  case CS_PTX_PRAGMA:
    return 1;
  default:
    return 0;
  }
}

/* NULL, or the start of a statement that cannot be translated. */
static const char *translate_tree(struct cs_rt_asm *a, const struct cs_ptx_inline *tree) {
  for (unsigned i = 0; i < tree->body.node_count; i++)
    if (!translate_node(a, &tree->body.nodes[i]))
      return tree->body.nodes[i].text;
  return tree->unknown || cs_rt_asm_all_placed(a) ? tree->unknown : "bra";
}

static void collect_outputs(struct cs_rt_asm *a) {
  LLVMTypeRef type = LLVMTypeOf(a->call);
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
    break;
  case LLVMStructTypeKind:
    a->outputs = LLVMCountStructElementTypes(type);
    if (a->outputs <= CS_RT_ASM_MAX_OUTPUTS)
      LLVMGetStructElementTypes(type, a->output_types);
    break;
  default:
    a->outputs = 1;
    a->output_types[0] = type;
  }
}

static LLVMValueRef output_value(struct cs_rt_asm *a, unsigned index) {
  LLVMTypeRef type = a->output_types[index];
  unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, type);
  if (!a->output[index])
    return LLVMConstNull(type); /* never written: undefined */
  LLVMValueRef value = LLVMBuildIntCast2(a->builder, a->output[index], cs_rt_asm_integer(a, bits), 0, "");
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMBuildIntToPtr(a->builder, value, type, "")
                                                      : LLVMBuildBitCast(a->builder, value, type, "");
}

static void finish(struct cs_rt_asm *a) {
  LLVMTypeRef type = LLVMTypeOf(a->call);
  LLVMValueRef made = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetPoison(type) : NULL;
  for (unsigned i = 0; i < a->outputs; i++) {
    LLVMValueRef value = output_value(a, i);
    made = made ? LLVMBuildInsertValue(a->builder, made, value, i, "") : value;
  }
  if (made)
    LLVMReplaceAllUsesWith(a->call, made);
  LLVMInstructionEraseFromParent(a->call);
}

/* "+r" operands are inputs tied to an output: the output starts with their value. */
static void tie_inputs(struct cs_rt_asm *a, char *constraints) {
  unsigned index = 0, input = 0;
  for (char *rest, *at = strtok_r(constraints, ",", &rest); at && *at != '~';
       at = strtok_r(NULL, ",", &rest), index++) {
    if (index < a->outputs)
      continue;
    if (isdigit((unsigned char)*at) && (unsigned)atoi(at) < a->outputs)
      a->output[atoi(at)] = cs_rt_asm_bits(a, LLVMGetOperand(a->call, input));
    input++;
  }
}

/* Prints the statement up to its end, or to a comment. */
static void refuse(struct cs_rt_asm *a, const char *statement) {
  char what[MAX_REFUSED + 16];
  size_t length = strcspn(statement, ";/");
  while (length && isspace((unsigned char)statement[length - 1]))
    length--;
  snprintf(what, sizeof what, "asm \"%.*s\"", (int)(length < MAX_REFUSED ? length : MAX_REFUSED), statement);
  for (char *at = what; *at; at++)
    if (isspace((unsigned char)*at))
      *at = ' ';
  cs_rt_refuse(a->unit, a->call, what);
}

static void lower(struct cs_rt_unit *unit, LLVMValueRef call, const char *text, char *constraints) {
  struct cs_rt_asm a = {.unit = unit, .call = call, .builder = LLVMCreateBuilderInContext(unit->context)};
  struct cs_ptx_inline tree;
  cs_ptx_parse_inline(&tree, text);
  LLVMPositionBuilderBefore(a.builder, call);
  collect_outputs(&a);
  const char *unknown = text;
  if (a.outputs <= CS_RT_ASM_MAX_OUTPUTS) {
    tie_inputs(&a, constraints);
    cs_rt_asm_define_all(&a, &tree);
    unknown = translate_tree(&a, &tree);
  }
  if (unknown)
    refuse(&a, unknown);
  else
    finish(&a);
  LLVMDisposeBuilder(a.builder);
  free(a.registers);
  free(a.labels);
  cs_ptx_inline_free(&tree);
}

void cs_rt_lower_asm(struct cs_rt_unit *unit, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length, constraint_length;
  const char *raw = LLVMGetInlineAsmAsmString(callee, &length);
  const char *raw_constraints = LLVMGetInlineAsmConstraintString(callee, &constraint_length);
  char *text = cs_ir_copy_text(raw, length), *constraints = cs_ir_copy_text(raw_constraints, constraint_length);
  lower(unit, call, text, constraints);
  free(text);
  free(constraints);
}

void cs_rt_lower_as_asm(struct cs_rt_unit *unit, LLVMValueRef call, const char *text) {
  char constraints[] = "";
  lower(unit, call, text, constraints);
}
