/* calls.c: calls: arguments are read from the memory of .param variables, results are written there. */
#include "ir/memory.h"
#include "lift/instructions.h"
#include "lift/signatures.h"
#include "lift/values.h"
#include <stdlib.h>
#include <string.h>

/* The operands of a call. */
struct call {
  const struct cs_ptx_operand *result, *target, *arguments, *prototype;
  LLVMTypeRef type;
  const struct cs_ptx_function *head; /* NULL: unknown */
  LLVMValueRef callee;
};

static void read_operands(const struct cs_ptx_instruction *i, struct call *c) {
  for (unsigned k = 0; k < i->operand_count; k++) {
    const struct cs_ptx_operand *o = &i->operands[k];
    if (o->kind == CS_PTX_ARGUMENTS)
      *(c->target ? &c->arguments : &c->result) = o;
    else if (!c->target)
      c->target = o;
    else
      c->prototype = o;
  }
}

/* An indirect call names a prototype, or a list of functions of one type. */
static const struct cs_ptx_function *prototype_of(struct cs_lift_function *f, const struct cs_ptx_operand *o) {
  const struct cs_ptx_node *node = o && o->kind == CS_PTX_NAME ? cs_ir_map_get_name(&f->targets, o->name) : NULL;
  if (!node)
    return NULL;
  if (node->kind == CS_PTX_PROTOTYPE)
    return node->prototype;
  struct cs_lift_symbol *first =
      node->instruction.operand_count ? cs_lift_symbol(f, node->instruction.operands[0].name) : NULL;
  return first ? first->function : NULL;
}

static int find_callee(struct cs_lift_function *f, struct call *c) {
  struct cs_lift_symbol *symbol = c->target->kind == CS_PTX_NAME ? cs_lift_symbol(f, c->target->name) : NULL;
  if (symbol && symbol->kind == CS_LIFT_FUNCTION) {
    c->callee = symbol->value;
    c->type = symbol->type;
    c->head = symbol->function;
    return 1;
  }
  c->head = prototype_of(f, c->prototype);
  if (!symbol || symbol->kind != CS_LIFT_REGISTER || !c->head)
    return 0;
  cs_lift_check_head(f->unit, c->head);
  c->type = cs_lift_type_of(f->unit, c->head);
  c->callee =
      LLVMBuildIntToPtr(f->builder, cs_lift_value(f, c->target, (struct cs_ptx_type){'b', 64, 1}), f->unit->ptr, "");
  return 1;
}

/* As the callee expects it: an integer, a pointer, or the address of a block. */
static LLVMValueRef argument(struct cs_lift_function *f, const struct cs_ptx_operand *o, LLVMTypeRef type,
                             int is_block) {
  struct cs_lift_symbol *symbol = o->kind == CS_PTX_NAME ? cs_lift_symbol(f, o->name) : NULL;
  if (symbol && symbol->kind == CS_LIFT_PARAMETER && is_block)
    return symbol->value;
  int is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  LLVMTypeRef integer = is_pointer ? f->unit->i64 : type;
  LLVMValueRef value = symbol && symbol->kind == CS_LIFT_PARAMETER
                           ? LLVMBuildLoad2(f->builder, integer, symbol->value, "")
                           : cs_lift_value(f, o, (struct cs_ptx_type){'b', LLVMGetIntTypeWidth(integer), 1});
  return is_pointer ? LLVMBuildIntToPtr(f->builder, value, type, "") : value;
}

static void store_result(struct cs_lift_function *f, const struct cs_ptx_operand *o, LLVMValueRef made) {
  struct cs_lift_symbol *symbol = o->kind == CS_PTX_NAME ? cs_lift_symbol(f, o->name) : NULL;
  if (LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMPointerTypeKind)
    made = LLVMBuildPtrToInt(f->builder, made, f->unit->i64, "");
  if (symbol && symbol->kind == CS_LIFT_PARAMETER)
    LLVMBuildStore(f->builder, made, symbol->value);
  else
    cs_lift_assign(f, o, made, 0);
}

static void emit(struct cs_lift_function *f, struct call *c, unsigned count) {
  LLVMTypeRef *types = cs_ir_allocate(count, sizeof *types);
  LLVMValueRef *args = cs_ir_allocate(count, sizeof *args);
  LLVMGetParamTypes(c->type, types);
  for (unsigned k = 0; k < count; k++)
    args[k] = argument(f, &c->arguments->items[k], types[k], cs_lift_is_block(&c->head->parameters[k]));
  LLVMValueRef made = LLVMBuildCall2(f->builder, c->type, c->callee, args, count, "");
  for (unsigned k = 0; k < count; k++)
    if (cs_lift_is_block(&c->head->parameters[k]))
      cs_lift_set_by_value(f->unit, made, 1, k, &c->head->parameters[k]);
  if (c->result && c->result->count && LLVMGetTypeKind(LLVMTypeOf(made)) != LLVMVoidTypeKind)
    store_result(f, &c->result->items[0], made);
  free(types);
  free(args);
}

/* call{.uni} {(result),} target{, (arguments)}{, prototype}; */
int cs_lift_call(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct call c = {0};
  read_operands(i, &c);
  unsigned count = c.arguments ? c.arguments->count : 0;
  if (!c.target || !find_callee(f, &c) || count != c.head->parameter_count)
    cs_lift_refuse(f->unit, f->line, c.target && c.target->name ? c.target->name : i->opcode);
  else
    emit(f, &c, count);
  return 1;
}
