/* forms.c: gives fast forms the bounds of their remaining checks as parameters, and describes them to the host. */
#include "pass/launch/forms.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "pass/bridge/version.h"
#include "pass/launch/bare.h"
#include "pass/launch/sampled.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"
#include "pass/variables/objects.h"
#include <stdlib.h>
#include <string.h>

/* ---- calls of the runtime ---- */

static LLVMValueRef callee_of(LLVMValueRef instruction) {
  return cs_ir_callee(instruction);
}

static int is_one_of(const struct cs_pass *pass, LLVMValueRef callee, const enum cs_pass_runtime *functions,
                     size_t count) {
  for (size_t i = 0; callee && i < count; i++)
    if (callee == pass->runtime[functions[i]])
      return 1;
  return 0;
}

/* A bound that the host can compute if it knows the root. */
static int is_bound(const struct cs_pass *pass, LLVMValueRef instruction) {
  static const enum cs_pass_runtime functions[] = {CS_PASS_RUNTIME_START, CS_PASS_RUNTIME_SIZE, CS_PASS_RUNTIME_LIMIT,
                                                   CS_PASS_RUNTIME_ALIGNED, CS_PASS_RUNTIME_INDEX_BOUND};
  return is_one_of(pass, callee_of(instruction), functions, sizeof functions / sizeof *functions);
}

static int is_check(const struct cs_pass *pass, LLVMValueRef instruction) {
  static const enum cs_pass_runtime functions[] = {CS_PASS_RUNTIME_CHECK,       CS_PASS_RUNTIME_CHECK_LAST,
                                                   CS_PASS_RUNTIME_CHECK_INDEX, CS_PASS_RUNTIME_CHECK_RANGE,
                                                   CS_PASS_RUNTIME_CHECK_NAMED, CS_PASS_RUNTIME_CHECK_NAMED_RANGE,
                                                   CS_PASS_RUNTIME_FAIL_FIELD,  CS_PASS_RUNTIME_FAIL_ARRAY};
  return is_one_of(pass, callee_of(instruction), functions, sizeof functions / sizeof *functions);
}

typedef int (*test)(const struct cs_pass *pass, LLVMValueRef instruction);

static unsigned count_if(const struct cs_pass *pass, LLVMValueRef function, test is) {
  unsigned count = 0;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    count += is(pass, i) != 0;
  return count;
}

/* ---- bounds as parameters ---- */

struct bounds {
  LLVMValueRef calls[CS_FORM_BOUNDS];
  unsigned short operations[CS_FORM_BOUNDS];
  unsigned count;
};

/* Whether something else than another bound uses it. */
static int is_used(struct cs_pass_form *form, LLVMValueRef call) {
  for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_bound(form->program.pass, user) || cs_pass_program_value(&form->program, user) < 0)
      return 1;
  }
  return 0;
}

static struct bounds find_bounds(struct cs_pass_form *form) {
  struct bounds bounds = {.count = 0};
  for (LLVMValueRef i = cs_ir_first(form->fast); i && bounds.count < CS_FORM_BOUNDS; i = cs_ir_next(i)) {
    int operation = is_bound(form->program.pass, i) ? cs_pass_program_value(&form->program, i) : -1;
    if (operation < 0 || !is_used(form, i))
      continue;
    bounds.calls[bounds.count] = i;
    bounds.operations[bounds.count++] = (unsigned short)operation;
  }
  return bounds;
}

/* Equal operations share a parameter. */
static unsigned number_parameters(struct bounds *bounds, unsigned *numbers) {
  unsigned distinct = 0;
  for (unsigned i = 0; i < bounds->count; i++) {
    unsigned k = 0;
    while (k < distinct && bounds->operations[k] != bounds->operations[i])
      k++;
    if (k == distinct)
      bounds->operations[distinct++] = bounds->operations[i];
    numbers[i] = k;
  }
  return distinct;
}

static void erase_unused(const struct cs_pass *pass, LLVMValueRef function) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
      next = cs_ir_next(i);
      if (!is_bound(pass, i) || LLVMGetFirstUse(i))
        continue;
      LLVMInstructionEraseFromParent(i);
      changed = 1;
    }
  }
}

/* Returns the number of parameters added. */
static unsigned take_bounds(struct cs_pass_form *form, struct bounds *bounds) {
  struct cs_pass *pass = form->program.pass;
  unsigned numbers[CS_FORM_BOUNDS], own = LLVMCountParams(form->fast), count = number_parameters(bounds, numbers);
  if (count == 0)
    return 0;
  form->fast = cs_pass_version_extend(form->fast, count);
  for (unsigned i = 0; i < bounds->count; i++) {
    LLVMValueRef call = bounds->calls[i], value = LLVMGetParam(form->fast, own + numbers[i]);
    cs_pass_build_before(pass, call, NULL);
    LLVMReplaceAllUsesWith(
        call, LLVMTypeOf(call) == pass->i64 ? value : LLVMBuildTrunc(pass->builder, value, LLVMTypeOf(call), ""));
  }
  erase_unused(pass, form->fast);
  return count;
}

