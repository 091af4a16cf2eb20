/* detect_race.c: data races in shared and global memory: a call of the runtime before each access that may go there,
 * and at each barrier, fence and atomic operation, which order accesses. Only with --detect=race. */
#include "cusafe/ir.h"
#include "cusafe/race.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/detect/intervals.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/function/roots.h"
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

/* ---- what orders accesses ---- */

/* A fence may release and acquire, an atomic operation and a volatile read may acquire. */
enum order { NONE, BLOCK, WARP, FENCE, ACQUIRE };

/* The lifter writes __syncwarp as inline PTX. All other barriers there count as fences: whether all threads take
 * part is not known. */
#define WARP_SYNC "bar.warp.sync "

static enum order order_of_asm(LLVMValueRef callee) {
  static const char *const words[] = {"bar", "fence", ".acq", ".release"};
  size_t length;
  const char *text = LLVMGetInlineAsmAsmString(callee, &length);
  if (cs_ir_starts_with(text, WARP_SYNC))
    return WARP;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(text, length, words[i], strlen(words[i])))
      return FENCE;
  return memmem(text, length, "ld", 2) || memmem(text, length, "atom", 4) ? ACQUIRE : NONE;
}

static enum order order_of_intrinsic(const char *name) {
  static const char *const fences[] = {"llvm.nvvm.membar.", "llvm.nvvm.fence.", "llvm.nvvm.mbarrier.",
                                       "llvm.nvvm.barrier.", "llvm.nvvm.cp.async.mbarrier."};
  size_t length = strlen(name);
  if (cs_ir_starts_with(name, "llvm.nvvm.bar.warp.sync"))
    return WARP;
  if (cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.") && strcmp(name + length - 4, ".all") == 0)
    return BLOCK;
  for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
    if (cs_ir_starts_with(name, fences[i]))
      return FENCE;
  return cs_ir_starts_with(name, "llvm.nvvm.atomic.") ? ACQUIRE : NONE;
}

/* Memory that a thread frees may be another's next: the device heap orders its calls. */
static enum order order_of_call(LLVMValueRef callee) {
  const char *name = cs_ir_name(callee);
  return strcmp(name, "__cs_malloc") == 0 || strcmp(name, CS_IR_FREE) == 0 ? FENCE : order_of_intrinsic(name);
}

static int may_be_global(LLVMValueRef pointer) {
  unsigned space = cs_ir_space_of(pointer);
  return space == CS_IR_SPACE_GLOBAL || space == CS_IR_SPACE_GENERIC;
}

/* clang gives CUDA's atomic functions, which are relaxed, the strongest order of all: that one orders nothing. */
static enum order order_of_atomic(LLVMValueRef i) {
  LLVMAtomicOrdering order = LLVMIsAAtomicCmpXchgInst(i) ? LLVMGetCmpXchgSuccessOrdering(i) : LLVMGetOrdering(i);
  if (order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingRelease ||
      order == LLVMAtomicOrderingAcquireRelease)
    return FENCE;
  int is_strong = order != LLVMAtomicOrderingNotAtomic || (LLVMIsALoadInst(i) && LLVMGetVolatile(i));
  return is_strong && may_be_global(LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0)) ? ACQUIRE : NONE;
}

static enum order order_of(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMFence:
    return FENCE;
  case LLVMLoad:
  case LLVMStore:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return order_of_atomic(i);
  case LLVMCall:
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
      return order_of_asm(LLVMGetCalledValue(i));
    return cs_ir_callee(i) ? order_of_call(cs_ir_callee(i)) : NONE;
  default:
    return NONE;
  }
}

/* ---- plan: the accesses that may go to shared or global memory ---- */

struct plan {
  int is_checked;
  enum cs_race_memory memory;
  const struct cs_pass_variable *variable; /* that the access names, or NULL */
  enum cs_strength strength;
  int is_narrow;   /* atomic for the block only */
  int is_omitted;  /* no plain write races with it */
  int was_written; /* by an access whose check is omitted, perhaps */
};

static enum cs_strength strength_of(LLVMValueRef i) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
  if (opcode != LLVMLoad && opcode != LLVMStore)
    return opcode == LLVMCall && cs_ir_starts_with(cs_ir_name(cs_ir_callee(i)), "llvm.mem") ? CS_STRENGTH_PLAIN
                                                                                            : CS_STRENGTH_ATOMIC;
  if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
    return CS_STRENGTH_ATOMIC;
  return LLVMGetVolatile(i) ? CS_STRENGTH_VOLATILE : CS_STRENGTH_PLAIN;
}

/* Accesses of matrix instructions and of inline PTX are not checked: a warp executes some of them together. */
static int is_plain_access(const struct cs_pass_access_item *item) {
  LLVMValueRef callee = cs_ir_callee(item->instruction);
  const char *name = callee ? cs_ir_name(callee) : "";
  return !LLVMIsACallInst(item->instruction) || cs_ir_starts_with(name, "llvm.mem") ||
         cs_ir_starts_with(name, "llvm.nvvm.atomic.");
}

