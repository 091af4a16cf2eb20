/* body.c: writes the statements of a function: declarations, labels, branches, predicates. */
#include "lift/body.h"
#include "lift/asm.h"
#include "lift/frames.h"
#include "lift/globals.h"
#include "lift/instructions.h"
#include "lift/lines.h"
#include "lift/scopes.h"
#include "lift/signatures.h"
#include "lift/values.h"
#include <string.h>

/* --- Declarations --- */

static void declare_registers(struct cs_lift_function *f, const struct cs_ptx_variable *v) {
  unsigned bits = cs_lift_element_bits(v);
  if (v->lanes > 1 || bits == 0 || v->dimension_count)
    cs_lift_refuse(f->unit, v->line, "registers of this type");
  if (v->registers)
    cs_lift_new_range(f, v->name, v->registers, bits ? bits : 32);
  else
    cs_lift_new_symbol(f, v->name, CS_LIFT_REGISTER)->bits = bits ? bits : 32;
}

static struct cs_lift_symbol *declare_parameter(struct cs_lift_function *f, const struct cs_ptx_variable *v,
                                                LLVMValueRef memory) {
  struct cs_lift_symbol *symbol = cs_lift_new_symbol(f, v->name, CS_LIFT_PARAMETER);
  symbol->type = cs_lift_parameter_type(f->unit, v);
  symbol->value = memory ? memory : cs_lift_alloca(f, symbol->type, cs_lift_parameter_align(v));
  return symbol;
}

static void declare(struct cs_lift_function *f, const struct cs_ptx_variable *v) {
  if (strcmp(v->space, ".reg") == 0) {
    declare_registers(f, v);
  } else if (strcmp(v->space, ".param") == 0) {
    cs_lift_check_parameter(f->unit, v);
    declare_parameter(f, v, NULL);
  } else if (strcmp(v->space, ".local") == 0) {
    struct cs_lift_symbol *symbol = cs_lift_new_symbol(f, v->name, CS_LIFT_VARIABLE);
    unsigned bits = cs_lift_element_bits(v);
    symbol->type = LLVMArrayType2(cs_lift_integer(f->unit, bits ? bits : 8),
                                  cs_lift_is_too_large(f->unit, v) ? 0 : cs_lift_length(v));
    symbol->value = cs_lift_alloca(f, symbol->type, v->align ? v->align : bits / 8);
    cs_lift_split_frame(f, v);
  } else if (strcmp(v->space, ".shared") == 0) {
    cs_lift_name_symbol(f, v->name, cs_lift_declare_variable(f->unit, v));
  } else {
    cs_lift_refuse(f->unit, v->line, v->space);
  }
}

/* --- Control flow --- */

static LLVMBasicBlockRef new_block(struct cs_lift_function *f) {
  return LLVMAppendBasicBlockInContext(f->unit->context, f->value, "");
}

static void start_block(struct cs_lift_function *f, LLVMBasicBlockRef block) {
  if (!f->ended)
    LLVMBuildBr(f->builder, block);
  if (block != LLVMGetLastBasicBlock(f->value))
    LLVMMoveBasicBlockAfter(block, LLVMGetLastBasicBlock(f->value));
  LLVMPositionBuilderAtEnd(f->builder, block);
  f->ended = 0;
}

/* The block of a label; a block that ends the thread if there is none. */
static LLVMBasicBlockRef target(struct cs_lift_function *f, const struct cs_ptx_operand *o) {
  LLVMBasicBlockRef block = o->kind == CS_PTX_NAME ? cs_lift_label(f, o->name) : NULL;
  if (block)
    return block;
  cs_lift_reject(f->unit, f->line, o->name ? o->name : "an operand of this form", "is no label in this scope");
  block = new_block(f);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->unit->context);
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
  return block;
}

