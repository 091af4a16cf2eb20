/* link.c: links several inputs, each of which has names of its own, to one module. */
#include "lift/steps.h"
#include <llvm-c/Linker.h>
#include <string.h>

/* A name without a linkage directive is its module's own; it stays visible where it can, for the host may look it up.
 * Of weak definitions the first is used. */
static void hide_if_taken(struct cs_lift_unit *unit, LLVMModuleRef whole, const char *name, const char *linkage) {
  const struct cs_lift_symbol *symbol = cs_ir_map_get_name(&unit->symbols, name);
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
      cs_ir_map_set_name(&whole->symbols, item->function->name,
                         cs_ir_map_get_name(&unit->symbols, item->function->name));
  }
}

int cs_lift_link_inputs(struct cs_lift_unit *whole) {
  for (struct cs_lift_unit *unit = whole->next; unit; unit = unit->next) {
    LLVMModuleRef module = unit->module;
    hide_own_names(unit, whole->module);
    adopt_kernels(whole, unit);
    unit->module = NULL;                         /* the linker takes it */
    if (LLVMLinkModules2(whole->module, module)) /* LLVM has printed why */
      return CS_LIFT_REFUSED;
  }
  return 0;
}