/* ---- for the host ---- */

/* As CUDA lays parameters out. */
static struct cs_kernel_parameter describe(struct cs_pass *pass, LLVMValueRef parameter, cs_u32 end) {
  LLVMAttributeRef by_value = cs_pass_parameter_attribute(parameter, "byval");
  LLVMAttributeRef declared = by_value ? cs_pass_parameter_attribute(parameter, "align") : NULL;
  LLVMTypeRef type = by_value ? LLVMGetTypeAttributeValue(by_value) : LLVMTypeOf(parameter);
  cs_u32 align = LLVMABIAlignmentOfType(pass->layout, type),
         larger = declared ? (cs_u32)LLVMGetEnumAttributeValue(declared) : 0;
  align = larger > align ? larger : align;
  return (struct cs_kernel_parameter){(end + align - 1) / align * align, (cs_u32)LLVMABISizeOfType(pass->layout, type)};
}

static cs_u32 name_of(struct cs_pass *pass, LLVMValueRef function) {
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  return cs_pass_sites_text(&pass->sites, name, length);
}

static void add_to_table(struct cs_pass_form *form, const struct bounds *bounds, unsigned bound_count) {
  const struct cs_pass_program *program = &form->program;
  struct cs_pass *pass = program->pass;
  struct cs_pass_sites *s = &pass->sites;
  struct cs_form made = {.kernel = name_of(pass, form->kernel),
                         .fast = name_of(pass, form->fast),
                         .first_parameter = (cs_u32)s->parameter_count,
                         .parameter_count = LLVMCountParams(form->kernel),
                         .first_operation = (cs_u32)s->operation_count,
                         .operation_count = (cs_u32)program->count,
                         .first_constant = (cs_u32)s->constant_count,
                         .constant_count = (cs_u32)program->constant_count,
                         .holds = (cs_u32)form->holds,
                         .bound_count = bound_count,
                         .checks = count_if(pass, form->fast, is_check)};
  memcpy(made.bounds, bounds->operations, bound_count * sizeof *made.bounds);
  cs_u32 end = 0;
  for (LLVMValueRef p = LLVMGetFirstParam(form->kernel); p; p = LLVMGetNextParam(p)) {
    struct cs_kernel_parameter parameter = describe(pass, p, end);
    end = parameter.offset + parameter.size;
    cs_ir_push(s->parameters, s->parameter_count, parameter);
  }
  for (size_t i = 0; i < program->count; i++)
    cs_ir_push(s->operations, s->operation_count, program->operations[i]);
  for (size_t i = 0; i < program->constant_count; i++)
    cs_ir_push(s->constants, s->constant_count, program->constants[i]);
  cs_ir_push(s->forms, s->form_count, made);
}

/* Not where the kernel has no checks, or its fast form the same ones. */
static int is_worth_it(const struct cs_pass_form *form, unsigned bounds) {
  const struct cs_pass *pass = form->program.pass;
  return cs_pass_calls_ours(form->kernel) &&
         (bounds > 0 || count_if(pass, form->fast, is_check) < count_if(pass, form->kernel, is_check));
}

/* A form that no step has added anything to executes the program's own code: it becomes the kernel's bare copy. */
static void make_bare(struct cs_pass_form *form) {
  LLVMValueRef bare = cs_pass_bare_of(form->kernel);
  if (bare == NULL || cs_pass_bare_calls_function(form->fast) || cs_pass_calls_ours(form->fast) ||
      cs_pass_function_length(form->fast) != form->length)
    return;
  size_t length;
  const char *fast = LLVMGetValueName2(form->fast, &length);
  char *name = cs_ir_copy_text(fast, length);
  LLVMDeleteFunction(form->fast);
  LLVMSetValueName2(bare, name, length);
  LLVMSetLinkage(bare, LLVMExternalLinkage);
  form->fast = bare;
  free(name);
}

int cs_pass_forms_finish(struct cs_pass *pass) {
  for (size_t i = 0; i < pass->form_count; i++) {
    struct cs_pass_form *form = &pass->forms[i];
    struct bounds bounds = find_bounds(form);
    unsigned count = take_bounds(form, &bounds);
    cs_pass_program_forget_values(&form->program);
    make_bare(form);
    if (is_worth_it(form, count))
      add_to_table(form, &bounds, count);
    else
      LLVMDeleteFunction(form->fast);
  }
  if (pass->options->sampled && !pass->uses_heap)
    cs_pass_sampled_make(pass);
  cs_pass_bare_delete_rest(pass->module);
  return 0;
}

void cs_pass_forms_free(struct cs_pass *pass) {
  for (size_t i = 0; i < pass->form_count; i++)
    cs_pass_program_free(&pass->forms[i].program);
  free(pass->forms);
}
