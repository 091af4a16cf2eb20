/* race_plan.c: which accesses may race, as far as the code shows. */
#include "pass/detect/race_plan.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/detect/intervals.h"
#include "pass/function/ptx.h"
#include "pass/function/roots.h"
#include "pass/module/marks.h"
#include "pass/variables/objects.h"
#include <stdlib.h>
#include <string.h>

/* ---- what orders accesses ---- */

/* Atomic functions with the suffix _block, and fences for the block. */
int cs_pass_race_is_narrow(LLVMValueRef i) {
  LLVMValueRef callee = cs_ir_callee(i);
  const char *name = callee ? cs_ir_name(callee) : "";
  if (callee)
    return cs_ir_starts_with(name, "llvm.nvvm.atomic.") && strstr(name, ".cta");
  LLVMContextRef context =
      LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i))));
  int is_atomic = LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                  ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic);
  return is_atomic && LLVMGetAtomicSyncScopeID(i) == LLVMGetSyncScopeID(context, "block", strlen("block"));
}

static const struct cs_pass_race_order none = {.order = CS_PASS_ORDER_NONE};

/* Through memory that the instruction does not show. */
static struct cs_pass_race_order through_any(int releases, int in_block) {
  return (struct cs_pass_race_order){
      .order = CS_PASS_ORDER_FLAG, .releases = releases, .publishes = 1, .observes = 1, .in_block = in_block};
}

static struct cs_pass_race_order fence(int in_block) {
  return (struct cs_pass_race_order){.order = CS_PASS_ORDER_FLAG, .releases = 1, .in_block = in_block};
}

/* At a barrier with a count or an mbarrier, without waiting: a release only. */
static struct cs_pass_race_order arrival(void) {
  return (struct cs_pass_race_order){.order = CS_PASS_ORDER_FLAG, .releases = 1, .publishes = 1, .in_block = 1};
}

static int has(const char *text, size_t length, const char *word) {
  return memmem(text, length, word, strlen(word)) != NULL;
}

static int is_one_statement(const char *text, size_t length) {
  const char *end = memchr(text, ';', length);
  size_t rest = end ? length - (size_t)(end + 1 - text) : 0;
  return !end || strspn(end + 1, " \t\n") >= rest;
}

static int is_arrival(const char *text, size_t length) {
  static const char *const starts[] = {"mbarrier.arrive", "cp.async.mbarrier.arrive", "bar.arrive", "barrier.arrive",
                                       "barrier.cta.arrive"};
  int is = 0;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    is |= cs_ir_starts_with(text, starts[i]);
  return is && is_one_statement(text, length);
}

static struct cs_pass_race_order order_of_asm(LLVMValueRef callee) {
  static const char *const words[] = {"bar", "fence", ".acq", ".release"};
  size_t length;
  const char *text = LLVMGetInlineAsmAsmString(callee, &length);
  int is_fence = cs_ir_starts_with(text, "membar.") || cs_ir_starts_with(text, "fence.sc.") ||
                 cs_ir_starts_with(text, "fence.acq_rel.");
  if (cs_ir_starts_with(text, CS_PASS_WARP_SYNC))
    return (struct cs_pass_race_order){.order = CS_PASS_ORDER_WARP};
  if (is_fence && is_one_statement(text, length))
    return fence(has(text, length, ".cta"));
  if (is_arrival(text, length))
    return arrival();
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (has(text, length, words[i]))
      return through_any(1, 0);
  return has(text, length, "ld") || has(text, length, "st") || has(text, length, "atom") || has(text, length, "red")
             ? through_any(0, 0)
             : none;
}

static struct cs_pass_race_order order_of_flag(LLVMValueRef i, unsigned operand, int publishes, int observes) {
  return (struct cs_pass_race_order){.order = CS_PASS_ORDER_FLAG,
                                     .publishes = publishes,
                                     .observes = observes,
                                     .flag = LLVMGetOperand(i, operand),
                                     .in_block = cs_pass_race_is_narrow(i)};
}

