/* objects.c: finds the variables that a module names, and says how large they are and how their addresses leave. */
#include "pass/objects.h"
#include "pass/window.h"
#include <stdlib.h>
#include <string.h>

static struct cs_pass_variable describe_local(struct cs_pass *pass, LLVMValueRef alloca_) {
  struct cs_pass_variable v = {.value = alloca_, .memory = CS_MEMORY_LOCAL, .start = alloca_};
  LLVMValueRef count = LLVMGetOperand(alloca_, 0);
  if (LLVMIsAConstantInt(count))
    v.bytes = LLVMABISizeOfType(pass->layout, LLVMGetAllocatedType(alloca_)) * LLVMConstIntGetZExtValue(count);
  return v;
}

static LLVMAttributeRef parameter_attribute(LLVMValueRef argument, const char *name) {
  LLVMValueRef function = LLVMGetParamParent(argument);
  unsigned index = 1;
  for (LLVMValueRef p = LLVMGetFirstParam(function); p != argument; p = LLVMGetNextParam(p))
    index++;
  return LLVMGetEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* What a function is passed in memory, or returns in memory, is a variable in its caller's frame whose type says how large it is.
 * A kernel's parameters are in memory that only loads reach. */
static LLVMTypeRef type_in_memory(LLVMValueRef value) {
  if (!LLVMIsAArgument(value) || cs_pass_is_kernel(LLVMGetParamParent(value)))
    return NULL;
  LLVMAttributeRef attribute = parameter_attribute(value, "byval");
  if (attribute == NULL)
    attribute = parameter_attribute(value, "sret");
  return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

int cs_pass_is_parameter_in_memory(LLVMValueRef value) {
  return LLVMIsAArgument(value) && parameter_attribute(value, "byval") != NULL;
}

cs_u64 cs_pass_parameter_bytes(struct cs_pass *pass, LLVMValueRef parameter) {
  return LLVMABISizeOfType(pass->layout, LLVMGetTypeAttributeValue(parameter_attribute(parameter, "byval")));
}

static struct cs_pass_variable describe_parameter(struct cs_pass *pass, LLVMValueRef argument) {
  return (struct cs_pass_variable){.value = argument,
                                   .memory = CS_MEMORY_LOCAL,
                                   .start = argument,
                                   .bytes = LLVMABISizeOfType(pass->layout, type_in_memory(argument))};
}

enum cs_memory cs_pass_memory_of(LLVMValueRef variable) {
  if (LLVMIsAAllocaInst(variable))
    return CS_MEMORY_LOCAL;
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
  return space == CS_PASS_SPACE_CONSTANT ? CS_MEMORY_CONSTANT
         : space != CS_PASS_SPACE_SHARED ? CS_MEMORY_VARIABLE
         : LLVMIsDeclaration(variable)   ? CS_MEMORY_DYNAMIC_SHARED
                                         : CS_MEMORY_SHARED;
}

static struct cs_pass_variable describe_global(struct cs_pass *pass, LLVMValueRef global) {
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  int is_generic = LLVMTypeOf(global) == pass->ptr;
  struct cs_pass_variable v = {.value = global,
                               .start = is_generic ? global : LLVMConstAddrSpaceCast(global, pass->ptr)};
  v.bytes = LLVMTypeIsSized(type) ? LLVMABISizeOfType(pass->layout, type) : 0;
  v.memory = cs_pass_memory_of(global);
  return v;
}

/* As the programmer wrote it: LLVM appends ".i" when it inlines and a number when two names meet; clang's own name for a result
 * is none. */
char *cs_pass_name_of(LLVMValueRef value) {
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);
  if (LLVMIsAAllocaInst(value))
    length = strcspn(name, ".");
  if (LLVMIsAArgument(value) && strcmp(name, "agg.result") == 0)
    length = 0;
  char *copy = strndup(name, length);
  if (copy == NULL)
    abort();
  return copy;
}

/* A variable without a size here (an array declared elsewhere, a run-time alloca) cannot be bounded. */
static int is_bounded(const struct cs_pass_variable *v) {
  return v->bytes > 0 || v->memory == CS_MEMORY_DYNAMIC_SHARED;
}

struct cs_pass_variable *cs_pass_variable_of(struct cs_pass *pass, LLVMValueRef root) {
  if (!LLVMIsAAllocaInst(root) && !LLVMIsAGlobalVariable(root) && type_in_memory(root) == NULL)
    return NULL;
  struct cs_pass_variable *known = cs_pass_map_get(&pass->variables, root);
  if (known == NULL) {
    known = malloc(sizeof *known);
    if (known == NULL)
      abort();
    *known = LLVMIsAAllocaInst(root) ? describe_local(pass, root)
             : LLVMIsAArgument(root) ? describe_parameter(pass, root)
                                     : describe_global(pass, root);
    known->name = cs_pass_name_of(root);
    cs_pass_map_set(&pass->variables, root, known);
    cs_pass_push(pass->order, pass->order_count, pass->order_capacity, known);
  }
  return is_bounded(known) ? known : NULL;
}

LLVMValueRef cs_pass_start_of(struct cs_pass *pass, enum cs_memory memory, const char *name) {
  for (size_t i = 0; i < pass->order_count && memory != CS_MEMORY_LOCAL; i++)
    if (pass->order[i]->memory == memory && strcmp(pass->order[i]->name, name) == 0)
      return pass->order[i]->start;
  return NULL;
}

/* ---- giving escaping variables what their pointers need ---- */

static void number_variable(struct cs_pass *pass, struct cs_pass_variable *v) {
  if (pass->object_count <= CS_OBJECT_NUMBER_MASK)
    v->number = ++pass->object_count;
}

/* { prefix, variable }: the word lies in the 8 bytes before the variable, whose alignment stays what it was. Where there is no
 * room for that, pointers to the variable leave without bounds: a program that was correct must still assemble. */
static void prefix_shared(struct cs_pass *pass, struct cs_pass_variable *v) {
  unsigned align = LLVMGetAlignment(v->value);
  if (align < CS_SHARED_PREFIX)
    align = CS_SHARED_PREFIX;
  if (!cs_pass_shared_has_room(pass, v, align))
    return;
  LLVMTypeRef i8 = LLVMInt8TypeInContext(pass->context);
  LLVMTypeRef parts[] = {LLVMArrayType2(i8, align), LLVMGlobalGetValueType(v->value)};
  LLVMTypeRef type = LLVMStructTypeInContext(pass->context, parts, 2, 1);
  LLVMValueRef wide = LLVMAddGlobalInAddressSpace(pass->module, type, "", CS_PASS_SPACE_SHARED);
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

/* A function owns what it is passed by value: where the address escapes, a copy in a variable of its own can have a window. */
static void copy_parameter(struct cs_pass *pass, struct cs_pass_variable *v) {
  LLVMValueRef argument = v->value, function = LLVMGetParamParent(argument);
  LLVMTypeRef type = type_in_memory(argument);
  LLVMAttributeRef known = parameter_attribute(argument, "align");
  unsigned align = LLVMABIAlignmentOfType(pass->layout, type);
  unsigned from = known ? (unsigned)LLVMGetEnumAttributeValue(known) : 1;
  LLVMPositionBuilderBefore(pass->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  cs_pass_locate(pass, NULL, function);
  v->value = v->start = LLVMBuildAlloca(pass->builder, type, v->name);
  LLVMReplaceAllUsesWith(argument, v->value);
  LLVMBuildMemCpy(pass->builder, v->value, align, argument, from, LLVMConstInt(pass->i64, v->bytes, 0));
}

void cs_pass_objects_place(struct cs_pass *pass) {
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
}

LLVMValueRef cs_pass_variable_bytes(struct cs_pass *pass, const struct cs_pass_variable *v) {
  if (v->memory == CS_MEMORY_DYNAMIC_SHARED)
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_DYNAMIC_SIZE, NULL);
  if (v->outlived && v->window) {
    LLVMValueRef window = v->window;
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_LOCAL_SIZE, &window);
  }
  return LLVMConstInt(pass->i64, v->bytes, 0);
}

LLVMValueRef cs_pass_variable_close(struct cs_pass *pass, const struct cs_pass_variable *v, LLVMValueRef pointer) {
  if (v->tag) {
    LLVMValueRef arguments[] = {pointer, v->window, LLVMConstInt(pass->i32, v->tag, 0)};
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CLOSE_LOCAL, arguments);
  }
  if (v->has_prefix) {
    LLVMValueRef arguments[] = {pointer, v->start, LLVMConstInt(pass->i64, v->bytes, 0)};
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CLOSE_SHARED, arguments);
  }
  if (v->number) {
    LLVMValueRef arguments[] = {pointer, LLVMConstInt(pass->i32, v->number - 1, 0)};
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CLOSE_VARIABLE, arguments);
  }
  if (v->memory == CS_MEMORY_DYNAMIC_SHARED)
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CLOSE_DYNAMIC, &pointer);
  return pointer;
}

static void define_table(struct cs_pass *pass) {
  LLVMTypeRef parts[] = {pass->i64, pass->i64};
  LLVMTypeRef entry = LLVMStructTypeInContext(pass->context, parts, 2, 0);
  LLVMValueRef *entries = calloc(pass->object_count, sizeof *entries);
  if (entries == NULL)
    abort();
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

void cs_pass_objects_emit(struct cs_pass *pass) {
  if (pass->object_count)
    define_table(pass);
  for (size_t i = 0; i < pass->order_count; i++) {
    struct cs_pass_variable *v = pass->order[i];
    if (v->has_prefix)
      LLVMDeleteGlobal(v->value);
    else if (v->tag)
      LLVMInstructionEraseFromParent(v->value);
  }
}

void cs_pass_objects_free(struct cs_pass *pass) {
  for (size_t i = 0; i < pass->order_count; i++) {
    free(pass->order[i]->name);
    free(pass->order[i]);
  }
  free(pass->order);
  cs_pass_map_free(&pass->variables);
}
