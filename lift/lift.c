/* lift.c: runs the list of steps, on each input and then on the whole. */
#include "lift/lift.h"
#include "lift/lines.h"
#include "lift/steps.h"
#include "ptx/module.h"
#include "report/print.h"
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum phase { INPUT, LINK, WHOLE };

static const struct step {
  enum phase phase;
  const char *name;
  int (*run)(struct cs_lift_unit *unit);
  const char *reason;
} steps[] = {
#define CS_LIFT_STEP(phase, name, function, reason) {phase, name, function, reason},
#include "lift/steps.inc"
#undef CS_LIFT_STEP
};
enum { STEP_COUNT = sizeof steps / sizeof *steps };

int cs_lift_is_step(const char *name) {
  for (size_t i = 0; i < STEP_COUNT; i++)
    if (strcmp(steps[i].name, name) == 0)
      return 1;
  return 0;
}

void cs_lift_list_steps(FILE *to) {
  for (size_t i = 0; i < STEP_COUNT; i++)
    cs_report_print(to, "%-22s %s\n", steps[i].name, steps[i].reason);
}

static void print(const struct cs_lift_unit *unit, const char *step) {
  char *ir = LLVMPrintModuleToString(unit->module);
  cs_report_print(stderr, "; %s: IR after %s\n", unit->path, step);
  cs_report_print_lines(stderr, ir);
  LLVMDisposeMessage(ir);
}

static int verify(const struct cs_lift_unit *unit) {
  char *message = NULL;
  int failed = LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &message);
  if (failed) {
    cs_report_print(stderr, "cusafe-lift: the IR is invalid, a bug in CuSafe: ");
    cs_report_print_lines(stderr, message);
  }
  LLVMDisposeMessage(message);
  return failed ? CS_LIFT_BUG : 0;
}

static int run(struct cs_lift_input *in, enum phase phase) {
  int failed = 0;
  for (size_t i = 0; i < STEP_COUNT && !failed; i++) {
    if (steps[i].phase != phase)
      continue;
    failed = steps[i].run(&in->unit);
    if (!failed && in->print_after && strcmp(steps[i].name, in->print_after) == 0)
      print(&in->unit, steps[i].name);
  }
  return failed ? failed : verify(&in->unit);
}

int cs_lift_read(struct cs_lift_input *in, char *text, const char *path, LLVMContextRef context) {
  struct cs_ptx_error error;
  in->text = text;
  in->unit = (struct cs_lift_unit){.ptx = &in->ptx, .path = path, .context = context};
  cs_lift_forget_asm_lines(in->text);
  if (!cs_ptx_parse_module(&in->ptx, in->text, &error))
    return run(in, INPUT);
  cs_report_print(stderr, "%s:%u: error: %s\n", path, error.line, error.text);
  return CS_LIFT_REFUSED;
}

int cs_lift_join(struct cs_lift_input *inputs, size_t count) {
  for (size_t i = 1; i < count; i++)
    inputs[i - 1].unit.next = &inputs[i].unit;
  int failed = count > 1 ? run(inputs, LINK) : 0;
  return failed ? failed : run(inputs, WHOLE);
}

void cs_lift_release(struct cs_lift_input *in) {
  struct cs_ir_map *const maps[] = {&in->unit.symbols, &in->unit.strings, &in->unit.files, &in->unit.functions,
                                    &in->unit.frames};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    cs_ir_map_free(maps[i]);
  if (in->unit.lines)
    LLVMDisposeDIBuilder(in->unit.lines);
  if (in->unit.builder)
    LLVMDisposeBuilder(in->unit.builder);
  if (in->unit.module)
    LLVMDisposeModule(in->unit.module);
  cs_ptx_module_free(&in->ptx);
  cs_ptx_release(&in->unit.arena);
  free(in->text);
}
