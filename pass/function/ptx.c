/* ptx.c: inserts stand-ins for the accesses of inline PTX, so that they are checked like all others. */
#include "pass/function/ptx.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/function/around.h"
#include "pass/module/build.h"
#include "pass/module/marks.h"
#include "pass/module/runtime.h"
#include "ptx/accesses.h"
#include "ptx/opcode.h"
#include "ptx/wmma.h"
#include <stdlib.h>
#include <string.h>

#define STAND_IN "__cs_ptx_access"
enum { MAX_STEPS = 8 }; /* of arithmetic between an address and its pointer */

static LLVMValueRef constant(LLVMTypeRef type, long long value) {
  return LLVMConstInt(type, (unsigned long long)value, 1);
}

/* void *stand_in(void *address, access, bytes); the check makes it NULL if the bytes are no constant, and must not be
 * accessed. */
static LLVMValueRef stand_in(struct cs_pass *pass, int make) {
  LLVMValueRef function = LLVMGetNamedFunction(pass->module, STAND_IN);
  if (function || !make)
    return function;
  LLVMTypeRef parameters[] = {pass->ptr, pass->i32, pass->i64};
  function = LLVMAddFunction(pass->module, STAND_IN, LLVMFunctionType(pass->ptr, parameters, 3, 0));
  cs_pass_set_unseen(function);
  return function;
}

int cs_pass_ptx_access(const struct cs_pass *pass, LLVMValueRef call, enum cs_access *access, cs_u64 *bytes,
                       LLVMValueRef *length) {
  LLVMValueRef function = LLVMGetNamedFunction(pass->module, STAND_IN);
  if (!function || LLVMGetCalledValue(call) != function)
    return 0;
  *access = (enum cs_access)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
  LLVMValueRef given = LLVMGetOperand(call, 2);
  *length = LLVMIsAConstantInt(given) ? NULL : given;
  *bytes = *length ? 0 : LLVMConstIntGetZExtValue(given);
  return 1;
}

/* A checked address that round_down() has rounded, as each of its steps. */
static int is_rounded(const struct cs_pass *pass, LLVMValueRef value) {
  if (LLVMIsAIntToPtrInst(value))
    value = LLVMGetOperand(value, 0);
  if (LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAnd)
    value = LLVMGetOperand(value, 0);
  return LLVMIsAPtrToIntInst(value) && cs_pass_is_own(pass, value);
}

int cs_pass_ptx_is_checked(const struct cs_pass *pass, LLVMValueRef pointer) {
  LLVMValueRef function = LLVMGetNamedFunction(pass->module, STAND_IN);
  while (function &&
         (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || is_rounded(pass, pointer) ||
          (LLVMIsACallInst(pointer) && (LLVMGetCalledValue(pointer) == pass->runtime[CS_PASS_RUNTIME_OR_SINK] ||
                                        LLVMGetCalledValue(pointer) == pass->runtime[CS_PASS_RUNTIME_OR_SHARED]))))
    pointer = LLVMGetOperand(pointer, 0);
  return function && LLVMIsACallInst(pointer) && LLVMGetCalledValue(pointer) == function;
}

int cs_pass_ptx_finish(struct cs_pass *pass) {
  LLVMValueRef function = stand_in(pass, 0);
  for (LLVMUseRef use; function && (use = LLVMGetFirstUse(function));) {
    LLVMValueRef call = LLVMGetUser(use);
    LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
    LLVMInstructionEraseFromParent(call);
  }
  if (function)
    LLVMDeleteFunction(function);
  return 0;
}

/* --- Addresses --- */

static int is_integer(LLVMValueRef value, unsigned bits) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && (bits == 0 || LLVMGetIntTypeWidth(type) == bits);
}

/* Clears low bits only, so that the address stays in its object. */
static int is_low_mask(LLVMValueRef value) {
  return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) < 0;
}

/* The converted pointer that the number was computed from, by arithmetic that stays in the object in a correct program;
 * NULL if there is none, or several. */
static LLVMValueRef origin(LLVMValueRef value, int depth) {
  if (LLVMIsAPtrToIntInst(value))
    return value;
  if (depth == 0 || !LLVMIsAInstruction(value))
    return NULL;
  LLVMValueRef left = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
  LLVMValueRef right = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMFreeze:
    return origin(left, depth - 1);
  case LLVMSub:
    return LLVMIsAConstantInt(right) ? origin(left, depth - 1) : NULL;
  case LLVMAnd:
    return is_low_mask(right) ? origin(left, depth - 1) : NULL;
  case LLVMAdd:
  case LLVMOr:
  case LLVMXor: {
    LLVMValueRef a = origin(left, depth - 1), b = origin(right, depth - 1);
    return a && b ? NULL : a ? a : b;
  }
  default:
    return NULL;
  }
}

