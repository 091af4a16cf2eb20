/* metadata.c: gives the variables whose address escapes, or outlives them, the metadata that pointers to them lead
 * to. */
#include "pass/variables/metadata.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "pass/module/build.h"
#include "pass/variables/objects.h"
#include "pass/variables/shared.h"
#include "pass/variables/window.h"
#include <stdlib.h>
#include <string.h>

static void number_variable(struct cs_pass *pass, struct cs_pass_variable *v) {
  if (pass->object_count <= CS_OBJECT_NUMBER_MASK)
    v->number = ++pass->object_count;
}

/* { prefix, variable }: the metadata word is in the 8 bytes before the variable, whose alignment does not change.
 * Without room for it, pointers to the variable escape without bounds: a correct program must still assemble. */
static void prefix_shared(struct cs_pass *pass, struct cs_pass_variable *v) {
  unsigned align = LLVMGetAlignment(v->value);
  if (align < CS_SHARED_PREFIX)
    align = CS_SHARED_PREFIX;
  if (!cs_pass_shared_has_room(pass, v, align))
    return;
  LLVMTypeRef i8 = LLVMInt8TypeInContext(pass->context);
  LLVMTypeRef parts[] = {LLVMArrayType2(i8, align), LLVMGlobalGetValueType(v->value)};
  LLVMTypeRef type = LLVMStructTypeInContext(pass->context, parts, 2, 1);
  LLVMValueRef wide = LLVMAddGlobalInAddressSpace(pass->module, type, "", CS_IR_SPACE_SHARED);
  LLVMSetInitializer(wide, LLVMGetUndef(type));
  LLVMSetLinkage(wide, LLVMGetLinkage(v->value));
  LLVMSetAlignment(wide, align);
  LLVMValueRef zero = LLVMConstInt(pass->i32, 0, 0), one = LLVMConstInt(pass->i32, 1, 0), path[] = {zero, one};
  LLVMValueRef start = LLVMConstInBoundsGEP2(type, wide, path, 2);
  LLVMReplaceAllUsesWith(v->value, start);
  LLVMSetValueName2(v->value, "", 0);
  LLVMSetValueName2(wide, v->name, strlen(v->name));
  v->start = LLVMConstAddrSpaceCast(start, pass->ptr);
  v->has_prefix = 1;
  v->prefix = align;
}

/* A function owns what it is passed by value: if the address escapes, a copy in a local variable can have a window. */
static void copy_parameter(struct cs_pass *pass, struct cs_pass_variable *v) {
  LLVMValueRef argument = v->value, function = LLVMGetParamParent(argument);
  LLVMTypeRef type = cs_pass_type_in_memory(argument);
  LLVMAttributeRef known = cs_pass_parameter_attribute(argument, "align");
  unsigned align = LLVMABIAlignmentOfType(pass->layout, type);
  unsigned from = known ? (unsigned)LLVMGetEnumAttributeValue(known) : 1;
  LLVMPositionBuilderBefore(pass->builder, cs_ir_first(function));
  cs_pass_locate(pass, NULL, function);
  v->value = v->start = LLVMBuildAlloca(pass->builder, type, v->name);
  LLVMReplaceAllUsesWith(argument, v->value);
  LLVMBuildMemCpy(pass->builder, v->value, align, argument, from, LLVMConstInt(pass->i64, v->bytes, 0));
}

int cs_pass_metadata_add(struct cs_pass *pass) {
  cs_pass_shared_find_kernels(pass);
  for (size_t i = 0; i < pass->order_count; i++) {
    struct cs_pass_variable *v = pass->order[i];
    if (v->escapes && cs_pass_is_parameter_in_memory(v->value))
      copy_parameter(pass, v);
    if (LLVMIsAAllocaInst(v->value) && (v->escapes || v->outlived))
      cs_pass_window_local(pass, v);
    else if (v->memory == CS_MEMORY_SHARED && v->escapes)
      prefix_shared(pass, v);
    else if ((v->memory == CS_MEMORY_VARIABLE || v->memory == CS_MEMORY_CONSTANT) && v->escapes)
      number_variable(pass, v);
  }
  return 0;
}

static void define_table(struct cs_pass *pass) {
  LLVMTypeRef parts[] = {pass->i64, pass->i64};
  LLVMTypeRef entry = LLVMStructTypeInContext(pass->context, parts, 2, 0);
  LLVMValueRef *entries = cs_ir_allocate(pass->object_count, sizeof *entries);
  for (size_t i = 0; i < pass->order_count; i++) {
    const struct cs_pass_variable *v = pass->order[i];
    if (v->number == 0)
      continue;
    LLVMValueRef fields[] = {LLVMConstPtrToInt(v->start, pass->i64), LLVMConstInt(pass->i64, v->bytes, 0)};
    entries[v->number - 1] = LLVMConstStructInContext(pass->context, fields, 2, 0);
  }
  LLVMValueRef table = LLVMConstArray2(entry, entries, pass->object_count);
  LLVMValueRef global = LLVMAddGlobalInAddressSpace(pass->module, LLVMTypeOf(table), CS_SYM_OBJECTS, 1);
  LLVMSetInitializer(global, table);
  free(entries);
}

int cs_pass_metadata_emit(struct cs_pass *pass) {
  if (pass->object_count)
    define_table(pass);
  for (size_t i = 0; i < pass->order_count; i++) {
    struct cs_pass_variable *v = pass->order[i];
    if (v->has_prefix)
      LLVMDeleteGlobal(v->value);
    else if (v->tag)
      LLVMInstructionEraseFromParent(v->value);
  }
  return 0;
}