static struct cs_pass_race_order order_of_intrinsic(LLVMValueRef i, const char *name) {
  static const char *const of_block[] = {"llvm.nvvm.mbarrier.", "llvm.nvvm.barrier.cta.",
                                         "llvm.nvvm.cp.async.mbarrier."};
  size_t length = strlen(name);
  if (cs_ir_starts_with(name, "llvm.nvvm.bar.warp.sync"))
    return (struct cs_pass_race_order){.order = CS_PASS_ORDER_WARP};
  if (cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.") && strcmp(name + length - 4, ".all") == 0)
    return (struct cs_pass_race_order){.order = CS_PASS_ORDER_BLOCK};
  for (size_t k = 0; k < sizeof of_block / sizeof *of_block; k++)
    if (cs_ir_starts_with(name, of_block[k]))
      return strstr(name, ".arrive") ? arrival() : through_any(1, 1);
  if (cs_ir_starts_with(name, "llvm.nvvm.membar."))
    return fence(strcmp(name, "llvm.nvvm.membar.cta") == 0);
  if (cs_ir_starts_with(name, "llvm.nvvm.barrier.") || cs_ir_starts_with(name, "llvm.nvvm.fence."))
    return through_any(1, 0);
  return cs_ir_starts_with(name, "llvm.nvvm.atomic.") ? order_of_flag(i, 0, 1, 1) : none;
}

/* Memory that a thread frees may be another's next: the device heap orders its calls. */
static struct cs_pass_race_order order_of_call(LLVMValueRef i, LLVMValueRef callee) {
  const char *name = cs_ir_name(callee);
  return strcmp(name, "__cs_malloc") == 0 || strcmp(name, CS_IR_FREE) == 0 ? through_any(1, 0)
                                                                           : order_of_intrinsic(i, name);
}

/* clang gives CUDA's atomic functions, which are relaxed, the strongest order of all: that one orders nothing. */
static struct cs_pass_race_order order_of_access(LLVMValueRef i) {
  int is_load = LLVMIsALoadInst(i) != NULL, is_store = LLVMIsAStoreInst(i) != NULL;
  LLVMAtomicOrdering order = LLVMIsAAtomicCmpXchgInst(i) ? LLVMGetCmpXchgSuccessOrdering(i) : LLVMGetOrdering(i);
  if (order == LLVMAtomicOrderingNotAtomic && !((is_load || is_store) && LLVMGetVolatile(i)))
    return none;
  struct cs_pass_race_order flag = order_of_flag(i, is_store ? 1 : 0, !is_load, !is_store);
  flag.releases = order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingAcquireRelease;
  return cs_ir_space_of(flag.flag) == CS_IR_SPACE_LOCAL ? none : flag;
}

struct cs_pass_race_order cs_pass_race_order(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMFence:
    return fence(cs_pass_race_is_narrow(i));
  case LLVMLoad:
  case LLVMStore:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return order_of_access(i);
  case LLVMCall:
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
      return order_of_asm(LLVMGetCalledValue(i));
    return cs_ir_callee(i) ? order_of_call(i, cs_ir_callee(i)) : none;
  default:
    return none;
  }
}

/* ---- asynchronous copies ---- */

/* "cp.async.wait_group $0" or "... 1": the operand, or the number. */
static LLVMValueRef count_of_asm(LLVMValueRef call, const char *after) {
  after += strspn(after, " \t");
  unsigned long number = strtoul(after + (*after == '$'), NULL, 10);
  if (*after != '$')
    return LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(
                            LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))))),
                        number, 0);
  return number < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, (unsigned)number) : NULL;
}

static const struct {
  const char *text, *intrinsic;
  enum cs_copy_event event;
} copy_events[] = {{"cp.async.commit_group", "llvm.nvvm.cp.async.commit.group", CS_COPY_COMMIT},
                   {"cp.async.mbarrier.arrive", "llvm.nvvm.cp.async.mbarrier.arrive", CS_COPY_ARRIVE},
                   {"cp.async.wait_group", "llvm.nvvm.cp.async.wait.group", CS_COPY_WAIT},
                   {"cp.async.wait_all", "llvm.nvvm.cp.async.wait.all", CS_COPY_WAIT_ALL}};

void cs_pass_race_copies(LLVMValueRef i, void (*visit)(void *with, enum cs_copy_event event, LLVMValueRef count),
                         void *with) {
  LLVMValueRef callee = LLVMIsACallInst(i) ? cs_ir_callee(i) : NULL;
  const char *name = callee ? cs_ir_name(callee) : "", *text = cs_ir_asm_text(i);
  for (size_t e = 0; e < sizeof copy_events / sizeof *copy_events; e++) {
    const char *found = text ? strstr(text, copy_events[e].text) : NULL;
    int is_intrinsic = cs_ir_starts_with(name, copy_events[e].intrinsic);
    LLVMValueRef count = NULL;
    if (copy_events[e].event == CS_COPY_WAIT && (found || is_intrinsic))
      count = found ? count_of_asm(i, found + strlen(copy_events[e].text)) : LLVMGetOperand(i, 0);
    if (found || is_intrinsic) /* a count that is not understood: all */
      visit(with, copy_events[e].event == CS_COPY_WAIT && !count ? CS_COPY_WAIT_ALL : copy_events[e].event, count);
  }
}