/* An integer address in shared memory as a generic pointer: the pointer that it was converted from, plus the
 * distance. */
static LLVMValueRef shared_pointer(struct cs_pass *pass, LLVMValueRef value) {
  LLVMValueRef from = is_integer(value, 0) ? origin(value, MAX_STEPS) : NULL;
  LLVMValueRef pointer = from ? LLVMGetOperand(from, 0) : NULL;
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
    return cs_pass_generic(pass, value);
  if (!pointer || cs_ir_space_of(pointer) != CS_IR_SPACE_SHARED)
    return NULL;
  LLVMValueRef generic = LLVMIsAAddrSpaceCastInst(pointer) && LLVMTypeOf(LLVMGetOperand(pointer, 0)) == pass->ptr
                             ? LLVMGetOperand(pointer, 0)
                             : cs_pass_generic(pass, pointer);
  if (from == value)
    return generic;
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef base = LLVMBuildIntCast2(b, from, LLVMTypeOf(value), 0, "");
  if (base == value)
    return generic;
  LLVMValueRef distance = LLVMBuildIntCast2(b, LLVMBuildSub(b, value, base, ""), pass->i64, 1, "");
  return LLVMBuildGEP2(b, LLVMInt8TypeInContext(pass->context), generic, &distance, 1, "");
}

static LLVMValueRef generic_pointer(struct cs_pass *pass, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return LLVMGetPointerAddressSpace(type) <= 1 ? cs_pass_generic(pass, value) : NULL;
  return is_integer(value, 64) ? LLVMBuildIntToPtr(pass->builder, value, pass->ptr, "") : NULL;
}

/* The checked address, in the form that the operand had. */
static LLVMValueRef like_operand(struct cs_pass *pass, LLVMValueRef pointer, LLVMTypeRef type, int shared) {
  LLVMBuilderRef b = pass->builder;
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return type == pass->ptr ? pointer : LLVMBuildAddrSpaceCast(b, pointer, type, "");
  if (shared)
    pointer = LLVMBuildAddrSpaceCast(b, pointer, LLVMPointerTypeInContext(pass->context, CS_IR_SPACE_SHARED), "");
  LLVMValueRef number = LLVMBuildPtrToInt(b, pointer, pass->i64, "");
  cs_pass_set_own(pass, number);
  return LLVMBuildIntCast2(b, number, type, 0, "");
}

static LLVMValueRef moved(struct cs_pass *pass, LLVMValueRef pointer, long long by) {
  LLVMValueRef distance = constant(pass->i64, by);
  return by ? LLVMBuildGEP2(pass->builder, LLVMInt8TypeInContext(pass->context), pointer, &distance, 1, "") : pointer;
}

/* Where the guard prevents the access, an address that passes every check: it belongs to no buffer. */
static LLVMValueRef where_guarded(struct cs_pass *pass, const struct cs_ptx_use *use, LLVMValueRef guard,
                                  LLVMValueRef pointer) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef is_set = LLVMBuildICmp(b, LLVMIntNE, guard, LLVMConstNull(LLVMTypeOf(guard)), "");
  LLVMValueRef nowhere = LLVMConstIntToPtr(constant(pass->i64, (long long)CS_TABLE_BASE), pass->ptr);
  return LLVMBuildSelect(b, is_set, use->negated ? nowhere : pointer, use->negated ? pointer : nowhere, "");
}

static void set_align(struct cs_pass *pass, LLVMValueRef call, unsigned align) {
  unsigned kind = cs_ir_attribute_kind("align");
  LLVMAddCallSiteAttribute(call, 1, LLVMCreateEnumAttribute(pass->context, kind, align));
}

/* --- One asm statement --- */

struct asm_call {
  LLVMValueRef call;
  unsigned outputs;
  int is_collective; /* all lanes of a warp execute it together */
  int may_round;     /* libcu++ emulates smaller atomics by loads and compare-and-swap */
};

static int argument(const struct asm_call *a, int operand) {
  int index = operand - (int)a->outputs;
  return index >= 0 && index < (int)LLVMGetNumArgOperands(a->call) ? index : -1;
}

static int constant_operand(void *context, unsigned operand, cs_u64 *value) {
  int index = argument(context, (int)operand);
  LLVMValueRef given = index >= 0 ? LLVMGetOperand(((struct asm_call *)context)->call, (unsigned)index) : NULL;
  if (!given || !LLVMIsAConstantInt(given))
    return 0;
  *value = LLVMConstIntGetZExtValue(given);
  return 1;
}

/* setp.b32 also takes the bits of a float. */
static int is_number(const struct asm_call *a, int index) {
  return index >= 0 && is_integer(LLVMGetOperand(a->call, (unsigned)index), 0);
}

