/* pipeline.c: runs the list of steps. */
#include "pass/pipeline.h"
#include "pass/blocks.h"
#include "pass/bridge/invalid.h"
#include "pass/bridge/used.h"
#include "pass/calls/lend.h"
#include "pass/count.h"
#include "pass/detect/detectors.h"
#include "pass/eliminate/eliminate.h"
#include "pass/function/escapes.h"
#include "pass/function/function.h"
#include "pass/function/lanes.h"
#include "pass/function/masked.h"
#include "pass/function/numbers.h"
#include "pass/function/print.h"
#include "pass/function/ptx.h"
#include "pass/function/read.h"
#include "pass/function/statistics.h"
#include "pass/launch/bare.h"
#include "pass/launch/forms.h"
#include "pass/module/attributes.h"
#include "pass/module/clusters.h"
#include "pass/module/lines.h"
#include "pass/module/managed.h"
#include "pass/module/registers.h"
#include "pass/module/runtime.h"
#include "pass/variables/field.h"
#include "pass/variables/markers.h"
#include "pass/variables/metadata.h"
#include "pass/variables/pieces.h"
#include "pass/variables/tables.h"
#include "pass/wrappers.h"
#include "report/print.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- steps that only call: what they call does not depend on the state of the pass ---- */

static int prepare_detectors(struct cs_pass *pass) {
  for (const struct cs_pass_detector *const *d = pass->detectors; *d; d++)
    if ((*d)->prepare)
      (*d)->prepare(pass);
  return 0;
}

static int begin_detectors(struct cs_pass *pass) {
  for (const struct cs_pass_detector *const *d = pass->detectors; *d; d++)
    if ((*d)->begin)
      (*d)->begin(pass);
  return 0;
}

static int finish_detectors(struct cs_pass *pass) {
  for (const struct cs_pass_detector *const *d = pass->detectors; *d; d++)
    if ((*d)->finish)
      (*d)->finish(pass);
  return 0;
}

static int remember_lines(struct cs_pass *pass) {
  cs_pass_remember_lines(pass->module);
  return 0;
}

static int note_unchecked(struct cs_pass *pass) {
  cs_pass_note_unchecked_functions(pass->module);
  return 0;
}

static int keep_constants(struct cs_pass *pass) {
  cs_pass_keep_constants(pass->module);
  return 0;
}

static int hide_invalid(struct cs_pass_function *f) {
  cs_pass_hide_invalid(f->value);
  return 0;
}

static int release_invalid(struct cs_pass *pass) {
  cs_pass_release_invalid(pass->module);
  return 0;
}

static int forget_promises(struct cs_pass *pass) {
  cs_pass_forget_promises(pass->module);
  return 0;
}

static int remember_chains(struct cs_pass_function *f) {
  cs_pass_remember_chains(f->value);
  return 0;
}

static int parse_metadata(const char *name) {
  if (strcmp(name, "table") == 0)
    return CS_PLACEMENT_TABLE;
  if (strcmp(name, "window") == 0)
    return CS_PLACEMENT_WINDOW;
  cs_report_print(stderr, "cusafe: -cusafe-metadata=%s is neither table nor window\n", name);
  return -1;
}

static int read_options(struct cs_pass *pass) {
  const struct cs_pass_options *options = pass->options;
  if (options->runtime[0] == '\0') {
    fputs("cusafe: the pass needs -mllvm -cusafe-runtime=<bitcode>; 'cusafe cc' passes it\n", stderr);
    return -1;
  }
  int placement = parse_metadata(options->metadata), eliminations = cs_pass_parse_eliminations(options->eliminate);
  if (placement < 0 || eliminations < 0 || cs_pass_ignore_rules_read(&pass->ignore.list, options->ignorelist) != 0)
    return -1;
  cs_pass_ignore_noted(&pass->ignore, pass->module);
  pass->placement = (cs_u32)placement;
  pass->eliminations = eliminations;
  pass->sites.headers.toolkit = options->toolkit;
  return 0;
}

static int expand_integers(struct cs_pass *pass) {
  cs_pass_expand_constant_integers(pass->module);
  return 0;
}

