/* shared.c: adds up the static shared memory that a block may need. */
#include "pass/variables/shared.h"
#include "pass/module/kernels.h"

#define MAX_STATIC_SHARED 49152u /* bytes that ptxas lets a kernel declare, on every architecture */
#define MAX_ALIGNMENT 16u        /* of common variables: padding stays below it */

static void add_users(struct cs_pass *pass, LLVMValueRef value,
                      struct cs_pass_variable *v) { // NOLINT(misc-no-recursion): constants
  for (LLVMUseRef use = LLVMGetFirstUse(value); use && !v->is_common; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user)) {
      add_users(pass, user, v);
      continue;
    }
    LLVMValueRef kernel = cs_pass_reaching_kernel(pass, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
    v->is_common = kernel == NULL || (v->kernel != NULL && v->kernel != kernel);
    v->kernel = kernel;
  }
}

/* Not a parameter that points to one. */
static int is_shared(const struct cs_pass_variable *v) {
  return v->memory == CS_MEMORY_SHARED && !LLVMIsAArgument(v->value);
}

void cs_pass_shared_find_kernels(struct cs_pass *pass) {
  for (size_t i = 0; i < pass->order_count; i++)
    if (is_shared(pass->order[i]))
      add_users(pass, pass->order[i]->value, pass->order[i]);
}

static int may_meet(const struct cs_pass_variable *x, const struct cs_pass_variable *y) {
  return x->is_common || y->is_common || x->kernel == y->kernel;
}

int cs_pass_shared_has_room(const struct cs_pass *pass, const struct cs_pass_variable *v, cs_u32 prefix) {
  cs_u64 sum = prefix;
  for (size_t i = 0; i < pass->order_count; i++) {
    const struct cs_pass_variable *other = pass->order[i];
    if (is_shared(other) && may_meet(v, other))
      sum += (other->bytes + MAX_ALIGNMENT - 1) / MAX_ALIGNMENT * MAX_ALIGNMENT + other->prefix;
  }
  return sum <= MAX_STATIC_SHARED;
}
