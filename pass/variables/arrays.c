/* arrays.c: notes which of clang's index checks concern an array that is a whole variable.
 *
 * Such an index is an access outside of the variable, and is reported as one. Which variable that is shows only in code
 * as clang wrote it, in the address after the check: an access that is known to be out of bounds is the first that LLVM
 * removes, possibly with the variable. So the call gets data of CuSafe, { clang's data, numbers, name }, which no
 * optimisation removes. */
#include "pass/variables/arrays.h"
#include "ir/names.h"
#include "pass/variables/field.h"
#include "pass/variables/objects.h"
#include <stdlib.h>
#include <string.h>

#define ARRAY_NUMBERS 6
/* Checks of further indices between a check and its access, and steps from an element to what is accessed in it. */
#define HOPS 4

/* ---- what follows the check ---- */

struct element {
  LLVMTargetDataRef layout;
  LLVMValueRef index, variable;
  cs_u64 elements;
  cs_u64 first; /* offset of the address that was found, in the element */
  struct cs_pass_array array;
};

static LLVMValueRef without_casts(LLVMValueRef pointer) {
  while (LLVMIsAAddrSpaceCastInst(pointer) ||
         (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMAddrSpaceCast))
    pointer = LLVMGetOperand(pointer, 0);
  return pointer;
}

static LLVMTypeRef variable_type(LLVMValueRef value) {
  if (LLVMIsAAllocaInst(value))
    return LLVMIsAConstantInt(LLVMGetOperand(value, 0)) ? LLVMGetAllocatedType(value) : NULL;
  return LLVMIsAGlobalVariable(value) ? LLVMGlobalGetValueType(value) : NULL;
}

static int is_whole(struct element *e, LLVMValueRef variable) {
  LLVMTypeRef type = variable_type(variable);
  if (type == NULL || LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMGetArrayLength2(type) != e->elements)
    return 0;
  e->variable = variable;
  e->array.bytes = LLVMABISizeOfType(e->layout, type);
  e->array.stride = LLVMABISizeOfType(e->layout, LLVMGetElementType(type));
  return e->array.stride > 0;
}

static LLVMValueRef unextended(LLVMValueRef index) {
  while (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index))
    index = LLVMGetOperand(index, 0);
  return index;
}

static int same_index(LLVMValueRef a, LLVMValueRef b) {
  if (LLVMIsAConstantInt(a) && LLVMIsAConstantInt(b))
    return LLVMConstIntGetSExtValue(a) == LLVMConstIntGetSExtValue(b);
  return unextended(a) == unextended(b);
}

static int is_element(struct element *e, LLVMValueRef i) {
  if (!LLVMIsAGetElementPtrInst(i) || LLVMGetNumOperands(i) != 3 || !same_index(LLVMGetOperand(i, 2), e->index))
    return 0;
  LLVMValueRef variable = without_casts(LLVMGetOperand(i, 0));
  return variable_type(variable) == LLVMGetGEPSourceElementType(i) && is_whole(e, variable);
}

/* The address of an element of a module's variable, at a constant index, is a constant. */
static int is_constant_element(struct element *e, LLVMValueRef pointer) {
  LLVMValueRef base = pointer;
  long long offset;
  while (LLVMIsAConstantExpr(base))
    base = LLVMGetOperand(base, 0);
  if (base == pointer || !LLVMIsAConstantInt(e->index) || !is_whole(e, base))
    return 0;
  if (!cs_pass_constant_offset(e->layout, pointer, base, &offset) || offset < 0)
    return 0;
  e->first = (cs_u64)offset % e->array.stride;
  return (cs_u64)offset / e->array.stride == LLVMConstIntGetZExtValue(e->index);
}

/* ---- the access to the element ---- */

static int note(struct element *e, enum cs_access access, cs_u64 size, cs_u64 inside) {
  if (e->array.size == 0 || access == CS_ACCESS_READ) { /* a += 1 reads first */
    e->array.access = access;
    e->array.size = size;
    e->array.inside = inside;
  }
  return size > 0;
}