static int release_shared(struct cs_pass *pass) {
  cs_pass_release_shared(pass->module);
  return 0;
}

static int declare_runtime(struct cs_pass *pass) {
  cs_pass_functions_list(pass);
  cs_pass_runtime_declare(pass);
  return 0;
}

static int insert_ptx_stand_ins(struct cs_pass_function *f) {
  cs_pass_ptx_stand_in(f->pass, f->value);
  return 0;
}

static int collect(struct cs_pass_function *f) {
  cs_pass_function_collect(f);
  return 0;
}

static int split_integers(struct cs_pass_function *f) {
  cs_pass_split_numbers(f->value);
  return 0;
}

/* A fast form without checks is the bare kernel, and keeps its attributes. */
static int strip_attributes(struct cs_pass_function *f) {
  if (!f->is_fast || cs_pass_calls_ours(f->value))
    cs_pass_strip_attributes(f->value);
  return 0;
}

static int emit_sites(struct cs_pass *pass) {
  struct cs_module header = {.placement = pass->placement,
                             .object_count = pass->object_count,
                             .pointer_count = cs_pass_tables_emit(pass),
                             .flags = (pass->uses_heap ? CS_MODULE_HEAP : 0) |
                                      (pass->finds_races ? CS_MODULE_RACE : 0) |
                                      (pass->finds_uninitialised ? CS_MODULE_INIT : 0) |
                                      (cs_pass_detects(pass->options, CS_PASS_DETECT_SYNC) ? CS_MODULE_SYNC : 0)};
  cs_pass_sites_emit(&pass->sites, pass->module, header);
  return 0;
}

static int verify(struct cs_pass *pass) {
  cs_pass_verify(pass->module);
  return 0;
}

/* ---- the list ---- */

enum when { ALWAYS, CHECKED, BARE, OPTIMISED, UNOPTIMISED };

/* A step of LLVM's has neither function. */
static const struct step {
  enum cs_pass_phase phase;
  const char *name;
  int (*of_module)(struct cs_pass *pass);
  int (*of_function)(struct cs_pass_function *function);
  enum when when;
} steps[CS_PASS_STEP_COUNT] = {
#define CS_PASS_MODULE(phase, id, name, function, when, reason) {CS_PASS_PHASE_##phase, name, function, NULL, when},
#define CS_PASS_FUNCTION(phase, id, name, function, when, reason) {CS_PASS_PHASE_##phase, name, NULL, function, when},
#define CS_PASS_LLVM(phase, id, name, when, reason) {CS_PASS_PHASE_##phase, name, NULL, NULL, when},
#include "pass/pipeline.inc"
};

enum cs_pass_phase cs_pass_phase_of(enum cs_pass_step step) {
  return steps[step].phase;
}

int cs_pass_step_of(const char *option, const char *name) {
  if (*name == '\0')
    return -1;
  for (int s = 0; s < CS_PASS_STEP_COUNT; s++)
    if (strcmp(steps[s].name, name) == 0)
      return s;
  cs_report_print(stderr, "cusafe: -%s: '%s' is not a step; the steps are", option, name);
  for (int s = 0; s < CS_PASS_STEP_COUNT; s++)
    cs_report_print(stderr, "%s %s", s ? "," : "", steps[s].name);
  fputs("\n", stderr);
  return -2;
}

int cs_pass_step_is_on(const struct cs_pass_options *options, enum cs_pass_step step) {
  if (options->stop_after >= 0 && (int)step > options->stop_after)
    return 0;
  switch (steps[step].when) {
  case ALWAYS:
    return 1;
  case BARE:
    return options->bare;
  case CHECKED:
    return !options->bare;
  case OPTIMISED:
    return !options->bare && options->optimise;
  default:
    return !options->bare && !options->optimise;
  }
}

/* ---- running it ---- */

static struct cs_pass begin(LLVMModuleRef module, const struct cs_pass_options *options, cs_pass_get_analyses get,
                            void *self) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  return (struct cs_pass){
      .module = module,
      .options = options,
      .detectors = cs_pass_detectors,
      .get_analyses = get,
      .analyses_owner = self,
      .context = context,
      .layout = LLVMGetModuleDataLayout(module),
      .builder = LLVMCreateBuilderInContext(context),
      .i32 = LLVMInt32TypeInContext(context),
      .i64 = LLVMInt64TypeInContext(context),
      .ptr = LLVMPointerTypeInContext(context, 0),
  };
}

