/* main.c: cusafe-lift: PTX in, NVPTX IR out. Several inputs are linked before addresses are inferred: until then the types of functions
 * depend on their own PTX alone, so that declarations and definitions agree. */
#include "lift/body.h"
#include "lift/globals.h"
#include "lift/infer.h"
#include "lift/lines.h"
#include "lift/signatures.h"
#include "ptx/module.h"
#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  const char **inputs, *output;
  size_t input_count;
};

static int usage(void) {
  fprintf(stderr, "usage: cusafe-lift INPUT.ptx... -o OUTPUT.{bc,ll}\n");
  return -1;
}

static int parse(struct options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      o->output = argv[++i];
    else if (argv[i][0] == '-')
      return usage();
    else
      o->inputs[o->input_count++] = argv[i];
  }
  return o->input_count && o->output ? 0 : usage();
}

/* --- Files --- */

static char *read_file(const char *path) {
  LLVMMemoryBufferRef buffer;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    fprintf(stderr, "cusafe-lift: cannot read %s: %s\n", path, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  size_t size = LLVMGetBufferSize(buffer);
  char *text = cs_lift_allocate(size + 1, 1);
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
    fprintf(stderr, "cusafe-lift: cannot write %s: %s\n", path, message ? message : strerror(errno));
  if (message)
    LLVMDisposeMessage(message);
  return failed ? -1 : 0;
}

/* --- The module --- */

static void start(struct cs_lift_unit *unit) {
  unit->module = LLVMModuleCreateWithNameInContext(unit->path, unit->context);
  LLVMSetTarget(unit->module, "nvptx64-nvidia-cuda");
  LLVMSetDataLayout(unit->module, "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64");
  unit->builder = LLVMCreateBuilderInContext(unit->context);
  unit->lines = LLVMCreateDIBuilder(unit->module);
  unit->i1 = cs_lift_integer(unit, 1);
  unit->i8 = cs_lift_integer(unit, 8);
  unit->i16 = cs_lift_integer(unit, 16);
  unit->i32 = cs_lift_integer(unit, 32);
  unit->i64 = cs_lift_integer(unit, 64);
  unit->ptr = cs_lift_pointer(unit, CS_LIFT_GENERIC);
  LLVMMetadataRef version = LLVMValueAsMetadata(LLVMConstInt(unit->i32, LLVMDebugMetadataVersion(), 0));
  LLVMAddModuleFlag(unit->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18, version);
}

/* Functions first: variables may hold their addresses. */
static void declare(struct cs_lift_unit *unit) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_FUNCTION)
      cs_lift_declare_function(unit, item->function);
    else if (item->kind == CS_PTX_VARIABLE)
      cs_lift_set_name(&unit->symbols, item->variable->name, cs_lift_declare_variable(unit, item->variable));
    else if (item->kind == CS_PTX_ALIAS)
      cs_lift_refuse(unit, 0, ".alias");
  }
  cs_lift_initialise(unit);
}

static int verify(struct cs_lift_unit *unit) {
  char *message = NULL;
  int failed = LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &message);
  if (failed)
    fprintf(stderr, "cusafe-lift: the IR is invalid, a bug in CuSafe: %s\n", message);
  LLVMDisposeMessage(message);
  return failed ? -1 : 0;
}

static int lift(struct cs_lift_unit *unit) {
  start(unit);
  cs_lift_start_lines(unit);
  declare(unit);
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_FUNCTION && item->function->is_defined)
      cs_lift_body(unit, cs_lift_find_name(&unit->symbols, item->function->name));
  }
  cs_lift_keep_variables(unit);
  LLVMDIBuilderFinalize(unit->lines);
  return unit->refused || verify(unit) ? -1 : 0;
}

/* A unit and the text that its names are in. */
struct input {
  struct cs_ptx_module module;
  struct cs_lift_unit unit;
  char *text;
};

static int lift_input(struct input *in, const char *path, LLVMContextRef context) {
  struct cs_ptx_error error;
  in->text = read_file(path);
  if (!in->text)
    return -1;
  in->unit = (struct cs_lift_unit){.ptx = &in->module, .path = path, .context = context};
  cs_lift_forget_asm_lines(in->text);
  if (!cs_ptx_parse_module(&in->module, in->text, &error))
    return lift(&in->unit);
  fprintf(stderr, "%s:%u: error: %s\n", path, error.line, error.text);
  return -1;
}

static void release(struct input *in) {
  cs_ptx_module_free(&in->module);
  cs_ptx_release(&in->unit.arena);
  free(in->text);
}

/* --- Several inputs --- */

/* A name without a linkage directive is its module's own; it stays visible where it can, for the host may look it up. Of weak
 * definitions the first is used. */
static void hide_if_taken(struct cs_lift_unit *unit, LLVMModuleRef whole, const char *name, const char *linkage) {
  const struct cs_lift_symbol *symbol = cs_lift_find_name(&unit->symbols, name);
  int is_taken = LLVMGetNamedFunction(whole, name) || LLVMGetNamedGlobal(whole, name);
  if (symbol && is_taken && !linkage)
    LLVMSetLinkage(symbol->value, LLVMInternalLinkage);
  else if (symbol && is_taken && strcmp(linkage, ".weak") == 0)
    LLVMSetLinkage(symbol->value, LLVMLinkOnceODRLinkage);
}

static void hide_own_names(struct cs_lift_unit *unit, LLVMModuleRef whole) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_FUNCTION && item->function->is_defined)
      hide_if_taken(unit, whole, item->function->name, item->function->linkage);
    else if (item->kind == CS_PTX_VARIABLE)
      hide_if_taken(unit, whole, item->variable->name, item->variable->linkage);
  }
}

/* Kernels keep the declarations of their parameters, which the inference of the whole reads. */
static void adopt_kernels(struct cs_lift_unit *whole, const struct cs_lift_unit *unit) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_FUNCTION && item->function->is_entry)
      cs_lift_set_name(&whole->symbols, item->function->name, cs_lift_find_name(&unit->symbols, item->function->name));
  }
}

static int join(struct input *inputs, size_t count) {
  struct cs_lift_unit *whole = &inputs[0].unit;
  for (size_t i = 1; i < count; i++) {
    hide_own_names(&inputs[i].unit, whole->module);
    adopt_kernels(whole, &inputs[i].unit);
    if (LLVMLinkModules2(whole->module, inputs[i].unit.module)) /* LLVM has printed why */
      return -1;
  }
  return count > 1 ? verify(whole) : 0;
}

static int run(const struct options *o) {
  struct input *inputs = cs_lift_allocate(o->input_count, sizeof *inputs);
  LLVMContextRef context = LLVMContextCreate();
  int failed = 0;
  for (size_t i = 0; i < o->input_count && !failed; i++)
    failed = lift_input(&inputs[i], o->inputs[i], context);
  if (!failed)
    failed = join(inputs, o->input_count) || cs_lift_infer(&inputs[0].unit) || verify(&inputs[0].unit) ||
             write_module(inputs[0].unit.module, o->output);
  for (size_t i = 0; i < o->input_count; i++)
    release(&inputs[i]);
  free(inputs);
  return failed;
}

int main(int argc, char **argv) {
  struct options options = {.inputs = cs_lift_allocate((size_t)argc, sizeof *options.inputs)};
  int failed = parse(&options, argc, argv) || run(&options);
  free(options.inputs);
  return failed ? 1 : 0;
}