/* A label that is declared twice has been rejected; its block is written once. */
static void start_label(struct cs_lift_function *f, const char *name) {
  LLVMBasicBlockRef block = cs_lift_label(f, name);
  start_block(f, LLVMGetFirstInstruction(block) ? new_block(f) : block);
}

static void leave(struct cs_lift_function *f) {
  if (f->result && f->result->kind == CS_LIFT_REGISTER)
    LLVMBuildRet(f->builder,
                 LLVMBuildLoad2(f->builder, cs_lift_integer(f->unit, f->result->bits), cs_lift_slot(f, f->result), ""));
  else if (f->result)
    LLVMBuildRet(f->builder, LLVMBuildLoad2(f->builder, f->result->type, f->result->value, ""));
  else
    LLVMBuildRetVoid(f->builder);
  f->ended = 1;
}

int cs_lift_bra(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  if (i->operand_count != 1 || i->operands[0].kind != CS_PTX_NAME)
    return 0;
  LLVMBuildBr(f->builder, target(f, &i->operands[0]));
  f->ended = 1;
  return 1;
}

/* brx.idx index, targets; */
int cs_lift_brx(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  const struct cs_ptx_node *node = i->operand_count == 2 && i->operands[1].kind == CS_PTX_NAME
                                       ? cs_ir_map_get_name(&f->targets, i->operands[1].name)
                                       : NULL;
  if (!node || node->kind != CS_PTX_TARGETS) {
    cs_lift_refuse(f->unit, f->line, i->opcode);
    return 1;
  }
  const struct cs_ptx_instruction *list = &node->instruction;
  LLVMBasicBlockRef beyond = new_block(f);
  LLVMValueRef index = cs_lift_value(f, &i->operands[0], (struct cs_ptx_type){'u', 32, 1});
  LLVMValueRef branch = LLVMBuildSwitch(f->builder, index, beyond, list->operand_count);
  for (unsigned k = 0; k < list->operand_count; k++)
    LLVMAddCase(branch, cs_lift_number(f->unit, 32, k), target(f, &list->operands[k]));
  f->ended = 1;
  start_block(f, beyond); /* an index outside the list is undefined */
  LLVMBuildUnreachable(f->builder);
  f->ended = 1;
  return 1;
}

int cs_lift_ret(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  (void)i;
  leave(f);
  return 1;
}

/* A kernel returns; a function ends its thread. */
int cs_lift_exit(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return f->ptx->is_entry && cs_lift_ret(f, i);
}

/* --- Instructions --- */

int cs_lift_none(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  (void)f;
  (void)i;
  return 0;
}

static int (*const instructions[])(struct cs_lift_function *, const struct cs_ptx_instruction *) = {
    [CS_PTX_UNKNOWN] = cs_lift_none,
#define CS_PTX_OPCODE(opcode, access, lift, cpu, traits) [CS_PTX_OP_##opcode] = cs_lift_##lift,
#include "ptx/opcodes.inc"
};

static void instruction(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  if (!cs_lift_frame_add(f, i) && !instructions[i->code](f, i))
    cs_lift_asm(f, i);
}

/* A branch around it; LLVM turns it into a selection where it can. */
static void predicated(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  if (f->ended)
    start_block(f, new_block(f)); /* unreachable */
  if (!i->predicate) {
    instruction(f, i);
    return;
  }
  LLVMValueRef condition = cs_lift_predicate(f, i->predicate, i->negated);
  LLVMBasicBlockRef after = new_block(f);
  if (i->code == CS_PTX_OP_bra && i->operand_count == 1 && i->operands[0].kind == CS_PTX_NAME) {
    LLVMBuildCondBr(f->builder, condition, target(f, &i->operands[0]), after);
  } else {
    LLVMBasicBlockRef within = new_block(f);
    LLVMBuildCondBr(f->builder, condition, within, after);
    f->ended = 1;
    start_block(f, within);
    instruction(f, i);
    if (!f->ended)
      LLVMBuildBr(f->builder, after);
  }
  f->ended = 1;
  start_block(f, after);
}

