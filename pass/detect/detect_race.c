/* detect_race.c: data races in shared and global memory: a call of the runtime before each access that may go there,
 * and at each barrier, fence and atomic operation, which order accesses. Only with --detect=race. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/detect/race_plan.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"
#include "pass/variables/objects.h"
#include <stdlib.h>
#include <string.h>

static int is_on(const struct cs_pass *pass) {
  return cs_pass_detects(pass->options, CS_PASS_DETECT_RACE);
}

/* ---- prepare: no reads that the program does not make ---- */

/* LLVM reads memory ahead of a condition if that cannot fault, but not in functions with this attribute. */
static void set_speculation(LLVMModuleRef module, int allowed) {
  unsigned kind = cs_ir_attribute_kind("sanitize_thread");
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (allowed)
      LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
    else if (!LLVMIsDeclaration(f))
      LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void prepare(struct cs_pass *pass) {
  if (is_on(pass))
    set_speculation(pass->module, 0);
}

/* ---- plan ---- */

static void plan(struct cs_pass_function *f, struct cs_pass_found *found) {
  if (f->pass->finds_races)
    found->plan = cs_pass_race_plan(f);
}

static void release(struct cs_pass_found *found) {
  free(found->plan);
}

/* ---- write: a call before each access ---- */

#define ACCESS CS_IR_RACE "access"

/* What a store writes, in 64 bits; NULL if it does not fit. */
static LLVMValueRef value_of(struct cs_pass *pass, LLVMValueRef i) {
  LLVMValueRef value = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
  LLVMTypeRef type = value ? LLVMTypeOf(value) : NULL;
  if (!type || LLVMGetTypeKind(type) == LLVMStructTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return NULL;
  cs_u64 bits = LLVMSizeOfTypeInBits(pass->layout, type);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return NULL;
  LLVMTypeRef whole = LLVMIntTypeInContext(pass->context, (unsigned)bits);
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    value = LLVMBuildPtrToInt(pass->builder, value, whole, "");
  else if (LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
    return NULL;
  else
    value = LLVMBuildBitCast(pass->builder, value, whole, "");
  return LLVMBuildZExt(pass->builder, value, pass->i64, "");
}

static cs_u32 site_of(struct cs_pass_function *f, const struct cs_pass_access_item *item,
                      const struct cs_pass_race_plan *plan) {
  const struct cs_pass_variable *v = plan->variable;
  struct cs_site site = {.access = item->access,
                         .size = (cs_u32)item->bytes,
                         .check = CS_CHECK_RACE,
                         .align = 1,
                         .memory = v                              ? v->memory
                                   : cs_pass_race_is_shared(plan) ? CS_MEMORY_SHARED
                                                                  : CS_MEMORY_UNKNOWN};
  return cs_pass_sites_add(&f->pass->sites, item->instruction, site, f->kernel, v ? v->name : NULL);
}

static void write_access(struct cs_pass_function *f, const struct cs_pass_access_item *item,
                         const struct cs_pass_race_plan *plan) {
  struct cs_pass *pass = f->pass;
  const struct cs_pass_variable *v = plan->variable;
  LLVMValueRef i = item->instruction;
  cs_u32 what = CS_RACE_WHAT((cs_u32)item->bytes, item->access, plan->strength), site = site_of(f, item, plan);
  cs_pass_build_before(pass, i, i);
  LLVMValueRef value = plan->strength == CS_STRENGTH_PLAIN ? value_of(pass, i) : NULL;
  what |= (value ? CS_RACE_HAS_VALUE : 0) | (plan->was_written ? CS_RACE_WAS_WRITTEN : 0) |
          (plan->is_narrow ? CS_RACE_IN_BLOCK : 0) | (plan->is_copy ? CS_RACE_IS_COPY : 0) |
          (cs_u32)plan->memory << CS_RACE_MEMORY_SHIFT;
  LLVMValueRef start = v ? v->start ? v->start : cs_pass_generic(pass, v->value) : LLVMConstNull(pass->ptr);
  LLVMValueRef arguments[] = {
      cs_pass_generic(pass, LLVMGetOperand(i, item->operand)),
      cs_pass_device_call(pass, "__cs_race_clocks", "p", NULL),
      cs_pass_device_call(pass, "__cs_race_thread", "i", NULL),
      cs_pass_device_call(pass, "__cs_race_block", "l", NULL),
      value ? value : LLVMConstNull(pass->i64),
      start,
      cs_pass_constant(pass->i64, v ? v->bytes : 0),
      cs_pass_constant(pass->i32, what),
      cs_pass_constant(pass->i32, site),
  };
  cs_pass_device_call(pass, ACCESS, "vppillplii", arguments);
}

static void write(struct cs_pass_function *f, struct cs_pass_found *found) {
  const struct cs_pass_race_plan *plans = found->plan;
  for (size_t i = 0; plans && i < f->collected.access_count; i++)
    if (plans[i].is_checked)
      write_access(f, &f->collected.accesses[i], &plans[i]);
}

/* ---- finish: barriers and fences, in all code ---- */

static LLVMValueRef mask_of(struct cs_pass *pass, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length;
  const char *text =
      LLVMIsAInlineAsm(callee) ? LLVMGetInlineAsmAsmString(callee, &length) + strlen(CS_PASS_WARP_SYNC) : "$0";
  return *text == '$' ? LLVMGetOperand(call, 0) : cs_pass_constant(pass->i32, strtoull(text, NULL, 0) & 0xffffffffu);
}

static void write_flag(struct cs_pass *pass, const struct cs_pass_race_order *o, const char *name) {
  LLVMValueRef arguments[] = {o->flag ? cs_pass_generic(pass, o->flag) : LLVMConstNull(pass->ptr),
                              cs_pass_constant(pass->i32, (cs_u64)o->in_block)};
  cs_pass_device_call(pass, name, "vpi", arguments);
}

/* A release counts before it is executed: what it synchronises with may continue earlier than this thread. */
static void write_before(struct cs_pass *pass, LLVMValueRef i, const struct cs_pass_race_order *o) {
  LLVMValueRef in_block = cs_pass_constant(pass->i32, (cs_u64)o->in_block);
  cs_pass_build_before(pass, i, i);
  if (o->releases)
    cs_pass_device_call(pass, "__cs_race_fence", "vi", &in_block);
  if (o->publishes)
    write_flag(pass, o, "__cs_race_publish");
}

static LLVMValueRef as_number(struct cs_pass *pass, LLVMValueRef value) {
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind
             ? LLVMBuildPtrToInt(pass->builder, value, pass->i64, "")
             : LLVMBuildZExt(pass->builder, value, pass->i64, "");
}

/* What a compare-and-swap found, expected and stored, as far as that fits 64 bits. */
static int swap_of(struct cs_pass *pass, LLVMValueRef i, LLVMValueRef values[3]) {
  LLVMValueRef callee = cs_ir_callee(i);
  int is_intrinsic = callee && cs_ir_starts_with(cs_ir_name(callee), "llvm.nvvm.atomic.cas.");
  if (!is_intrinsic && !LLVMIsAAtomicCmpXchgInst(i))
    return 0;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 1));
  int is_number = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64;
  if (!is_number && LLVMGetTypeKind(type) != LLVMPointerTypeKind)
    return 0;
  values[0] = as_number(pass, is_intrinsic ? i : LLVMBuildExtractValue(pass->builder, i, 0, ""));
  values[1] = as_number(pass, LLVMGetOperand(i, 1));
  values[2] = as_number(pass, LLVMGetOperand(i, 2));
  return 1;
}

/* It may have taken a lock. */
static void write_lock(struct cs_pass *pass, LLVMValueRef i, LLVMValueRef flag) {
  LLVMValueRef arguments[4] = {flag ? cs_pass_generic(pass, flag) : NULL};
  if (flag && swap_of(pass, i, arguments + 1))
    cs_pass_device_call(pass, "__cs_race_lock", "vplll", arguments);
}

/* An acquire counts after it: what it has seen was released before. */
static void write_order(struct cs_pass *pass, LLVMValueRef i) {
  struct cs_pass_race_order o = cs_pass_race_order(i);
  LLVMValueRef mask = o.order == CS_PASS_ORDER_WARP ? mask_of(pass, i) : NULL;
  if (o.order == CS_PASS_ORDER_NONE)
    return;
  write_before(pass, i, &o);
  cs_pass_build_before(pass, LLVMGetNextInstruction(i), i);
  if (o.order == CS_PASS_ORDER_WARP)
    cs_pass_device_call(pass, "__cs_race_warp_barrier", "vi", &mask);
  else if (o.order == CS_PASS_ORDER_BLOCK)
    cs_pass_device_call(pass, "__cs_race_barrier", "v", NULL);
  else if (o.observes)
    write_flag(pass, &o, "__cs_race_observe");
  write_lock(pass, i, o.flag);
}

static void write_copies(void *with, enum cs_copy_event event, LLVMValueRef count) {
  struct cs_pass *pass = with;
  LLVMValueRef arguments[] = {
      cs_pass_device_call(pass, "__cs_race_clocks", "p", NULL), cs_pass_device_call(pass, "__cs_race_block", "l", NULL),
      cs_pass_device_call(pass, "__cs_race_thread", "i", NULL), cs_pass_constant(pass->i32, event),
      count ? LLVMBuildIntCast2(pass->builder, count, pass->i32, 0, "") : cs_pass_constant(pass->i32, 0)};
  cs_pass_device_call(pass, "__cs_race_copies", "vpliii", arguments);
}

static int checks_accesses(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_ir_callee(i) && strcmp(cs_ir_name(cs_ir_callee(i)), ACCESS) == 0)
      return 1;
  return 0;
}