/* Whether inline PTX that copies asynchronously uses the value, as it is or converted. */
static int goes_to_copy(LLVMValueRef value, unsigned depth) { // NOLINT(misc-no-recursion): bounded
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    const char *text = cs_ir_asm_text(user);
    if (text && (strstr(text, "cp.async.ca.") || strstr(text, "cp.async.cg.")))
      return 1;
    if (depth && LLVMIsACastInst(user) && goes_to_copy(user, depth - 1))
      return 1;
  }
  return 0;
}

/* The item is what an asynchronous copy writes in shared memory: an operand of the intrinsic, or a stand-in for that of
 * inline PTX (pass/function/ptx.h). */
static int is_copy(struct cs_pass *pass, const struct cs_pass_access_item *item) {
  enum { CASTS = 4 };
  enum cs_access access;
  cs_u64 bytes;
  LLVMValueRef length, i = item->instruction;
  if (item->access != CS_ACCESS_WRITE || !LLVMIsACallInst(i))
    return 0;
  if (cs_pass_ptx_access(pass, i, &access, &bytes, &length))
    return goes_to_copy(i, CASTS);
  const char *name = cs_ir_callee(i) ? cs_ir_name(cs_ir_callee(i)) : "";
  return cs_ir_starts_with(name, "llvm.nvvm.cp.async.ca.") || cs_ir_starts_with(name, "llvm.nvvm.cp.async.cg.");
}

/* ---- plan: the accesses that may go to shared or global memory ---- */

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

static struct cs_pass_race_plan plan_access(struct cs_pass *pass, const struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  int copies = is_copy(pass, item), memory = copies ? CS_RACE_SHARED : memory_of(pass, pointer);
  return (struct cs_pass_race_plan){.is_checked = memory >= 0 && item->bytes > 0 && item->bytes <= CS_RACE_BYTES_MAX &&
                                                  (copies || is_plain_access(item)),
                                    .memory = memory < 0 ? CS_RACE_ANYWHERE : (enum cs_race_memory)memory,
                                    .variable = cs_pass_variable_of(pass, cs_pass_terminal_of(pointer)),
                                    .strength = copies ? CS_STRENGTH_PLAIN : strength_of(item->instruction),
                                    .is_narrow = cs_pass_race_is_narrow(item->instruction),
                                    .is_copy = copies};
}

static int is_barrier(LLVMValueRef i) {
  return cs_pass_race_order(i).order == CS_PASS_ORDER_BLOCK;
}

/* The barriers of the function are those that its threads pass: it is a kernel, and calls no function of the module. */
int cs_pass_race_has_own_barriers(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef called = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (called && !LLVMIsAInlineAsm(called) && (!LLVMIsAFunction(called) || !LLVMIsDeclaration(called)))
      return 0;
  }
  return cs_ir_is_kernel(function);
}

/* Only these race, with all other accesses to their memory. Which of these races are reported is known when the program
 * runs. */
int cs_pass_race_may_break(const struct cs_pass_access_item *item, const struct cs_pass_race_plan *plan) {
  return item->access != CS_ACCESS_READ &&
         (plan->strength != CS_STRENGTH_ATOMIC || plan->is_narrow || plan->meets_others);
}

int cs_pass_race_is_shared(const struct cs_pass_race_plan *plan) {
  return plan->memory == CS_RACE_SHARED || plan->memory == CS_RACE_ANYWHERE;
}

int cs_pass_race_is_global(const struct cs_pass_race_plan *plan) {
  return plan->memory != CS_RACE_SHARED;
}

/* Two variables of global memory, or one of them and a buffer, are apart. */
static int may_meet(const struct cs_pass_race_plan *a, const struct cs_pass_race_plan *b) {
  if (cs_pass_race_is_shared(a) && cs_pass_race_is_shared(b) &&
      (!a->variable || !b->variable || a->variable == b->variable))
    return 1;
  return cs_pass_race_is_global(a) && cs_pass_race_is_global(b) && a->variable == b->variable;
}

