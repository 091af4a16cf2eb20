/* library.c: declares and calls functions of the support library and of the engine. */
#include "retarget/unit/library.h"
#include "cusafe/ir.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/support/bitcode.h"
#include <llvm-c/BitReader.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int cs_rt_is_of_runtime(const char *name) {
  return cs_ir_starts_with(name, CS_IR_RUNTIME_PREFIX) || cs_ir_starts_with(name, CS_IR_SUPPORT_PREFIX);
}

LLVMModuleRef cs_rt_parse_library(LLVMContextRef context) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
      cs_rt_support_bitcode, (uintptr_t)cs_rt_support_bitcode_end - (uintptr_t)cs_rt_support_bitcode, "support", 0);
  LLVMModuleRef module = NULL; /* owns the buffer, from which LLVM reads the bodies of functions that are linked */
  return LLVMGetBitcodeModuleInContext2(context, buffer, &module) ? NULL : module;
}

LLVMValueRef cs_rt_library_function(struct cs_rt_unit *unit, const char *name) {
  char full[128];
  snprintf(full, sizeof full, CS_IR_SUPPORT_PREFIX "%s", name);
  LLVMValueRef found = LLVMGetNamedFunction(unit->module, full);
  if (found)
    return found;
  LLVMValueRef prototype = LLVMGetNamedFunction(unit->support, full);
  if (!prototype)
    return NULL;
  LLVMValueRef declared = LLVMAddFunction(unit->module, full, LLVMGlobalGetValueType(prototype));
  for (const char *const *kind =
           (const char *const[]){"convergent", "memory", "nounwind", "willreturn", "noreturn", NULL};
       *kind; kind++) {
    unsigned id = cs_ir_attribute_kind(*kind);
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(prototype, at, id);
    if (attribute)
      LLVMAddAttributeAtIndex(declared, at, attribute);
  }
  return declared;
}

LLVMValueRef cs_rt_convert(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef to) {
  LLVMTypeRef from = LLVMTypeOf(value);
  if (from == to)
    return value;
  if (LLVMGetTypeKind(from) == LLVMIntegerTypeKind && LLVMGetTypeKind(to) == LLVMIntegerTypeKind)
    return LLVMBuildIntCast2(builder, value, to, 0, "");
  if (LLVMGetTypeKind(from) == LLVMPointerTypeKind && LLVMGetTypeKind(to) == LLVMPointerTypeKind)
    return LLVMBuildAddrSpaceCast(builder, value, to, "");
  if (LLVMGetTypeKind(from) == LLVMStructTypeKind && LLVMGetTypeKind(to) == LLVMStructTypeKind) {
    LLVMValueRef made = LLVMGetPoison(to);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(to); i++) {
      LLVMValueRef element = LLVMBuildExtractValue(builder, value, i, "");
      made =
          LLVMBuildInsertValue(builder, made, cs_rt_convert(builder, element, LLVMStructGetTypeAtIndex(to, i)), i, "");
    }
    return made;
  }
  return LLVMBuildBitCast(builder, value, to, "");
}

LLVMValueRef cs_rt_call_library(struct cs_rt_unit *unit, LLVMBuilderRef builder, const char *name, LLVMValueRef *args,
                                unsigned count, LLVMTypeRef result) {
  LLVMValueRef function = cs_rt_library_function(unit, name);
  if (!function)
    return NULL;
  LLVMTypeRef type = LLVMGlobalGetValueType(function), params[8];
  LLVMValueRef converted[8];
  unsigned param_count = LLVMCountParamTypes(type);
  if (param_count > count || param_count > 8)
    return NULL;
  LLVMGetParamTypes(type, params);
  for (unsigned i = 0; i < param_count; i++)
    converted[i] = cs_rt_convert(builder, args[i], params[i]);
  LLVMValueRef call = LLVMBuildCall2(builder, type, function, converted, param_count, "");
  return LLVMGetTypeKind(result) == LLVMVoidTypeKind ? call : cs_rt_convert(builder, call, result);
}

LLVMValueRef cs_rt_library_shared(struct cs_rt_unit *unit, const char *name, unsigned words) {
  LLVMTypeRef type = LLVMArrayType2(LLVMInt64TypeInContext(unit->context), words);
  LLVMValueRef variable = LLVMGetNamedGlobal(unit->module, name);
  if (variable)
    return variable;
  variable = LLVMAddGlobalInAddressSpace(unit->module, type, name, CS_IR_SPACE_SHARED);
  LLVMSetLinkage(variable, LLVMInternalLinkage);
  LLVMSetInitializer(variable, LLVMGetUndef(type));
  LLVMSetAlignment(variable, sizeof(cs_u64));
  return variable;
}

LLVMValueRef cs_rt_engine_function(struct cs_rt_unit *unit, const char *name, LLVMTypeRef type, int convergent) {
  LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
  if (function)
    return function;
  function = LLVMAddFunction(unit->module, name, type);
  if (convergent)
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            cs_ir_attribute(unit->context, "convergent"));
  return function;
}

int cs_rt_is_warp_call(LLVMValueRef function) {
  return strstr(cs_ir_name(function), "sub_group_") != NULL;
}