/* The pointers that a kernel is passed do not point to shared memory. */
static int is_parameter_of_kernel(LLVMValueRef root) {
  return LLVMIsAArgument(root) && cs_ir_is_kernel(LLVMGetParamParent(root));
}

/* The intrinsics of atomic functions with the suffix _block. */
static int is_narrow(const struct cs_pass_access_item *item) {
  LLVMValueRef callee = cs_ir_callee(item->instruction);
  const char *name = callee ? cs_ir_name(callee) : "";
  return cs_ir_starts_with(name, "llvm.nvvm.atomic.") && strstr(name, ".cta.");
}

/* The memory of an access; -1: neither shared nor global. */
static int memory_of(struct cs_pass *pass, LLVMValueRef pointer) {
  static const int of_variables[CS_MEMORY_COUNT] = {
      [CS_MEMORY_UNKNOWN] = CS_RACE_ANYWHERE,  [CS_MEMORY_LOCAL] = -1,
      [CS_MEMORY_SHARED] = CS_RACE_SHARED,     [CS_MEMORY_DYNAMIC_SHARED] = CS_RACE_SHARED,
      [CS_MEMORY_VARIABLE] = CS_RACE_VARIABLE, [CS_MEMORY_CONSTANT] = -1};
  LLVMValueRef root = cs_pass_terminal_of(pointer);
  const struct cs_pass_variable *v = cs_pass_variable_of(pass, root);
  unsigned space = cs_ir_space_of(pointer);
  if (v)
    return of_variables[v->memory];
  if (space == CS_IR_SPACE_SHARED)
    return CS_RACE_SHARED;
  if (space == CS_IR_SPACE_GLOBAL || (space == CS_IR_SPACE_GENERIC && is_parameter_of_kernel(root)))
    return CS_RACE_BUFFER;
  return space == CS_IR_SPACE_GENERIC ? CS_RACE_ANYWHERE : -1;
}

static struct plan plan_access(struct cs_pass *pass, const struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  int memory = memory_of(pass, pointer);
  return (struct plan){.is_checked =
                           memory >= 0 && item->bytes > 0 && item->bytes <= CS_RACE_BYTES_MAX && is_plain_access(item),
                       .memory = memory < 0 ? CS_RACE_ANYWHERE : (enum cs_race_memory)memory,
                       .variable = cs_pass_variable_of(pass, cs_pass_terminal_of(pointer)),
                       .strength = strength_of(item->instruction),
                       .is_narrow = is_narrow(item)};
}

static int is_barrier(LLVMValueRef i) {
  return order_of(i) == BLOCK;
}

/* The barriers of the function are those that its threads pass: it is a kernel, and calls no function of the module. */
static int has_own_barriers(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (called && !LLVMIsAInlineAsm(called) && (!LLVMIsAFunction(called) || !LLVMIsDeclaration(called)))
      return 0;
  }
  return cs_ir_is_kernel(function);
}

/* Only these race, with all other accesses to their memory. */
static int may_break(const struct cs_pass_access_item *item, const struct plan *plan) {
  return item->access != CS_ACCESS_READ && (plan->strength == CS_STRENGTH_PLAIN || plan->is_narrow);
}

static int is_shared(const struct plan *plan) {
  return plan->memory == CS_RACE_SHARED || plan->memory == CS_RACE_ANYWHERE;
}

static int is_global(const struct plan *plan) {
  return plan->memory != CS_RACE_SHARED;
}

/* 1 if the function has a write that may race with this access in global memory, where barriers do not order blocks. */
static int may_race_globally(const struct cs_pass_collected *c, const struct plan *plans, const struct plan *plan) {
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_checked && is_global(&plans[i]) && plans[i].variable == plan->variable &&
        may_break(&c->accesses[i], &plans[i]))
      return 1;
  return 0;
}

/* Omits the checks of accesses that no plain write races with. */
static void omit_ordered(const struct cs_pass_function *f, struct plan *plans) {
  const struct cs_pass_collected *c = &f->collected;
  struct cs_pass_interval_access *all = cs_ir_allocate(c->access_count + 1, sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_checked && is_shared(&plans[i]))
      all[count++] = (struct cs_pass_interval_access){c->accesses[i].instruction, plans[i].variable,
                                                      may_break(&c->accesses[i], &plans[i]), 0};
  cs_pass_find_intervals(f->value, is_barrier, all, count);
  for (size_t i = count = 0; i < c->access_count; i++) {
    int is_in_shared = plans[i].is_checked && is_shared(&plans[i]) && all[count++].may_race;
    plans[i].is_omitted =
        plans[i].is_checked && !is_in_shared && !(is_global(&plans[i]) && may_race_globally(c, plans, &plans[i]));
  }
  for (size_t i = 0; i < c->access_count; i++)
    plans[i].is_checked &= !plans[i].is_omitted;
  free(all);
}

