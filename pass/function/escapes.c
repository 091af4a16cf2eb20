/* escapes.c: rewrites pointers that leave the function, and pointers of which only the address matters. */
#include "pass/function/escapes.h"
#include "pass/function/lanes.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"

static LLVMValueRef plain_form(struct cs_pass *pass, LLVMValueRef pointer) {
  LLVMValueRef argument = cs_pass_generic(pass, pointer);
  return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_PLAIN, &argument);
}

/* NULL: the pointer stays as it is. */
static LLVMValueRef escaping_form(struct cs_pass *pass, const struct cs_pass_pointer_use *use) {
  LLVMValueRef pointer = LLVMGetOperand(use->instruction, use->operand), root = use->root;
  const struct cs_pass_variable *v = cs_pass_variable_of(pass, root);
  if (use->into)
    return v ? NULL : plain_form(pass, pointer);
  if (v != NULL)
    return cs_pass_variable_close(pass, v, cs_pass_generic(pass, pointer));
  LLVMValueRef arguments[] = {cs_pass_generic(pass, pointer), cs_pass_generic(pass, root)};
  if (LLVMIsAPtrToIntInst(use->instruction) && !cs_pass_is_lane(pass, use->instruction)) {
    if (cs_pass_is_meeting(root)) /* the pointer may be the plain address of a variable */
      arguments[0] = cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ESCAPE, arguments);
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_KEPT, arguments);
  }
  if (LLVMIsAIntToPtrInst(root))
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ESCAPE_FORGED, arguments);
  return cs_pass_is_bare(pointer, root) ? NULL : cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ESCAPE, arguments);
}

int cs_pass_mark_escapes(struct cs_pass_function *f) {
  for (size_t i = 0; i < f->collected.escape_count; i++) {
    struct cs_pass_pointer_use use = f->collected.escapes[i];
    if (use.root == NULL)
      continue;
    cs_pass_build_before(f->pass, use.instruction, use.instruction);
    LLVMValueRef form = escaping_form(f->pass, &use);
    if (form != NULL)
      cs_pass_replace_operand(f->pass, use.instruction, use.operand, form);
  }
  return 0;
}

/* A variable that is named here is a plain address already. */
int cs_pass_write_plain_addresses(struct cs_pass_function *f) {
  for (size_t i = 0; i < f->collected.number_count; i++) {
    struct cs_pass_pointer_use use = f->collected.numbers[i];
    if (use.root == NULL || cs_pass_variable_of(f->pass, use.root) != NULL)
      continue;
    cs_pass_build_before(f->pass, use.instruction, use.instruction);
    LLVMValueRef pointer = LLVMGetOperand(use.instruction, use.operand);
    cs_pass_replace_operand(f->pass, use.instruction, use.operand, plain_form(f->pass, pointer));
  }
  return 0;
}