static void statement(struct cs_lift_function *f, const struct cs_ptx_node *node) {
  f->line = node->line;
  switch (node->kind) {
  case CS_PTX_INSTRUCTION:
    predicated(f, &node->instruction);
    break;
  case CS_PTX_LABEL:
    start_label(f, node->name);
    break;
  case CS_PTX_DECLARATION:
    declare(f, node->variable);
    break;
  case CS_PTX_LOC:
    cs_lift_set_line(f, node->loc);
    break;
  case CS_PTX_OPEN:
    cs_lift_open_scope(f);
    break;
  case CS_PTX_CLOSE:
    cs_lift_close_scope(f);
    break;
  case CS_PTX_PRAGMA:
  case CS_PTX_TARGETS:
  case CS_PTX_PROTOTYPE:
    break;
  }
}

/* --- The function --- */

/* Scalars are stored in memory of their own, which becomes an SSA value; a block is the argument's memory. */
static void declare_parameters(struct cs_lift_function *f) {
  for (unsigned k = 0; k < f->ptx->parameter_count; k++) {
    const struct cs_ptx_variable *v = &f->ptx->parameters[k];
    LLVMValueRef given = LLVMGetParam(f->value, k);
    if (strcmp(v->space, ".reg") == 0) {
      declare_registers(f, v);
      LLVMBuildStore(f->builder, given, cs_lift_slot(f, cs_lift_symbol(f, v->name)));
    } else if (cs_lift_is_block(v)) {
      declare_parameter(f, v, given);
    } else {
      LLVMBuildStore(f->builder, given, declare_parameter(f, v, NULL)->value);
    }
  }
  if (f->ptx->result_count && strcmp(f->ptx->results[0].space, ".reg") == 0) {
    declare_registers(f, &f->ptx->results[0]);
    f->result = cs_lift_symbol(f, f->ptx->results[0].name);
  } else if (f->ptx->result_count) {
    f->result = declare_parameter(f, &f->ptx->results[0], NULL);
  }
}

/* Lists and prototypes may follow the instructions that name them. */
static void collect_targets(struct cs_lift_function *f) {
  for (unsigned k = 0; k < f->ptx->node_count; k++) {
    struct cs_ptx_node *node = &f->ptx->nodes[k];
    if (node->kind == CS_PTX_TARGETS || node->kind == CS_PTX_PROTOTYPE)
      cs_ir_map_set_name(&f->targets, node->name, node);
  }
}

static void finish(struct cs_lift_function *f, LLVMBasicBlockRef start) {
  if (!f->ended)
    leave(f);
  LLVMBuildBr(f->allocas, start);
}

static void release(struct cs_lift_function *f) {
  cs_lift_free_scopes(f);
  cs_ir_map_free(&f->targets);
  cs_ir_map_free(&f->calls);
  LLVMDisposeBuilder(f->builder);
  LLVMDisposeBuilder(f->allocas);
}

void cs_lift_body(struct cs_lift_unit *unit, struct cs_lift_symbol *symbol) {
  struct cs_lift_function f = {.unit = unit,
                               .ptx = symbol->function,
                               .value = symbol->value,
                               .line = symbol->function->line,
                               .builder = LLVMCreateBuilderInContext(unit->context),
                               .allocas = LLVMCreateBuilderInContext(unit->context)};
  f.entry = new_block(&f);
  LLVMBasicBlockRef start = new_block(&f);
  LLVMPositionBuilderAtEnd(f.allocas, f.entry);
  LLVMPositionBuilderAtEnd(f.builder, start);
  cs_lift_start_function_lines(&f);
  cs_lift_collect_labels(&f);
  collect_targets(&f);
  declare_parameters(&f);
  for (unsigned k = 0; k < f.ptx->node_count; k++)
    statement(&f, &f.ptx->nodes[k]);
  finish(&f, start);
  release(&f);
}
