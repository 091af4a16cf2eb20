/* kernels.c: finds the kernels with their parameters, and gives each the entry point that image.h specifies. */
#include "cusafe/predicate.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "retarget/read/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/refuse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static LLVMTypeRef byval_type(LLVMValueRef function, unsigned index) {
  unsigned kind = cs_ir_attribute_kind("byval");
  LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
  return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

static cs_u32 declared_align(LLVMValueRef function, unsigned index) {
  unsigned kind = cs_ir_attribute_kind("align");
  LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
  return attribute ? (cs_u32)LLVMGetEnumAttributeValue(attribute) : 0;
}

static struct cs_rt_param param_of(struct cs_rt_unit *unit, LLVMValueRef function, unsigned index, cs_u32 end) {
  LLVMTypeRef by_value = byval_type(function, index), type = LLVMTypeOf(LLVMGetParam(function, index));
  LLVMTypeRef passed = by_value ? by_value : type;
  cs_u32 align = LLVMABIAlignmentOfType(unit->layout, passed),
         declared = by_value ? declared_align(function, index) : 0;
  if (declared > align)
    align = declared;
  return (struct cs_rt_param){.offset = (end + align - 1) / align * align,
                              .size = (cs_u32)LLVMABISizeOfType(unit->layout, passed),
                              .align = align,
                              .is_pointer = !by_value && LLVMGetTypeKind(type) == LLVMPointerTypeKind};
}

/* The product of the up to three numbers of an attribute; 0 without it. */
static cs_u32 product_of(LLVMValueRef function, const char *name) {
  LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                                             name, (unsigned)strlen(name));
  if (!attribute)
    return 0;
  unsigned length;
  const char *text = LLVMGetStringAttributeValue(attribute, &length);
  unsigned x = 0, y = 1, z = 1;
  return sscanf(text, "%u,%u,%u", &x, &y, &z) > 0 ? x * y * z : 0;
}

/* Registers and barriers of clusters are those of one block: a kernel with more blocks would compute something else. */
static void refuse_clusters(struct cs_rt_unit *unit, LLVMValueRef function) {
  if (product_of(function, "nvvm.cluster_dim") > 1)
    cs_rt_refuse(unit, function, "__cluster_dims__");
}

static void add_kernel(struct cs_rt_unit *unit, LLVMValueRef f) {
  struct cs_rt_kernel kernel = {.function = f, .name = cs_rt_name_of(f), .max_threads = product_of(f, "nvvm.maxntid")};
  kernel.is_fast = cs_fast_of(kernel.name, strlen(kernel.name)) > 0;
  for (unsigned i = 0; i < LLVMCountParams(f); i++) {
    kernel.params = cs_ir_grow(kernel.params, i, sizeof *kernel.params);
    kernel.params[i] = param_of(unit, f, i, kernel.param_bytes);
    kernel.param_bytes = kernel.params[i].offset + kernel.params[i].size;
    kernel.param_count++;
  }
  cs_ir_push(unit->kernels, unit->kernel_count, kernel);
}

int cs_rt_collect_kernels(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (cs_ir_is_kernel(f) && !LLVMIsDeclaration(f))
      add_kernel(unit, f), refuse_clusters(unit, f);
  return 0;
}

/* A parameter's value in the entry point: loaded from the launch block; for an aggregate, a private copy that may be
 * written. */
static LLVMValueRef load_param(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef block, LLVMValueRef body,
                               unsigned index, const struct cs_rt_param *param) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(unit->context), i64 = LLVMInt64TypeInContext(unit->context);
  LLVMValueRef offset = LLVMConstInt(i64, CS_LAUNCH_PARAMS + param->offset, 0);
  LLVMValueRef address = LLVMBuildInBoundsGEP2(builder, byte, block, &offset, 1, "");
  LLVMTypeRef by_value = byval_type(body, index), type = LLVMTypeOf(LLVMGetParam(body, index));
  if (by_value) {
    LLVMValueRef copy = LLVMBuildAlloca(builder, by_value, "");
    LLVMSetAlignment(copy, param->align);
    LLVMBuildMemCpy(builder, copy, param->align, address, param->align, LLVMConstInt(i64, param->size, 0));
    return copy;
  }
  if (type == LLVMInt1TypeInContext(unit->context))
    return LLVMBuildTrunc(builder, LLVMBuildLoad2(builder, byte, address, ""), type, "");
  LLVMValueRef value = LLVMBuildLoad2(builder, type, address, "");
  LLVMSetAlignment(value, param->align);
  return value;
}

static void wrap(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel) {
  LLVMValueRef body = kernel->function;
  LLVMTypeRef params[] = {LLVMPointerTypeInContext(unit->context, CS_IR_SPACE_GLOBAL),
                          LLVMPointerTypeInContext(unit->context, CS_IR_SPACE_SHARED)};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), params, 2, 0);
  LLVMSetValueName2(body, "kernel.body", 11);
  LLVMSetFunctionCallConv(body, LLVMCCallConv);
  LLVMSetLinkage(body, LLVMInternalLinkage);
  kernel->function = LLVMAddFunction(unit->module, kernel->name, type);
  LLVMSetFunctionCallConv(kernel->function, CS_IR_KERNEL);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(unit->context, kernel->function, "entry"));
  LLVMValueRef *args = cs_ir_allocate(kernel->param_count + 1, sizeof *args);
  for (unsigned i = 0; i < kernel->param_count; i++)
    args[i] = load_param(unit, builder, LLVMGetParam(kernel->function, 0), body, i, &kernel->params[i]);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(body), body, args, kernel->param_count, "");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  free(args);
}

int cs_rt_wrap_kernels(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    wrap(unit, &unit->kernels[i]);
  return 0;
}
