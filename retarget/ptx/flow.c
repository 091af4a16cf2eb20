/* flow.c: labels and branches in inline PTX, such as a loop that waits for an mbarrier.
 *
 * In straight-line code registers are names for values. A block that others branch to has no such names: at its start
 * and end, all registers and outputs are in variables on the stack, which the optimiser removes. */
#include "retarget/ptx/flow.h"
#include "ir/memory.h"
#include "retarget/bridge/bridge.h"
#include <stdlib.h>
#include <string.h>

/* --- Registers in memory --- */

enum { MAX_BITS = 64 };

/* The slot has the width of the register, not of the value: the engine's compiler crashes on some wider phis. */
static int store_one(struct cs_rt_asm *a, LLVMValueRef value, LLVMValueRef *slot) {
  if (!value)
    return 1;
  if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) > MAX_BITS)
    return 0;
  if (!*slot)
    *slot = cs_rt_asm_slot(a, cs_rt_asm_integer(a, MAX_BITS));
  LLVMBuildStore(a->builder, LLVMBuildIntCast2(a->builder, value, LLVMGetAllocatedType(*slot), 0, ""), *slot);
  return 1;
}

static int store_all(struct cs_rt_asm *a) {
  int stored = 1;
  for (unsigned i = 0; i < a->register_count; i++)
    stored &= store_one(a, a->registers[i].value, &a->registers[i].slot);
  for (unsigned i = 0; i < a->outputs; i++)
    stored &= store_one(a, a->output[i], &a->output_slot[i]);
  return stored;
}

static void load_one(struct cs_rt_asm *a, LLVMValueRef *value, LLVMValueRef slot) {
  if (slot)
    *value = LLVMBuildLoad2(a->builder, LLVMGetAllocatedType(slot), slot, "");
}

static void load_all(struct cs_rt_asm *a) {
  for (unsigned i = 0; i < a->register_count; i++)
    load_one(a, &a->registers[i].value, a->registers[i].slot);
  for (unsigned i = 0; i < a->outputs; i++)
    load_one(a, &a->output[i], a->output_slot[i]);
  a->carry = NULL;
}

/* --- Registers without a value --- */

/* "r", or "r<8>" for r0 to r7. */
static int declares(const struct cs_ptx_variable *v, const char *name) {
  size_t length = strlen(v->name);
  if (!v->registers)
    return strcmp(name, v->name) == 0;
  return strncmp(name, v->name, length) == 0 && name[length] &&
         strspn(name + length, "0123456789") == strlen(name + length);
}

static unsigned register_bits(const struct cs_ptx_inline *tree, const char *name) {
  for (unsigned i = 0; i < tree->body.node_count; i++) {
    const struct cs_ptx_node *node = &tree->body.nodes[i];
    if (node->kind != CS_PTX_DECLARATION || !declares(node->variable, name))
      continue;
    const char *type = node->variable->type, *digits = type + strcspn(type, "0123456789");
    unsigned bits = strcmp(type, ".pred") == 0 ? 1 : (unsigned)atoi(digits);
    return bits && bits <= MAX_BITS ? bits : MAX_BITS;
  }
  return MAX_BITS;
}

static void define(struct cs_rt_asm *a, LLVMValueRef *value, LLVMValueRef *slot, unsigned bits) {
  LLVMTypeRef type = cs_rt_asm_integer(a, bits);
  if (!*slot)
    *slot = cs_rt_asm_slot(a, type);
  if (!*value)
    *value = LLVMConstNull(type);
}

static void define_written(struct cs_rt_asm *a, const struct cs_ptx_inline *tree, const struct cs_ptx_operand *o) {
  for (unsigned i = 0; i < o->count && (o->kind == CS_PTX_VECTOR || o->kind == CS_PTX_PAIR); i++)
    define_written(a, tree, &o->items[i]);
  struct cs_rt_register *written = o->kind == CS_PTX_NAME ? cs_rt_asm_register(a, o->name) : NULL;
  if (written)
    define(a, &written->value, &written->slot, register_bits(tree, o->name));
}

static int has_label(const struct cs_ptx_inline *tree) {
  for (unsigned i = 0; i < tree->body.node_count; i++)
    if (tree->body.nodes[i].kind == CS_PTX_LABEL)
      return 1;
  return 0;
}

/* Code may precede, in the text, the statement that writes what it reads: in a loop, that of the iteration before. */
void cs_rt_asm_define_all(struct cs_rt_asm *a, const struct cs_ptx_inline *tree) {
  if (!has_label(tree))
    return;
  for (unsigned i = 0; i < a->outputs; i++) {
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, a->output_types[i]);
    if (bits <= MAX_BITS)
      define(a, &a->output[i], &a->output_slot[i], bits);
  }
  for (unsigned i = 0; i < tree->body.node_count; i++) {
    const struct cs_ptx_node *node = &tree->body.nodes[i];
    if (node->kind == CS_PTX_INSTRUCTION && node->instruction.operand_count && node->instruction.code != CS_PTX_OP_bra)
      define_written(a, tree, &node->instruction.operands[0]);
  }
}

/* --- Blocks --- */

static struct cs_rt_label *label_named(struct cs_rt_asm *a, const char *name) {
  for (unsigned i = 0; i < a->label_count; i++)
    if (strcmp(a->labels[i].name, name) == 0)
      return &a->labels[i];
  cs_ir_push(a->labels, a->label_count, (struct cs_rt_label){.name = name});
  return &a->labels[a->label_count - 1];
}

/* Until the label is placed, an empty block represents its own. */
static LLVMBasicBlockRef block_of(struct cs_rt_asm *a, const char *name) {
  struct cs_rt_label *label = label_named(a, name);
  if (label->block)
    return label->block;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->call));
  label->block = LLVMAppendBasicBlockInContext(a->unit->context, function, "");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(a->unit->context);
  LLVMPositionBuilderAtEnd(builder, label->block);
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
  return label->block;
}

/* The code so far ends, and the call is in a block of its own, which is returned. */
static LLVMBasicBlockRef begin_block(struct cs_rt_asm *a) {
  LLVMBasicBlockRef next = cs_rt_bridge_split_before(a->call);
  LLVMPositionBuilderBefore(a->builder, a->call);
  return next;
}

int cs_rt_asm_place(struct cs_rt_asm *a, const char *name) {
  struct cs_rt_label *label = label_named(a, name);
  if (label->is_placed || !store_all(a))
    return 0;
  LLVMBasicBlockRef block = begin_block(a);
  if (label->block) {
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(label->block), LLVMBasicBlockAsValue(block));
    LLVMDeleteBasicBlock(label->block);
  }
  label->block = block;
  label->is_placed = 1;
  load_all(a);
  return 1;
}

int cs_rt_asm_branch(struct cs_rt_asm *a, const char *label, LLVMValueRef condition) {
  if (!store_all(a))
    return 0;
  LLVMBasicBlockRef here = LLVMGetInstructionParent(a->call), target = block_of(a, label), next = begin_block(a);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(here));
  LLVMPositionBuilderAtEnd(a->builder, here);
  if (condition)
    LLVMBuildCondBr(a->builder, condition, target, next);
  else
    LLVMBuildBr(a->builder, target);
  LLVMPositionBuilderBefore(a->builder, a->call);
  load_all(a);
  return 1;
}

int cs_rt_asm_all_placed(const struct cs_rt_asm *a) {
  for (unsigned i = 0; i < a->label_count; i++)
    if (!a->labels[i].is_placed)
      return 0;
  return 1;
}
