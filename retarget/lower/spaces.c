/* spaces.c: moves variables and stack variables to the address spaces of SPIR-V, and splits constants that are too long
 * for it. */
#include "ir/memory.h"
#include "ir/module.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/steps.h"
#include "retarget/read/globals.h"
#include <stdlib.h>

/* Elements of an array constant. An instruction of SPIR-V has at most 65535 words: a longer array becomes a structure
 * of shorter ones. */
enum { MAX_ELEMENTS = 32768 };

static LLVMValueRef as_structure(struct cs_rt_unit *unit, LLVMValueRef array, unsigned long long count) {
  unsigned parts = (unsigned)((count + MAX_ELEMENTS - 1) / MAX_ELEMENTS), used = 0;
  LLVMValueRef *part = cs_ir_allocate(parts, sizeof *part), *elements = cs_ir_allocate(MAX_ELEMENTS, sizeof *elements),
               made;
  LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(array));
  for (unsigned i = 0; i < parts; i++, used = 0) {
    for (unsigned long long k = (unsigned long long)i * MAX_ELEMENTS; k < count && used < MAX_ELEMENTS; k++)
      elements[used++] = LLVMGetAggregateElement(array, (unsigned)k);
    part[i] = LLVMConstArray2(type, elements, used);
  }
  made = LLVMConstStructInContext(unit->context, part, parts, 0);
  free(elements);
  free(part);
  return made;
}

static void split_long_constant(struct cs_rt_unit *unit, LLVMValueRef global) {
  LLVMValueRef value = LLVMGetInitializer(global);
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  if (!value || LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMIsNull(value) || LLVMIsUndef(value))
    return;
  unsigned long long count = LLVMGetArrayLength2(type);
  if (count <= MAX_ELEMENTS)
    return;
  value = as_structure(unit, value, count);
  if (!LLVMGetAlignment(global))
    LLVMSetAlignment(global, LLVMABIAlignmentOfType(unit->layout, type));
  cs_rt_replace_global(unit, global, LLVMTypeOf(value), value, cs_ir_space_of(global));
}

/* Programs access arrays of shared memory as float4: a GPU has them at multiples of 16 bytes, while the engine only
 * keeps to their types' alignment, and has variables of detectors next to them. Not before
 * `check`, which measures what a GPU would reserve. */
static void align_shared(struct cs_rt_unit *unit, LLVMValueRef global) {
  enum { WIDEST_ACCESS = 16 };
  if (cs_ir_space_of(global) == CS_IR_SPACE_SHARED && !LLVMIsDeclaration(global) &&
      LLVMGetAlignment(global) < WIDEST_ACCESS &&
      LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(global)) >= WIDEST_ACCESS)
    LLVMSetAlignment(global, WIDEST_ACCESS);
}

int cs_rt_assign_address_spaces(struct cs_rt_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    split_long_constant(unit, g);
  }
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (cs_ir_space_of(g) == CS_IR_SPACE_GENERIC && !LLVMIsDeclaration(g)) /* string literals, vtables */
      cs_rt_replace_global(unit, g, LLVMGlobalGetValueType(g), LLVMGetInitializer(g), CS_IR_SPACE_GLOBAL);
  }
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    align_shared(unit, g);
  cs_rt_bridge_local_allocas(unit->module);
  return 0;
}