/* --- Sizes that are known at run time --- */

static int is_range(const struct cs_ptx_use *use) {
  return use->scale != 0 || use->lanes < CS_PTX_LANES;
}

/* The bytes that this lane accesses. */
static LLVMValueRef length_of(struct cs_pass *pass, const struct asm_call *a, const struct cs_ptx_use *use) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef bytes = constant(pass->i64, use->high - use->low);
  if (use->scale != 0) {
    LLVMValueRef units = LLVMGetOperand(a->call, (unsigned)argument(a, (int)use->by));
    units = LLVMBuildIntCast2(b, units, pass->i64, 0, "");
    bytes = LLVMBuildAdd(b, bytes, LLVMBuildMul(b, units, constant(pass->i64, use->scale), ""), "");
  }
  if (use->lanes == CS_PTX_LANES)
    return bytes;
  const char *name = "llvm.nvvm.read.ptx.sreg.laneid";
  LLVMValueRef read = LLVMGetIntrinsicDeclaration(pass->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
  LLVMValueRef lane = LLVMBuildCall2(b, LLVMGlobalGetValueType(read), read, NULL, 0, "");
  LLVMValueRef accesses = LLVMBuildICmp(b, LLVMIntULT, lane, constant(pass->i32, use->lanes), "");
  return LLVMBuildSelect(b, accesses, bytes, LLVMConstNull(pass->i64), "");
}

/* An mbarrier expects the bytes of a copy that is not carried out. */
static void complete(struct cs_pass *pass, const struct asm_call *a, int operand, LLVMValueRef bytes) {
  const char *text = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [$0], $1;";
  LLVMValueRef arguments[] = {LLVMGetOperand(a->call, (unsigned)argument(a, operand)), bytes};
  LLVMTypeRef types[] = {LLVMTypeOf(arguments[0]), LLVMTypeOf(bytes)};
  const char *constraints = types[0] == pass->i32 ? "r,r,~{memory}" : "l,r,~{memory}";
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(pass->context), types, 2, 0);
  LLVMValueRef callee =
      LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), 1, 0, LLVMInlineAsmDialectATT, 0);
  LLVMBuildCall2(pass->builder, type, callee, arguments, 2, "");
}

/* A range that must not be accessed is replaced by the start of the sink, which holds it if its size does not vary. */
static LLVMValueRef contained(struct cs_pass *pass, const struct asm_call *a, const struct cs_ptx_use *use,
                              LLVMValueRef checked) {
  int in_shared = use->shared && pass->options->gpu;
  LLVMValueRef arguments[] = {checked, constant(pass->i32, in_shared ? !a->is_collective : use->access)};
  if (use->scale != 0) {
    unsigned index = (unsigned)argument(a, (int)use->by);
    LLVMValueRef units = LLVMGetOperand(a->call, index), fails = LLVMBuildIsNull(pass->builder, checked, "");
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(units));
    LLVMSetOperand(a->call, index, LLVMBuildSelect(pass->builder, fails, none, units, ""));
    if (use->completes && argument(a, use->completes - 1) >= 0)
      complete(pass, a, use->completes - 1, LLVMBuildSelect(pass->builder, fails, units, none, ""));
  }
  return cs_pass_runtime_call(pass, in_shared ? CS_PASS_RUNTIME_OR_SHARED : CS_PASS_RUNTIME_OR_SINK, arguments);
}

/* The checked address, rounded down to the size of the access. */
static LLVMValueRef round_down(struct cs_pass *pass, LLVMValueRef checked, long long bytes, LLVMTypeRef type) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef number = LLVMBuildPtrToInt(b, checked, pass->i64, "");
  cs_pass_set_own(pass, number);
  number = LLVMBuildAnd(b, number, constant(pass->i64, -bytes), "");
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMBuildIntToPtr(b, number, type, "") : number;
}

/* Of the word that is accessed, the program names the byte that its address was before it was rounded down. */
static void check_byte(struct cs_pass *pass, const struct asm_call *a, unsigned index, const struct cs_ptx_use *use,
                       LLVMValueRef from) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(a->call, index));
  LLVMValueRef pointer = LLVMIsAPtrToIntInst(from) ? LLVMGetOperand(from, 0) : from;
  if (use->low != 0 || use->shared || use->guard != CS_PTX_ALWAYS || !(pointer = generic_pointer(pass, pointer)))
    return;
  LLVMValueRef function = stand_in(pass, 1);
  LLVMValueRef arguments[] = {pointer, constant(pass->i32, use->access), constant(pass->i64, 1)};
  LLVMValueRef checked = LLVMBuildCall2(pass->builder, LLVMGlobalGetValueType(function), function, arguments, 3, "");
  LLVMSetOperand(a->call, index, round_down(pass, checked, use->high, type));
}

