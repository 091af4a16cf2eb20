/* main.c: cusafe-lift: PTX in, NVPTX IR out. */
#include "ir/memory.h"
#include "lift/lift.h"
#include "report/print.h"
#include <errno.h>
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct options {
  const char **inputs, *output, *print_after; /* print_after NULL: nothing is printed */
  size_t input_count;
  int list_steps;
};

static int usage(void) {
  cs_report_print(stderr, "usage: cusafe-lift [options] INPUT.ptx... -o OUTPUT.{bc,ll}\n"
                          "  --list-steps        print the steps of lifting, with their reasons\n"
                          "  --print-after=STEP  print the IR after that step to standard error\n");
  return -1;
}

static int set_print_after(struct options *o, const char *step) {
  o->print_after = step;
  if (cs_lift_is_step(step))
    return 0;
  cs_report_print(stderr, "cusafe-lift: there is no step '%s'; --list-steps prints all of them\n", step);
  return -1;
}

static int parse(struct options *o, int argc, char **argv) {
  static const char print_after[] = "--print-after=";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
      o->output = argv[++i];
    } else if (strcmp(argv[i], "--list-steps") == 0) {
      o->list_steps = 1;
    } else if (strncmp(argv[i], print_after, sizeof print_after - 1) == 0) {
      if (set_print_after(o, argv[i] + sizeof print_after - 1))
        return -1;
    } else if (argv[i][0] == '-') {
      return usage();
    } else {
      o->inputs[o->input_count++] = argv[i];
    }
  }
  return o->list_steps || (o->input_count && o->output) ? 0 : usage();
}

/* --- Files --- */

static char *read_file(const char *path) {
  LLVMMemoryBufferRef buffer;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    cs_report_print(stderr, "cusafe-lift: cannot read %s: %s\n", path, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  size_t size = LLVMGetBufferSize(buffer);
  char *text = cs_ir_allocate(size + 1, 1);
  memcpy(text, LLVMGetBufferStart(buffer), size);
  LLVMDisposeMemoryBuffer(buffer);
  return text;
}

static int write_module(LLVMModuleRef module, const char *path) {
  size_t length = strlen(path);
  char *message = NULL;
  int is_text = length > 3 && strcmp(path + length - 3, ".ll") == 0;
  int failed = is_text ? LLVMPrintModuleToFile(module, path, &message) : LLVMWriteBitcodeToFile(module, path);
  if (failed)
    cs_report_print(stderr, "cusafe-lift: cannot write %s: %s\n", path, message ? message : strerror(errno));
  if (message)
    LLVMDisposeMessage(message);
  return failed ? -1 : 0;
}

static int run(const struct options *o) {
  struct cs_lift_input *inputs = cs_ir_allocate(o->input_count, sizeof *inputs);
  LLVMContextRef context = LLVMContextCreate();
  int failed = 0;
  for (size_t i = 0; i < o->input_count && !failed; i++) {
    char *text = read_file(o->inputs[i]);
    inputs[i].print_after = o->print_after;
    failed = !text || cs_lift_read(&inputs[i], text, o->inputs[i], context);
  }
  if (!failed)
    failed = cs_lift_join(inputs, o->input_count) || write_module(inputs[0].unit.module, o->output);
  for (size_t i = 0; i < o->input_count; i++)
    cs_lift_release(&inputs[i]);
  free(inputs);
  LLVMContextDispose(context);
  return failed;
}

/* Long chains of sums are followed by recursion; the system's default ends some of 100,000. */
static void raise_stack_limit(void) {
  const rlim_t wanted = 64u << 20;
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= wanted || limit.rlim_max < wanted)
    return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_STACK, &limit);
}

int main(int argc, char **argv) {
  raise_stack_limit();
  struct options options = {.inputs = cs_ir_allocate((size_t)argc, sizeof *options.inputs)};
  int failed = parse(&options, argc, argv);
  if (!failed && options.list_steps)
    cs_lift_list_steps(stdout);
  else if (!failed)
    failed = run(&options);
  free(options.inputs);
  return failed ? 1 : 0;
}
