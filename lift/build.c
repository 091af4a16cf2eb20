/* build.c: builds the module of one input: what it declares, and the bodies of its functions. */
#include "ir/module.h"
#include "lift/body.h"
#include "lift/frames.h"
#include "lift/globals.h"
#include "lift/lines.h"
#include "lift/signatures.h"
#include "lift/steps.h"
#include <string.h>

int cs_lift_start_module(struct cs_lift_unit *unit) {
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
  unit->ptr = cs_lift_pointer(unit, CS_IR_SPACE_GENERIC);
  LLVMMetadataRef version = LLVMValueAsMetadata(LLVMConstInt(unit->i32, LLVMDebugMetadataVersion(), 0));
  LLVMAddModuleFlag(unit->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18, version);
  cs_lift_start_lines(unit);
  cs_lift_read_frames(unit);
  return 0;
}

static int is_external(const struct cs_ptx_variable *v) {
  return v->linkage && strcmp(v->linkage, ".extern") == 0;
}

/* ".extern" declarations may be repeated, and one definition may follow or precede them. */
static void declare_variable(struct cs_lift_unit *unit, const struct cs_ptx_variable *v) {
  struct cs_lift_symbol *before = cs_ir_map_get_name(&unit->symbols, v->name);
  if (before && before->variable && is_external(v) && strcmp(v->space, before->variable->space) == 0)
    return;
  if (before && (!before->variable || !is_external(before->variable) || strcmp(v->space, before->variable->space))) {
    cs_lift_reject(unit, v->line, v->name, "is declared twice");
    return;
  }
  if (before)
    LLVMDeleteGlobal(before->value);
  cs_ir_map_set_name(&unit->symbols, v->name, cs_lift_declare_variable(unit, v));
}

int cs_lift_declare(struct cs_lift_unit *unit) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_FUNCTION)
      cs_lift_declare_function(unit, item->function);
    else if (item->kind == CS_PTX_VARIABLE)
      declare_variable(unit, item->variable);
    else if (item->kind == CS_PTX_ALIAS)
      cs_lift_refuse(unit, 0, ".alias");
  }
  return 0;
}

int cs_lift_translate_bodies(struct cs_lift_unit *unit) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    struct cs_lift_symbol *symbol =
        item->kind == CS_PTX_FUNCTION ? cs_ir_map_get_name(&unit->symbols, item->function->name) : NULL;
    if (symbol && symbol->function == item->function && item->function->is_defined)
      cs_lift_body(unit, symbol);
  }
  LLVMDIBuilderFinalize(unit->lines);
  return 0;
}

int cs_lift_end_if_refused(struct cs_lift_unit *unit) {
  return unit->refused ? CS_LIFT_REFUSED : 0;
}