/* 1 if a write whose check is omitted may go to the variable. */
static int is_written_unchecked(const struct cs_pass_collected *c, const struct plan *plans,
                                const struct cs_pass_variable *v) {
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_omitted && c->accesses[i].access != CS_ACCESS_READ &&
        (!v || !plans[i].variable || plans[i].variable == v))
      return 1;
  return 0;
}

static void plan(struct cs_pass_function *f, struct cs_pass_found *found) {
  const struct cs_pass_collected *c = &f->collected;
  if (!f->pass->finds_races)
    return;
  struct plan *plans = cs_ir_allocate(c->access_count + 1, sizeof *plans);
  for (size_t i = 0; i < c->access_count; i++)
    plans[i] = plan_access(f->pass, &c->accesses[i]);
  if (has_own_barriers(f->value))
    omit_ordered(f, plans);
  for (size_t i = 0; i < c->access_count; i++)
    plans[i].was_written = plans[i].is_checked && is_written_unchecked(c, plans, plans[i].variable);
  found->plan = plans;
}

static void release(struct cs_pass_found *found) {
  free(found->plan);
}

/* ---- write: a call before each access ---- */

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

static cs_u32 site_of(struct cs_pass_function *f, const struct cs_pass_access_item *item, const struct plan *plan) {
  const struct cs_pass_variable *v = plan->variable;
  struct cs_site site = {.access = item->access,
                         .size = (cs_u32)item->bytes,
                         .check = CS_CHECK_RACE,
                         .align = 1,
                         .memory = v                 ? v->memory
                                   : is_shared(plan) ? CS_MEMORY_SHARED
                                                     : CS_MEMORY_UNKNOWN};
  return cs_pass_sites_add(&f->pass->sites, item->instruction, site, f->kernel, v ? v->name : NULL);
}

static void write_access(struct cs_pass_function *f, const struct cs_pass_access_item *item, const struct plan *plan) {
  struct cs_pass *pass = f->pass;
  const struct cs_pass_variable *v = plan->variable;
  LLVMValueRef i = item->instruction;
  cs_u32 what = CS_RACE_WHAT((cs_u32)item->bytes, item->access, plan->strength), site = site_of(f, item, plan);
  cs_pass_build_before(pass, i, i);
  LLVMValueRef value = plan->strength == CS_STRENGTH_PLAIN ? value_of(pass, i) : NULL;
  what |= (value ? CS_RACE_HAS_VALUE : 0) | (plan->was_written ? CS_RACE_WAS_WRITTEN : 0) |
          (plan->is_narrow ? CS_RACE_IN_BLOCK : 0) | (cs_u32)plan->memory << CS_RACE_MEMORY_SHIFT;
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
  cs_pass_device_call(pass, "__cs_race_access", "vppillplii", arguments);
}

static void write(struct cs_pass_function *f, struct cs_pass_found *found) {
  const struct plan *plans = found->plan;
  for (size_t i = 0; plans && i < f->collected.access_count; i++)
    if (plans[i].is_checked)
      write_access(f, &f->collected.accesses[i], &plans[i]);
}

/* ---- finish: barriers and fences, in all code ---- */

static LLVMValueRef mask_of(struct cs_pass *pass, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length;
  const char *text = LLVMIsAInlineAsm(callee) ? LLVMGetInlineAsmAsmString(callee, &length) + strlen(WARP_SYNC) : "$0";
  return *text == '$' ? LLVMGetOperand(call, 0) : cs_pass_constant(pass->i32, strtoull(text, NULL, 0) & 0xffffffffu);
}

/* A release counts before it is executed: what it synchronises with may continue earlier than this thread. An acquire
 * counts after it: what it has seen was released before. */
static void write_order(struct cs_pass *pass, LLVMValueRef i) {
  enum order order = order_of(i);
  LLVMValueRef mask = order == WARP ? mask_of(pass, i) : NULL;
  if (order == NONE)
    return;
  if (order == FENCE) {
    cs_pass_build_before(pass, i, i);
    cs_pass_device_call(pass, "__cs_race_fence", "v", NULL);
  }
  cs_pass_build_before(pass, LLVMGetNextInstruction(i), i);
  if (order == WARP)
    cs_pass_device_call(pass, "__cs_race_warp_barrier", "vi", &mask);
  else
    cs_pass_device_call(pass, order == BLOCK ? "__cs_race_barrier" : "__cs_race_acquire", "v", NULL);
}

static void finish_function(struct cs_pass *pass, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    write_order(pass, i);
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
    .plan = plan,
    .write = write,
    .release = release,
    .finish = finish,
};
