/* read.c: finds what the collected operands are derived from, and which variables' addresses escape. */
#include "pass/function/read.h"
#include "ir/instructions.h"
#include "pass/function/choice.h"
#include "pass/module/marks.h"

static struct cs_pass_variable *variable_of(struct cs_pass_function *f, LLVMValueRef root) {
  return root ? cs_pass_variable_of(f->pass, root) : NULL;
}

/* A variable that the function names, or a choice among such, gives the bounds; any other root has metadata. */
static void find_access_root(struct cs_pass_function *f, struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  if (cs_pass_eliminated_by(f->pass, item->instruction, item->operand) >= 0)
    return;
  item->root = cs_pass_plain_root_of(&f->roots, pointer);
  item->variable = variable_of(f, item->root);
  item->choice = item->root ? NULL : cs_pass_choice_of(&f->roots, pointer);
  if (item->choice)
    item->root = item->choice->meeting;
  else if (item->root == NULL)
    item->root = cs_pass_root_of(&f->roots, pointer);
}

/* A pointer to a variable that is named here is a plain address already. */
static LLVMValueRef number_root(struct cs_pass_function *f, const struct cs_pass_pointer_use *use) {
  LLVMValueRef pointer = LLVMGetOperand(use->instruction, use->operand);
  return cs_pass_choice_of(&f->roots, pointer) ? NULL : cs_pass_root_of(&f->roots, pointer);
}

/* Two pointers with the same root have the same bits above their address, so a comparison needs no plain addresses: an
 * iterator and the end of its array. Both operands of a comparison are collected one after the other. */
static void forget_compared(struct cs_pass_pointer_use *a, struct cs_pass_pointer_use *b) {
  if (LLVMIsAICmpInst(a->instruction) && a->instruction == b->instruction && a->root == b->root)
    a->root = b->root = NULL;
}

/* By index: companions add escapes while this runs. */
int cs_pass_find_roots(struct cs_pass_function *f) {
  struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->access_count; i++)
    find_access_root(f, &c->accesses[i]);
  for (size_t i = 0; i < c->number_count; i++)
    c->numbers[i].root = number_root(f, &c->numbers[i]);
  for (size_t i = 0; i + 1 < c->number_count; i++)
    forget_compared(&c->numbers[i], &c->numbers[i + 1]);
  for (size_t i = 0; i < c->escape_count; i++) {
    LLVMValueRef pointer = LLVMGetOperand(c->escapes[i].instruction, c->escapes[i].operand);
    LLVMValueRef root = cs_pass_root_of(&f->roots, pointer); /* may move the array of escapes */
    c->escapes[i].root = root;
  }
  return 0;
}

static int is_plain_call(LLVMValueRef instruction) {
  LLVMValueRef callee = cs_ir_callee(instruction);
  return callee != NULL && LLVMGetIntrinsicID(callee) == 0;
}

static struct cs_pass_variable *given_to_store(struct cs_pass_function *f, LLVMValueRef store) {
  struct cs_pass_variable *into = variable_of(f, cs_pass_root_of(&f->roots, LLVMGetOperand(store, 1)));
  return into && into->given_away ? into : NULL;
}

/* Lifted code stores the address of a string for printf as a number. */
static struct cs_pass_variable *given_as_number(struct cs_pass_function *f, LLVMValueRef number, LLVMValueRef root) {
  struct cs_pass_variable *into = NULL;
  if (!LLVMIsAGlobalVariable(root) || !LLVMIsGlobalConstant(root))
    return NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    into = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == number ? given_to_store(f, user) : NULL;
    if (into == NULL)
      return NULL;
  }
  return into;
}

int cs_pass_note_given_away(struct cs_pass_function *f) {
  struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->number_count; i++) {
    struct cs_pass_variable *v = variable_of(f, c->numbers[i].root);
    if (v && is_plain_call(c->numbers[i].instruction))
      v->given_away = 1;
  }
  for (size_t i = 0; i < c->escape_count; i++) {
    LLVMValueRef user = c->escapes[i].instruction, root = c->escapes[i].root;
    struct cs_pass_variable *into = NULL;
    if (LLVMIsAStoreInst(user))
      into = given_to_store(f, user);
    else if (root && LLVMIsAPtrToIntInst(user))
      into = given_as_number(f, user, root);
    c->escapes[i].into = into; /* finding a root may have moved the array */
  }
  return 0;
}

int cs_pass_note_escapes(struct cs_pass_function *f) {
  struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->escape_count; i++) {
    struct cs_pass_variable *v = variable_of(f, c->escapes[i].root);
    if (v && !c->escapes[i].into)
      v->escapes = 1;
  }
  return 0;
}