static void end(struct cs_pass *pass) {
  for (size_t i = 0; i < pass->function_count; i++)
    cs_pass_function_release(&pass->functions[i]);
  free(pass->functions);
  free(pass->slots);
  cs_pass_forms_free(pass);
  cs_pass_sites_free(&pass->sites);
  cs_ir_map_free(&pass->reached);
  cs_pass_ignore_free(&pass->ignore);
  cs_pass_objects_free(pass);
  LLVMDisposeBuilder(pass->builder);
}

static void print(char *ir, const char *step) {
  fprintf(stderr, "; cusafe: after %s\n%s\n", step, ir); /* the IR itself, escaped by LLVM */
  LLVMDisposeMessage(ir);
}

void cs_pass_print_after(LLVMModuleRef module, const struct cs_pass_options *options, enum cs_pass_step step) {
  if (options->print_after == (int)step)
    print(LLVMPrintModuleToString(module), steps[step].name);
}

/* What is found while nothing is rewritten yet is not in the IR. */
static void print_state(const struct cs_pass *pass, const struct cs_pass_function *f, int step) {
  if (f && steps[step].phase == CS_PASS_PHASE_READ)
    cs_pass_print_found(f);
  if (steps[step].phase == CS_PASS_PHASE_READ || steps[step].phase == CS_PASS_PHASE_VARIABLES)
    cs_pass_print_variables(pass);
}

static int run_on_function(struct cs_pass_function *f, int step) {
  if (steps[step].of_function(f) != 0)
    return -1;
  if (f->pass->options->print_after == step) {
    print(LLVMPrintValueToString(f->value), steps[step].name);
    print_state(f->pass, f, step);
  }
  return 0;
}

static int run_on_module(struct cs_pass *pass, int step) {
  if (steps[step].of_module(pass) != 0)
    return -1;
  cs_pass_print_after(pass->module, pass->options, (enum cs_pass_step)step);
  if (pass->options->print_after == step)
    print_state(pass, NULL, step);
  return 0;
}

/* The steps that run function by function: those that follow in the same phase. Returns the first after them. */
static int end_of_group(int first, int last) {
  int end = first;
  while (end <= last && steps[end].of_function && steps[end].phase == steps[first].phase)
    end++;
  return end;
}

static int run_group(struct cs_pass *pass, int first, int end) {
  for (size_t i = 0; i < pass->function_count; i++)
    for (int s = first; s < end; s++)
      if (cs_pass_step_is_on(pass->options, (enum cs_pass_step)s) && run_on_function(&pass->functions[i], s) != 0)
        return -1;
  return 0;
}

static int run_steps(struct cs_pass *pass, int first, int last) {
  for (int s = first, end; s <= last; s = end) {
    int failed = 0;
    end = steps[s].of_function ? end_of_group(s, last) : s + 1;
    if (steps[s].of_function)
      failed = run_group(pass, s, end);
    else if (steps[s].of_module && cs_pass_step_is_on(pass->options, (enum cs_pass_step)s))
      failed = run_on_module(pass, s);
    if (failed)
      return -1;
  }
  return 0;
}

int cs_pass_run(LLVMModuleRef module, const struct cs_pass_options *options, cs_pass_get_analyses get, void *self,
                enum cs_pass_step first, enum cs_pass_step last) {
  struct cs_pass pass = begin(module, options, get, self);
  int result = run_steps(&pass, (int)first, (int)last);
  end(&pass);
  return result;
}

int cs_pass_run_between(LLVMValueRef function, const struct cs_pass_options *options, enum cs_pass_phase phase) {
  struct cs_pass pass = {.options = options};
  struct cs_pass_function f = {.pass = &pass, .value = function};
  for (int s = 0; s < CS_PASS_STEP_COUNT; s++)
    if (steps[s].phase == phase && cs_pass_step_is_on(options, (enum cs_pass_step)s) && run_on_function(&f, s) != 0)
      return -1;
  return 0;
}
