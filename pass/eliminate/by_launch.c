/* by_launch.c: adds a fast form to kernels, without the checks that the host can decide before a launch. */
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/bridge/version.h"
#include "pass/eliminate/condition.h"
#include "pass/eliminate/eliminate.h"
#include "pass/function/detector.h"
#include "pass/launch/forms.h"
#include "pass/module/kernels.h"
#include "pass/module/marks.h"
#include "pass/ranges/stand_ins.h"
#include <stdlib.h>
#include <string.h>

/* Instructions; beyond that, a second copy costs more than it saves. */
enum { MAX_KERNEL = 6000 };

/* The code that computes the condition is between the kernel's variables and its first own instruction. */
static void erase_before(LLVMValueRef point) {
  for (LLVMValueRef i = LLVMGetPreviousInstruction(point), before; i && !LLVMIsAAllocaInst(i); i = before) {
    before = LLVMGetPreviousInstruction(i);
    LLVMInstructionEraseFromParent(i);
  }
}

/* The stand-ins for blockIdx. */
static void erase_stand_ins(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
    const char *name = cs_ir_name(f);
    next = LLVMGetNextFunction(f);
    if (cs_ir_starts_with(name, CS_PASS_FIRST_BLOCK) || cs_ir_starts_with(name, CS_PASS_LAST_BLOCK))
      LLVMDeleteFunction(f);
  }
}

static LLVMValueRef copy(LLVMValueRef kernel) {
  size_t length;
  const char *name = LLVMGetValueName2(kernel, &length);
  char *fast = cs_ir_allocate(1, length + sizeof CS_FAST_SUFFIX);
  memcpy(fast, name, length);
  memcpy(fast + length, CS_FAST_SUFFIX, sizeof CS_FAST_SUFFIX);
  LLVMValueRef made = cs_pass_version_copy(kernel, fast);
  free(fast);
  return made;
}

/* Whether the host decides every access. */
static int decides_all(const struct cs_pass_function *f) {
  const struct cs_pass_collected *c = &f->collected;
  size_t decided = 0;
  for (size_t i = 0; i < c->access_count; i++)
    decided += cs_pass_eliminated_by(f->pass, c->accesses[i].instruction, c->accesses[i].operand) >= 0;
  return decided > 0 && decided == c->access_count;
}

static void add_form(struct cs_pass_function *f, struct cs_pass_condition *condition, struct cs_pass_program *program) {
  struct cs_pass *pass = f->pass;
  cs_pass_condition_mark(condition);
  f->is_rare = pass->options->gpu && decides_all(f);
  LLVMValueRef fast = copy(f->value);
  cs_pass_condition_unmark(condition);
  cs_pass_remove_marked_calls(pass, fast);
  cs_pass_program_forget_values(program);
  int holds = condition->operation >= 0 ? condition->operation : cs_pass_program_true(program);
  struct cs_pass_form form = {f->value, fast, *program, holds, cs_pass_function_length(fast)};
  cs_ir_push(pass->forms, pass->form_count, form);
}

static int may_have_form(const struct cs_pass_function *f) {
  return cs_ir_is_kernel(f->value) && cs_pass_is_optimised(f->value) && !f->pass->uses_heap &&
         cs_pass_function_length(f->value) <= MAX_KERNEL;
}

static void try_kernel(struct cs_pass_function *f) {
  LLVMValueRef entry = may_have_form(f) ? cs_pass_version_entry(f->value) : NULL;
  struct cs_pass_program program = {.pass = f->pass};
  if (entry == NULL)
    return;
  cs_pass_function_collect(f);
  struct cs_pass_condition condition = cs_pass_condition_begin(f, entry, CS_PASS_REASON_LAUNCH, &program);
  cs_pass_condition_add_all(&condition, NULL);
  for (size_t d = 0; f->pass->detectors[d]; d++)
    if (f->pass->detectors[d]->by_launch)
      f->pass->detectors[d]->by_launch(f, &condition);
  cs_pass_condition_end(&condition);
  erase_before(entry);
  if (cs_pass_eliminates(f->pass, CS_PASS_REASON_LAUNCH)) {
    add_form(f, &condition, &program);
  } else {
    cs_pass_condition_unmark(&condition);
    cs_pass_program_free(&program);
  }
  cs_pass_function_release(f);
}

/* Fast forms are functions of their own, and enter the list after all others have been read. */
int cs_pass_eliminate_by_launch(struct cs_pass *pass) {
  if (!cs_pass_eliminates(pass, CS_PASS_REASON_LAUNCH) && !cs_pass_eliminates(pass, CS_PASS_REASON_RANGE))
    return 0;
  for (size_t i = 0; i < pass->function_count; i++)
    try_kernel(&pass->functions[i]);
  for (size_t i = 0; i < pass->form_count; i++)
    cs_ir_push(pass->functions, pass->function_count,
               (struct cs_pass_function){.pass = pass, .value = pass->forms[i].fast, .is_fast = 1});
  erase_stand_ins(pass->module);
  return 0;
}
