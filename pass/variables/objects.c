/* objects.c: describes the variables that a module names: memory, name, size, and the escaping form of their
 * addresses. */
#include "pass/variables/objects.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/module/kernels.h"
#include "pass/module/runtime.h"
#include "pass/variables/lent.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cs_pass_variable describe_local(struct cs_pass *pass, LLVMValueRef alloca_) {
  struct cs_pass_variable v = {.value = alloca_, .memory = CS_MEMORY_LOCAL, .start = alloca_};
  LLVMValueRef count = LLVMGetOperand(alloca_, 0);
  if (LLVMIsAConstantInt(count))
    v.bytes = LLVMABISizeOfType(pass->layout, LLVMGetAllocatedType(alloca_)) * LLVMConstIntGetZExtValue(count);
  return v;
}

LLVMAttributeRef cs_pass_parameter_attribute(LLVMValueRef argument, const char *name) {
  LLVMValueRef function = LLVMGetParamParent(argument);
  unsigned index = 1;
  for (LLVMValueRef p = LLVMGetFirstParam(function); p != argument; p = LLVMGetNextParam(p))
    index++;
  return LLVMGetEnumAttributeAtIndex(function, index, cs_ir_attribute_kind(name));
}

/* An argument or a result in memory is a variable in the caller's frame, whose type gives its size. A kernel's
 * parameters are in memory that only loads reach. */
LLVMTypeRef cs_pass_type_in_memory(LLVMValueRef value) {
  if (!LLVMIsAArgument(value) || cs_ir_is_kernel(LLVMGetParamParent(value)))
    return NULL;
  LLVMAttributeRef attribute = cs_pass_parameter_attribute(value, "byval");
  if (attribute == NULL)
    attribute = cs_pass_parameter_attribute(value, "sret");
  return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

int cs_pass_is_parameter_in_memory(LLVMValueRef value) {
  return LLVMIsAArgument(value) && cs_pass_parameter_attribute(value, "byval") != NULL;
}

cs_u64 cs_pass_parameter_bytes(struct cs_pass *pass, LLVMValueRef parameter) {
  return LLVMABISizeOfType(pass->layout, LLVMGetTypeAttributeValue(cs_pass_parameter_attribute(parameter, "byval")));
}

static struct cs_pass_variable describe_parameter(struct cs_pass *pass, LLVMValueRef argument) {
  LLVMTypeRef type = cs_pass_type_in_memory(argument);
  struct cs_pass_loan loan = cs_pass_loan_of(argument);
  return (struct cs_pass_variable){.value = argument,
                                   .memory = type ? CS_MEMORY_LOCAL : loan.memory,
                                   .start = argument,
                                   .bytes = type ? LLVMABISizeOfType(pass->layout, type) : loan.bytes};
}

enum cs_memory cs_pass_memory_of(LLVMValueRef variable) {
  if (LLVMIsAAllocaInst(variable))
    return CS_MEMORY_LOCAL;
  unsigned space = cs_ir_space_of(variable);
  return space == CS_IR_SPACE_CONSTANT ? CS_MEMORY_CONSTANT
         : space != CS_IR_SPACE_SHARED ? CS_MEMORY_VARIABLE
         : LLVMIsDeclaration(variable) ? CS_MEMORY_DYNAMIC_SHARED
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

/* `cusafe cc` declares a shared variable x with a constructor as cusafe_x (cli/cc/shared_objects.c), which is mangled
 * as 8cusafe_x. */
static char *declared_name(const char *name, size_t length) {
  static const char prefix[] = "cusafe_";
  char *copy = cs_ir_copy_text(name, length), *found = strstr(copy, prefix), *number = found;
  while (number > copy && number[-1] >= '0' && number[-1] <= '9')
    number--;
  size_t mangled = number < found ? strtoul(number, NULL, 10) : 0;
  if (mangled <= sizeof prefix - 1)
    return copy;
  char rest[32];
  size_t digits = (size_t)snprintf(rest, sizeof rest, "%zu", mangled - (sizeof prefix - 1));
  memcpy(number, rest, digits);
  memmove(number + digits, found + sizeof prefix - 1, strlen(found + sizeof prefix - 1) + 1);
  return copy;
}

/* As the programmer wrote it: LLVM appends ".i" when it inlines, and a number when two names collide. A result has no
 * name but clang's, and only the callers know what a variable is called that they lend. */
char *cs_pass_name_of(LLVMValueRef value) {
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);
  if (LLVMIsAAllocaInst(value))
    length = strcspn(name, ".");
  if (LLVMIsAArgument(value) && (strcmp(name, "agg.result") == 0 || cs_pass_loan_of(value).bytes))
    length = 0;
  return LLVMIsAGlobalVariable(value) ? declared_name(name, length) : cs_ir_copy_text(name, length);
}

/* A variable without a size here (an array declared elsewhere, a run-time alloca) cannot be bounded. */
static int is_bounded(const struct cs_pass_variable *v) {
  return v->bytes > 0 || v->memory == CS_MEMORY_DYNAMIC_SHARED;
}

/* The program has no name for a table of virtual functions, and only the calls that clang writes read it. Its address,
 * which is in every object, stays plain: each call would take the cold path to find bounds that clang has kept. */
static int is_virtual_table(LLVMValueRef global) {
  return cs_ir_starts_with(cs_ir_name(global), "_ZTV");
}

static int is_variable(LLVMValueRef root) {
  if (LLVMIsAArgument(root))
    return cs_pass_type_in_memory(root) != NULL || cs_pass_loan_of(root).bytes > 0;
  return LLVMIsAAllocaInst(root) || (LLVMIsAGlobalVariable(root) && !is_virtual_table(root));
}

struct cs_pass_variable cs_pass_describe(struct cs_pass *pass, LLVMValueRef root) {
  return LLVMIsAAllocaInst(root) ? describe_local(pass, root)
         : LLVMIsAArgument(root) ? describe_parameter(pass, root)
                                 : describe_global(pass, root);
}

struct cs_pass_variable *cs_pass_variable_of(struct cs_pass *pass, LLVMValueRef root) {
  if (!is_variable(root))
    return NULL;
  struct cs_pass_variable *known = cs_ir_map_get(&pass->variables, root);
  if (known == NULL) {
    known = cs_ir_allocate(1, sizeof *known);
    *known = cs_pass_describe(pass, root);
    known->name = cs_pass_name_of(root);
    cs_ir_map_set(&pass->variables, root, known);
    cs_ir_push(pass->order, pass->order_count, known);
  }
  return is_bounded(known) ? known : NULL;
}

LLVMValueRef cs_pass_start_of(struct cs_pass *pass, enum cs_memory memory, const char *name) {
  for (size_t i = 0; i < pass->order_count && memory != CS_MEMORY_LOCAL; i++)
    if (pass->order[i]->memory == memory && strcmp(pass->order[i]->name, name) == 0)
      return pass->order[i]->start;
  return NULL;
}

LLVMValueRef cs_pass_variable_bytes(struct cs_pass *pass, const struct cs_pass_variable *v) {
  if (v->memory == CS_MEMORY_DYNAMIC_SHARED)
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_DYNAMIC_SIZE, NULL);
  if (v->outlived && !v->is_read_ahead && v->window) {
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

void cs_pass_objects_free(struct cs_pass *pass) {
  for (size_t i = 0; i < pass->order_count; i++) {
    free(pass->order[i]->name);
    free(pass->order[i]);
  }
  free(pass->order);
  cs_ir_map_free(&pass->variables);
}
