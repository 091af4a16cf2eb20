/* unit.c: what all files of the lifter need from the module. */
#include "lift/unit.h"
#include "report/print.h"
#include <stdio.h>
#include <string.h>

/* Invalid text may have an error in each line; the first ones are enough. */
void cs_lift_reject(struct cs_lift_unit *unit, unsigned line, const char *name, const char *why) {
  enum { MAX_MESSAGES = 20 };
  if (unit->refused++ < MAX_MESSAGES)
    cs_report_print(stderr, "%s:%u: error: '%s' %s\n", unit->path, line, name, why);
}

void cs_lift_refuse(struct cs_lift_unit *unit, unsigned line, const char *what) {
  cs_lift_reject(unit, line, what, "cannot be lifted");
}

LLVMValueRef cs_lift_refuse_value(struct cs_lift_function *f, const char *what, LLVMTypeRef type) {
  cs_lift_refuse(f->unit, f->line, what);
  return LLVMGetUndef(type);
}

int cs_lift_is_for_debugging(const struct cs_lift_unit *unit) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_HEAD && strcmp(item->name, ".target") == 0 && strstr(item->text, "debug"))
      return 1;
  }
  return 0;
}

LLVMTypeRef cs_lift_integer(struct cs_lift_unit *unit, unsigned bits) {
  return LLVMIntTypeInContext(unit->context, bits);
}

LLVMTypeRef cs_lift_pointer(struct cs_lift_unit *unit, unsigned space) {
  return LLVMPointerTypeInContext(unit->context, space);
}

LLVMValueRef cs_lift_number(struct cs_lift_unit *unit, unsigned bits, unsigned long long value) {
  return LLVMConstInt(cs_lift_integer(unit, bits), value, 0);
}

LLVMValueRef cs_lift_intrinsic(struct cs_lift_function *f, const char *name, LLVMTypeRef *types, unsigned type_count,
                               LLVMValueRef *args, unsigned count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(f->unit->module, id, types, type_count);
  return LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(function), function, args, count, "");
}