static int note_copy(struct element *e, LLVMValueRef call, LLVMValueRef pointer, cs_u64 inside) {
  LLVMValueRef function = LLVMIsAFunction(LLVMGetCalledValue(call));
  const char *name = function ? cs_ir_name(function) : "";
  if (!cs_ir_starts_with(name, "llvm.mem") || !LLVMIsAConstantInt(LLVMGetOperand(call, 2)))
    return 0;
  return note(e, LLVMGetOperand(call, 0) == pointer ? CS_ACCESS_WRITE : CS_ACCESS_READ,
              LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)), inside);
}

/* The offset that one index adds. 0 for an index that is not constant. */
static cs_u64 step(LLVMTargetDataRef layout, LLVMTypeRef *type, LLVMValueRef index) {
  cs_u64 number = LLVMIsAConstantInt(index) ? LLVMConstIntGetZExtValue(index) : 0;
  if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
    LLVMTypeRef whole = *type;
    *type = LLVMStructGetTypeAtIndex(whole, (unsigned)number);
    return LLVMOffsetOfElement(layout, whole, (unsigned)number);
  }
  if (LLVMGetTypeKind(*type) != LLVMArrayTypeKind)
    return 0;
  *type = LLVMGetElementType(*type);
  return number * LLVMABISizeOfType(layout, *type);
}

static cs_u64 steps(LLVMTargetDataRef layout, LLVMValueRef gep) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  LLVMValueRef whole = LLVMGetOperand(gep, 1);
  cs_u64 sum =
      LLVMIsAConstantInt(whole) ? (cs_u64)LLVMConstIntGetSExtValue(whole) * LLVMABISizeOfType(layout, type) : 0;
  for (unsigned o = 2; o < (unsigned)LLVMGetNumOperands(gep); o++)
    sum += step(layout, &type, LLVMGetOperand(gep, o));
  return sum;
}

static int note_user(struct element *e, LLVMValueRef user, LLVMValueRef pointer, cs_u64 inside, int hops);

static int note_users(struct element *e, LLVMValueRef pointer, cs_u64 inside, int hops) {
  int found = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && hops > 0; use = LLVMGetNextUse(use))
    found |= note_user(e, LLVMGetUser(use), pointer, inside, hops - 1);
  return found;
}

static int note_user(struct element *e, LLVMValueRef user, LLVMValueRef pointer, cs_u64 inside, int hops) {
  if (LLVMIsALoadInst(user))
    return note(e, CS_ACCESS_READ, LLVMStoreSizeOfType(e->layout, LLVMTypeOf(user)), inside);
  if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer)
    return note(e, CS_ACCESS_WRITE, LLVMStoreSizeOfType(e->layout, LLVMTypeOf(LLVMGetOperand(user, 0))), inside);
  if (LLVMIsACallInst(user))
    return note_copy(e, user, pointer, inside);
  if (LLVMIsAGetElementPtrInst(user))
    return note_users(e, user, inside + steps(e->layout, user), hops);
  return LLVMIsAAddrSpaceCastInst(user) && note_users(e, user, inside, hops);
}

/* 1 if the instruction has the element's address; array.size is 0 if it does not access it. */
static int reads_address(struct element *e, LLVMValueRef i) {
  if (is_element(e, i))
    return note_users(e, i, 0, HOPS), 1;
  for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
    LLVMValueRef operand = LLVMGetOperand(i, o);
    if (LLVMIsAConstantExpr(operand) && is_constant_element(e, operand))
      return note_user(e, i, operand, e->first, HOPS), 1;
  }
  return 0;
}

/* The block after the check that ends this block: its successors are the block of the call, and that one. */
static LLVMBasicBlockRef beyond_check(LLVMBasicBlockRef block) {
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
  for (unsigned s = 0; s < LLVMGetNumSuccessors(branch); s++) {
    LLVMValueRef call = LLVMGetFirstInstruction(LLVMGetSuccessor(branch, s));
    if (cs_pass_is_field_call(call))
      return cs_pass_block_after(call);
  }
  return NULL;
}

/* The constant address of a row appears only where the row's own index is checked. */
static int has_rows(const struct element *e) {
  return e->variable && LLVMGetTypeKind(LLVMGetElementType(variable_type(e->variable))) == LLVMArrayTypeKind;
}