/* A kernel in which no access is checked has nothing to order. */
static void finish_function(struct cs_pass *pass, LLVMValueRef function) {
  if (cs_pass_race_has_own_barriers(function) && !checks_accesses(function))
    return;
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    write_order(pass, i);
    if (LLVMIsACallInst(i)) {
      cs_pass_build_before(pass, next, i);
      cs_pass_race_copies(i, write_copies, pass);
    }
  }
  if (cs_ir_is_kernel(function)) {
    cs_pass_build_before(pass, cs_ir_after_allocas(function), NULL);
    cs_pass_device_call(pass, "__cs_race_begin", "v", NULL);
  }
}

static void finish(struct cs_pass *pass) {
  if (!is_on(pass))
    return;
  set_speculation(pass->module, 1);
  if (!pass->finds_races)
    return;
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !cs_pass_is_ours(f))
      finish_function(pass, f);
}

/* ---- the detector ---- */

static void begin(struct cs_pass *pass) {
  pass->finds_races = is_on(pass);
}

const struct cs_pass_detector cs_pass_detect_race = {
    .name = "race",
    .prepare = prepare,
    .begin = begin,
    .by_launch = cs_pass_race_by_launch,
    .plan = plan,
    .write = write,
    .release = release,
    .finish = finish,
};
