/* main.c: cusafe-retarget: CUDA device bitcode in, a device image for the CPU driver out. Runs the steps of
 * steps.inc. */
#include "ir/memory.h"
#include "ir/names.h"
#include "report/print.h"
#include "retarget/engine_quirks/steps.h"
#include "retarget/fast_path/steps.h"
#include "retarget/lower/steps.h"
#include "retarget/read/input.h"
#include "retarget/read/steps.h"
#include "retarget/write/image.h"
#include "retarget/write/print.h"
#include "retarget/write/steps.h"
#include <errno.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct step {
  const char *name;
  int (*run)(struct cs_rt_unit *unit); /* 0, or -1 after a message */
  const char *reason;
} steps[] = {
#define CS_RT_STEP(name, function, reason) {name, function, reason},
#include "retarget/steps.inc"
#undef CS_RT_STEP
};
enum { STEP_COUNT = sizeof steps / sizeof *steps };

struct options {
  char **inputs;
  int input_count;
  const char *output, *failing;
  int debug, part, makes_failing, list_steps;
  const struct step *print_after, *stop_after; /* NULL: not given */
};

/* --- The command line --- */

static int usage(void) {
  cs_report_print(stderr,
                  "usage: cusafe-retarget [options] input.bc [input.bc ...] -o output.img\n"
                  "  -g                  also write code for a debugger into the image\n"
                  "  --part              variables that are not defined are those of another image\n"
                  "  --failing=FILE      what failing checks call is in FILE, which --make-failing has written\n"
                  "  --make-failing      write that file from the runtime's bitcode, in place of an image\n"
                  "  --list-steps        print the steps of the translation, with their reasons\n"
                  "  --print-after=STEP  print the IR after that step to standard error\n"
                  "  --stop-after=STEP   stop after that step, and write the IR to the output (-: standard output);\n"
                  "                      with -g, the IR of the code for a debugger\n");
  return -1;
}

/* NULL after a message. */
static const struct step *find_step(const char *name) {
  for (size_t i = 0; i < STEP_COUNT; i++)
    if (strcmp(steps[i].name, name) == 0)
      return &steps[i];
  cs_report_print(stderr, "cusafe-retarget: there is no step '%s'; --list-steps prints all of them\n", name);
  return NULL;
}

/* Whether the argument is "NAME=VALUE"; name ends in "=". */
static int has_value(const char *argument, const char *name, const char **value) {
  if (!cs_ir_starts_with(argument, name))
    return 0;
  *value = argument + strlen(name);
  return 1;
}

static int parse(struct options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *step;
    if (has_value(argv[i], "--print-after=", &step)) {
      if (!(o->print_after = find_step(step)))
        return -1;
    } else if (has_value(argv[i], "--stop-after=", &step)) {
      if (!(o->stop_after = find_step(step)))
        return -1;
    } else if (has_value(argv[i], "--failing=", &o->failing)) {
      continue;
    } else if (strcmp(argv[i], "--make-failing") == 0) {
      o->makes_failing = 1;
    } else if (strcmp(argv[i], "-g") == 0) {
      o->debug = 1;
    } else if (strcmp(argv[i], "--part") == 0) {
      o->part = 1;
    } else if (strcmp(argv[i], "--list-steps") == 0) {
      o->list_steps = 1;
    } else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
      o->output = argv[++i];
    } else if (argv[i][0] == '-') {
      return usage();
    } else {
      o->inputs[o->input_count++] = argv[i];
    }
  }
  return o->list_steps || (o->input_count && o->output) ? 0 : usage();
}

static int list_steps(void) {
  for (size_t i = 0; i < STEP_COUNT; i++)
    printf("%-26s %s\n", steps[i].name, steps[i].reason);
  return 0;
}

/* --- The translation --- */

static void start_targets(void) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
}

static int retarget(struct cs_rt_unit *unit, const struct options *o) {
  if (cs_rt_read(unit, o->inputs, o->input_count))
    return -1;
  for (const struct step *step = steps; step < steps + STEP_COUNT; step++) {
    if (step->run(unit))
      return -1;
    if (step == o->print_after) {
      cs_report_print(stderr, "; IR after %s\n", step->name);
      cs_rt_print_unit(unit, stderr);
    }
    if (step == o->stop_after)
      return 0;
  }
  return 0;
}

/* NULL after a message. */
static LLVMMemoryBufferRef read_failing(const char *path) {
  LLVMMemoryBufferRef read = NULL;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &read, &message) == 0)
    return read;
  cs_report_print(stderr, "cusafe-retarget: cannot read %s: %s\n", path, message);
  LLVMDisposeMessage(message);
  return NULL;
}

/* A unit for a debugger has its own code of failing checks. -1 after a message. */
static int begin(struct cs_rt_unit *unit, const struct options *o) {
  unit->context = LLVMContextCreate();
  unit->makes_failing = o->makes_failing;
  unit->part = o->part || o->makes_failing;
  return o->failing && !unit->debug && !(unit->failing = read_failing(o->failing)) ? -1 : 0;
}

/* --stop-after: the IR instead of an image. */
static int write_ir(const struct cs_rt_unit *unit, const char *path) {
  FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  if (file)
    cs_rt_print_unit(unit, file);
  if (file && !ferror(file) && (file == stdout ? fflush(file) : fclose(file)) == 0)
    return 0;
  cs_report_print(stderr, "cusafe-retarget: cannot write %s: %s\n", path, strerror(errno));
  return -1;
}

static int run_partly(const struct options *o) {
  struct cs_rt_unit unit = {.debug = o->debug};
  return begin(&unit, o) || retarget(&unit, o) || write_ir(&unit, o->output) ? -1 : 0;
}

static int run(const struct options *o) {
  struct cs_rt_unit unit = {.debug = 0}, debugged = {.debug = 1};
  int debug = o->debug;
  if (begin(&unit, o) || retarget(&unit, o))
    return -1;
  if (o->makes_failing)
    return cs_rt_write_code(&unit, o->output);
  if (debug && (begin(&debugged, o) || retarget(&debugged, o))) {
    cs_report_print(stderr, "cusafe-retarget: the program runs, but a debugger has no source lines for its kernels\n");
    debug = 0;
  }
  return cs_rt_write_image(&unit, debug ? &debugged : NULL, o->output);
}

int main(int argc, char **argv) {
  struct options options = {.inputs = cs_ir_allocate((size_t)argc, sizeof(char *))};
  int failed = parse(&options, argc, argv);
  if (!failed && options.list_steps) {
    failed = list_steps();
  } else if (!failed) {
    start_targets();
    failed = options.stop_after ? run_partly(&options) : run(&options);
  }
  free(options.inputs);
  return failed ? 1 : 0;
}