/* The same index into something else: a member, a row, the target of a pointer. */
static int is_elsewhere(const struct element *e, LLVMValueRef i) {
  return LLVMIsAGetElementPtrInst(i) && same_index(LLVMGetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1), e->index);
}

static int find_element(struct element *e, LLVMBasicBlockRef block) {
  for (int hop = 0; block && hop < HOPS; hop++, block = beyond_check(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
      if (reads_address(e, i))
        return e->array.size > 0 && (hop == 0 || has_rows(e));
      if (is_elsewhere(e, i))
        return 0;
    }
  return 0;
}

/* ---- the call's data ---- */

static LLVMValueRef data_of(LLVMModuleRef module, LLVMValueRef origin, const struct cs_pass_array *a) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
  const cs_u64 numbers[ARRAY_NUMBERS] = {a->bytes, a->stride, a->memory, a->access, a->size, a->inside};
  LLVMValueRef parts[ARRAY_NUMBERS + 2] = {origin};
  for (int i = 0; i < ARRAY_NUMBERS; i++)
    parts[i + 1] = LLVMConstInt(i64, numbers[i], 0);
  parts[ARRAY_NUMBERS + 1] = LLVMConstStringInContext2(context, a->name, strlen(a->name), 0);
  LLVMValueRef all = LLVMConstStructInContext(context, parts, ARRAY_NUMBERS + 2, 0);
  LLVMValueRef data = LLVMAddGlobal(module, LLVMTypeOf(all), CS_PASS_ARRAY_NAME);
  LLVMSetInitializer(data, all);
  LLVMSetGlobalConstant(data, 1);
  LLVMSetLinkage(data, LLVMPrivateLinkage);
  return data;
}

static LLVMValueRef parts_of(LLVMValueRef data) {
  LLVMValueRef global = LLVMIsAGlobalVariable(data);
  int ours = global && cs_ir_starts_with(cs_ir_name(global), CS_PASS_ARRAY_NAME);
  return ours ? LLVMGetInitializer(global) : NULL;
}

int cs_pass_array_of(LLVMValueRef data, struct cs_pass_array *array) {
  LLVMValueRef parts = parts_of(data);
  cs_u64 numbers[ARRAY_NUMBERS];
  size_t length;
  if (parts == NULL)
    return 0;
  for (unsigned i = 0; i < ARRAY_NUMBERS; i++)
    numbers[i] = LLVMConstIntGetZExtValue(LLVMGetOperand(parts, i + 1));
  LLVMValueRef name =
      LLVMGetOperand(parts, ARRAY_NUMBERS + 1); /* a temporary has none: LLVM then keeps zeros, not a string */
  array->name = LLVMIsAConstantDataArray(name) ? LLVMGetAsString(name, &length) : "";
  array->bytes = numbers[0];
  array->stride = numbers[1];
  array->memory = numbers[2];
  array->access = numbers[3];
  array->size = numbers[4];
  array->inside = numbers[5];
  return 1;
}

static void note_array(LLVMModuleRef module, LLVMValueRef call) {
  LLVMValueRef origin = LLVMGetOperand(call, 0);
  struct element e = {.layout = LLVMGetModuleDataLayout(module),
                      .index = LLVMGetOperand(call, 1),
                      .elements = cs_pass_field_elements(origin)};
  if (e.elements == 0 || !find_element(&e, cs_pass_block_after(call)))
    return;
  char *name = cs_pass_name_of(e.variable);
  e.array.name = name;
  e.array.memory = cs_pass_memory_of(e.variable);
  LLVMSetOperand(call, 0, data_of(module, origin, &e.array));
  free(name);
}

void cs_pass_note_arrays(LLVMModuleRef module) {
  LLVMValueRef handler = LLVMGetNamedFunction(module, CS_PASS_FIELD_HANDLER);
  for (LLVMUseRef use = handler ? LLVMGetFirstUse(handler) : NULL; use; use = LLVMGetNextUse(use))
    if (cs_pass_is_field_call(LLVMGetUser(use)))
      note_array(module, LLVMGetUser(use));
}
