/* main.c: cusafe-lift: PTX in, NVPTX IR out. */
#include "lift/body.h"
#include "lift/globals.h"
#include "lift/infer.h"
#include "lift/lines.h"
#include "lift/signatures.h"
#include "ptx/module.h"
#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  const char *input, *output;
};

static int usage(void) {
  fprintf(stderr, "usage: cusafe-lift INPUT.ptx -o OUTPUT.{bc,ll}\n");
  return -1;
}

static int parse(struct options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      o->output = argv[++i];
    else if (argv[i][0] == '-' || o->input)
      return usage();
    else
      o->input = argv[i];
  }
  return o->input && o->output ? 0 : usage();
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
  unit->context = LLVMContextCreate();
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
  LLVMDIBuilderFinalize(unit->lines);
  if (unit->refused || verify(unit) || cs_lift_infer(unit))
    return -1;
  return verify(unit);
}

static int run(const struct options *o) {
  struct cs_ptx_module module;
  struct cs_ptx_error error;
  char *text = read_file(o->input);
  if (!text)
    return -1;
  struct cs_lift_unit unit = {.ptx = &module, .path = o->input};
  int failed = cs_ptx_parse_module(&module, text, &error);
  if (failed)
    fprintf(stderr, "%s:%u: error: %s\n", o->input, error.line, error.text);
  else
    failed = lift(&unit) || write_module(unit.module, o->output);
  cs_ptx_module_free(&module);
  cs_ptx_release(&unit.arena);
  free(text);
  return failed;
}

int main(int argc, char **argv) {
  struct options options = {0};
  return parse(&options, argc, argv) || run(&options) ? 1 : 0;
}