static void check_operand(struct cs_pass *pass, const struct asm_call *a, int operand, const struct cs_ptx_use *use) {
  int index = argument(a, operand), guard = argument(a, use->guard);
  int guarded = use->guard != CS_PTX_ALWAYS;
  if (index < 0 || (use->low == use->high && use->scale == 0) || use->unclear ||
      (use->scale != 0 && !is_number(a, argument(a, (int)use->by))) ||
      (guarded && (!is_number(a, guard) || use->mentioned || use->shared)))
    return;
  LLVMValueRef value = LLVMGetOperand(a->call, (unsigned)index), from = NULL;
  unsigned bytes = (unsigned)(use->high - use->low);
  enum cs_pass_around around = a->may_round ? cs_pass_word_around(a->call, value, bytes, &from) : CS_PASS_AROUND_NOT;
  if (around == CS_PASS_AROUND_UNKNOWN)
    return;
  LLVMPositionBuilderBefore(pass->builder, a->call);
  LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(a->call));
  if (around == CS_PASS_AROUND_ROUNDED) {
    check_byte(pass, a, (unsigned)index, use, from);
    return;
  }
  LLVMValueRef pointer = use->shared ? shared_pointer(pass, value) : generic_pointer(pass, value);
  if (!pointer)
    return;
  pointer = moved(pass, pointer, use->low);
  if (guarded)
    pointer = where_guarded(pass, use, LLVMGetOperand(a->call, (unsigned)guard), pointer);
  LLVMValueRef function = stand_in(pass, 1);
  LLVMValueRef arguments[] = {pointer, constant(pass->i32, use->access), length_of(pass, a, use)};
  LLVMValueRef checked = LLVMBuildCall2(pass->builder, LLVMGlobalGetValueType(function), function, arguments, 3, "");
  set_align(pass, checked, use->align);
  if (is_range(use))
    checked = contained(pass, a, use, checked);
  LLVMSetOperand(a->call, (unsigned)index,
                 like_operand(pass, moved(pass, checked, -use->low), LLVMTypeOf(value), use->shared));
}

static unsigned output_count(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVoidTypeKind     ? 0
         : LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                       : 1;
}

static void note_kinds(struct asm_call *a, const struct cs_ptx_inline *tree) {
  for (unsigned k = 0; k < tree->body.node_count; k++) {
    const struct cs_ptx_instruction *i = &tree->body.nodes[k].instruction;
    if (tree->body.nodes[k].kind != CS_PTX_INSTRUCTION)
      continue;
    a->may_round |= i->code == CS_PTX_OP_ld || cs_ptx_has(i, "cas");
    a->is_collective |= cs_ptx_has(i, "sync");
  }
}

static void check_text(struct cs_pass *pass, struct asm_call *a, const char *text) {
  struct cs_ptx_use uses[CS_PTX_MAX_OPERANDS];
  struct cs_ptx_inline tree;
  cs_ptx_parse_inline(&tree, text);
  note_kinds(a, &tree);
  cs_ptx_read(&tree, uses, constant_operand, a);
  cs_ptx_inline_free(&tree);
  for (int shared = 0; shared < 2; shared++) /* what contain-in-spaces changes is next to the statement */
    for (int i = 0; i < CS_PTX_MAX_OPERANDS; i++)
      if (!uses[i].shared == !shared)
        check_operand(pass, a, i, &uses[i]);
}

/* Operands in memory would shift the operand numbers in the text against those of the call. */
static void check_asm(struct cs_pass *pass, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length, constraint_length;
  const char *raw = LLVMGetInlineAsmAsmString(callee, &length);
  const char *constraints = LLVMGetInlineAsmConstraintString(callee, &constraint_length);
  if (memchr(raw, '[', length) == NULL || memchr(constraints, '*', constraint_length) != NULL)
    return;
  struct asm_call a = {.call = call, .outputs = output_count(LLVMTypeOf(call))};
  char *text = cs_ir_copy_text(raw, length);
  check_text(pass, &a, text);
  free(text);
}

/* wmma as intrinsics of LLVM. */
static void check_intrinsic(struct cs_pass *pass, LLVMValueRef call) {
  LLVMValueRef function = LLVMIsAFunction(LLVMGetCalledValue(call));
  struct asm_call a = {.call = call, .outputs = output_count(LLVMTypeOf(call))};
  char text[CS_PTX_WMMA_TEXT];
  if (function && cs_ptx_wmma_text(cs_ir_name(function), a.outputs, LLVMGetNumArgOperands(call), text))
    check_text(pass, &a, text);
}

void cs_pass_ptx_stand_in(struct cs_pass *pass, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
      check_asm(pass, i);
    else if (LLVMIsACallInst(i))
      check_intrinsic(pass, i);
}