static int meets_others(const struct cs_pass_collected *c, const struct cs_pass_race_plan *plans,
                        const struct cs_pass_race_plan *plan) {
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_checked && plans[i].strength != CS_STRENGTH_ATOMIC && may_meet(plan, &plans[i]))
      return 1;
  return 0;
}

/* 1 if the function has a write that may race with this access in global memory, where barriers do not order blocks. */
static int may_race_globally(const struct cs_pass_collected *c, const struct cs_pass_race_plan *plans,
                             const struct cs_pass_race_plan *plan) {
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_checked && cs_pass_race_is_global(&plans[i]) && plans[i].variable == plan->variable &&
        cs_pass_race_may_break(&c->accesses[i], &plans[i]))
      return 1;
  return 0;
}

/* Copies are under way in later intervals, too. */
static int meets_copy(const struct cs_pass_collected *c, const struct cs_pass_race_plan *plans,
                      const struct cs_pass_race_plan *plan) {
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_copy && plans[i].is_checked && cs_pass_race_is_shared(plan) &&
        (!plan->variable || !plans[i].variable || plan->variable == plans[i].variable))
      return 1;
  return 0;
}

/* Omits the checks of accesses that no write races with. */
static void omit_ordered(const struct cs_pass_function *f, struct cs_pass_race_plan *plans) {
  const struct cs_pass_collected *c = &f->collected;
  struct cs_pass_interval_access *all = cs_ir_allocate(c->access_count + 1, sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_checked && cs_pass_race_is_shared(&plans[i]))
      all[count++] = (struct cs_pass_interval_access){c->accesses[i].instruction, plans[i].variable,
                                                      cs_pass_race_may_break(&c->accesses[i], &plans[i]), 0};
  cs_pass_find_intervals(f->value, is_barrier, all, count);
  for (size_t i = count = 0; i < c->access_count; i++) {
    int is_in_shared = plans[i].is_checked && cs_pass_race_is_shared(&plans[i]) && all[count++].may_race;
    is_in_shared |= plans[i].meets_copy;
    plans[i].is_omitted = plans[i].is_checked && !is_in_shared &&
                          !(cs_pass_race_is_global(&plans[i]) && may_race_globally(c, plans, &plans[i]));
  }
  for (size_t i = 0; i < c->access_count; i++)
    plans[i].is_checked &= !plans[i].is_omitted;
  free(all);
}

/* Omits the checks that a fast form does not need (race_launch.c). */
static void omit_apart(const struct cs_pass_function *f, struct cs_pass_race_plan *plans) {
  for (size_t i = 0; i < f->collected.access_count; i++)
    if (plans[i].is_checked && cs_pass_is_apart(f->pass, f->collected.accesses[i].instruction)) {
      plans[i].is_omitted = 1;
      plans[i].is_checked = 0;
    }
}

/* 1 if a write whose check is omitted may go to the variable. */
static int is_written_unchecked(const struct cs_pass_collected *c, const struct cs_pass_race_plan *plans,
                                const struct cs_pass_variable *v) {
  for (size_t i = 0; i < c->access_count; i++)
    if (plans[i].is_omitted && c->accesses[i].access != CS_ACCESS_READ &&
        (!v || !plans[i].variable || plans[i].variable == v))
      return 1;
  return 0;
}

struct cs_pass_race_plan *cs_pass_race_plan(const struct cs_pass_function *f) {
  const struct cs_pass_collected *c = &f->collected;
  struct cs_pass_race_plan *plans = cs_ir_allocate(c->access_count + 1, sizeof *plans);
  for (size_t i = 0; i < c->access_count; i++)
    plans[i] = plan_access(f->pass, &c->accesses[i]);
  for (size_t i = 0; i < c->access_count; i++)
    plans[i].meets_others = plans[i].is_checked && meets_others(c, plans, &plans[i]);
  for (size_t i = 0; i < c->access_count; i++)
    plans[i].meets_copy = plans[i].is_checked && meets_copy(c, plans, &plans[i]);
  if (cs_pass_race_has_own_barriers(f->value))
    omit_ordered(f, plans);
  omit_apart(f, plans);
  for (size_t i = 0; i < c->access_count; i++)
    plans[i].was_written = plans[i].is_checked && is_written_unchecked(c, plans, plans[i].variable);
  return plans;
}
