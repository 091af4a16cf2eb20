/* lift.c: the module of each input, and the whole that they are linked to. Several inputs are linked before addresses are inferred: until then the
 * types of functions depend on their own PTX alone, so that declarations and definitions agree. */
#include "lift/lift.h"
#include "lift/body.h"
#include "lift/globals.h"
#include "lift/infer.h"
#include "lift/lines.h"
#include "lift/signatures.h"
#include "ptx/module.h"
#include "report/print.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int is_external(const struct cs_ptx_variable *v) {
  return v->linkage && strcmp(v->linkage, ".extern") == 0;
}

/* ".extern" declarations may be repeated, and one definition may follow or precede them. */
static void declare_variable(struct cs_lift_unit *unit, const struct cs_ptx_variable *v) {
  struct cs_lift_symbol *before = cs_lift_find_name(&unit->symbols, v->name);
  if (before && before->variable && is_external(v) && strcmp(v->space, before->variable->space) == 0)
    return;
  if (before && (!before->variable || !is_external(before->variable) || strcmp(v->space, before->variable->space))) {
    cs_lift_reject(unit, v->line, v->name, "is declared twice");
    return;
  }
  if (before)
    LLVMDeleteGlobal(before->value);
  cs_lift_set_name(&unit->symbols, v->name, cs_lift_declare_variable(unit, v));
}

/* Initialisers last: they may hold the addresses of all others. */
static void declare(struct cs_lift_unit *unit) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_FUNCTION)
      cs_lift_declare_function(unit, item->function);
    else if (item->kind == CS_PTX_VARIABLE)
      declare_variable(unit, item->variable);
    else if (item->kind == CS_PTX_ALIAS)
      cs_lift_refuse(unit, 0, ".alias");
  }
  cs_lift_initialise(unit);
}

static int verify(struct cs_lift_unit *unit) {
  char *message = NULL;
  int failed = LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &message);
  if (failed) {
    cs_report_print(stderr, "cusafe-lift: the IR is invalid, a bug in CuSafe: ");
    cs_report_print_lines(stderr, message);
  }
  LLVMDisposeMessage(message);
  return failed ? CS_LIFT_BUG : 0;
}

static int lift(struct cs_lift_unit *unit) {
  start(unit);
  cs_lift_start_lines(unit);
  declare(unit);
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    struct cs_lift_symbol *symbol =
        item->kind == CS_PTX_FUNCTION ? cs_lift_find_name(&unit->symbols, item->function->name) : NULL;
    if (symbol && symbol->function == item->function && item->function->is_defined)
      cs_lift_body(unit, symbol);
  }
  cs_lift_keep_variables(unit);
  LLVMDIBuilderFinalize(unit->lines);
  return unit->refused ? CS_LIFT_REFUSED : verify(unit);
}

int cs_lift_read(struct cs_lift_input *in, char *text, const char *path, LLVMContextRef context) {
  struct cs_ptx_error error;
  in->text = text;
  in->unit = (struct cs_lift_unit){.ptx = &in->ptx, .path = path, .context = context};
  cs_lift_forget_asm_lines(in->text);
  if (!cs_ptx_parse_module(&in->ptx, in->text, &error))
    return lift(&in->unit);
  cs_report_print(stderr, "%s:%u: error: %s\n", path, error.line, error.text);
  return CS_LIFT_REFUSED;
}

void cs_lift_release(struct cs_lift_input *in) {
  struct cs_lift_map *const maps[] = {&in->unit.symbols, &in->unit.strings, &in->unit.files, &in->unit.functions};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    cs_lift_map_free(maps[i]);
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

static int link_inputs(struct cs_lift_input *inputs, size_t count) {
  struct cs_lift_unit *whole = &inputs[0].unit;
  for (size_t i = 1; i < count; i++) {
    LLVMModuleRef module = inputs[i].unit.module;
    hide_own_names(&inputs[i].unit, whole->module);
    adopt_kernels(whole, &inputs[i].unit);
    inputs[i].unit.module = NULL;                /* the linker takes it */
    if (LLVMLinkModules2(whole->module, module)) /* LLVM has printed why */
      return CS_LIFT_REFUSED;
  }
  return count > 1 ? verify(whole) : 0;
}

int cs_lift_join(struct cs_lift_input *inputs, size_t count) {
  int failed = link_inputs(inputs, count);
  if (!failed && cs_lift_infer(&inputs[0].unit))
    failed = CS_LIFT_BUG;
  return failed ? failed : verify(&inputs[0].unit);
}
