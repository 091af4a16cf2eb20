/* detect_sync.c: where threads wait for others: sites, whose numbers the instructions carry as metadata. The code does
 * not change.
 *
 * With --detect=sync each barrier of the block has one: the retargeter adds checks where it cannot prove that all
 * threads arrive together (retarget/lower/sync.c). So has each warp operation with a mask (retarget/lower/masks.c), and
 * each operation on an mbarrier (retarget/lower/mbarriers.c).
 * Where threads wait for an mbarrier or at a barrier with a count, all places at which they wait have one, in every
 * build: a deadlock is reported with them (retarget/lower/deadlock.c). */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/names.h"
#include "pass/function/detector.h"
#include "pass/module/build.h"
#include "pass/module/kernels.h"
#include <stdlib.h>
#include <string.h>

/* Lanes may wait at different calls of a barrier that is not aligned. */
static int is_aligned_barrier(LLVMValueRef i) {
  LLVMValueRef callee = LLVMIsACallInst(i) ? cs_ir_callee(i) : NULL;
  const char *name = callee ? cs_ir_name(callee) : "";
  size_t length = strlen(name);
  return cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.") && strcmp(name + length - 4, ".all") == 0 &&
         strstr(name, ".aligned.");
}

/* object: what the site is called in a report, or NULL. */
static void add_site(struct cs_pass *pass, LLVMValueRef function, LLVMValueRef call, enum cs_check check,
                     const char *name, const char *object) {
  struct cs_site site = {.access = CS_ACCESS_COUNT, .check = check, .align = 1};
  LLVMValueRef kernel = cs_pass_reaching_kernel(pass, function);
  LLVMValueRef number = cs_pass_constant(pass->i32, cs_pass_sites_add(&pass->sites, call, site, kernel, object));
  LLVMMetadataRef node = LLVMValueAsMetadata(number);
  node = LLVMMDNodeInContext2(pass->context, &node, 1);
  LLVMSetMetadata(call, LLVMGetMDKindIDInContext(pass->context, name, (unsigned)strlen(name)),
                  LLVMMetadataAsValue(pass->context, node));
}

/* In the order of their lines, as far as that is known: the barrier that comes first is the one that is reported. */
static int compare(const void *a, const void *b) {
  unsigned first = LLVMGetDebugLocLine(*(const LLVMValueRef *)a),
           second = LLVMGetDebugLocLine(*(const LLVMValueRef *)b);
  return (first > second) - (first < second);
}

static void add_sites(struct cs_pass *pass, LLVMValueRef function, int (*is_one)(LLVMValueRef), enum cs_check check,
                      const char *name) {
  LLVMValueRef *calls = NULL;
  size_t count = 0;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (is_one(i))
      cs_ir_push(calls, count, i);
  if (count)
    qsort(calls, count, sizeof *calls, compare);
  for (size_t i = 0; i < count; i++)
    add_site(pass, function, calls[i], check, name, NULL);
  free(calls);
}

/* ---- waits ---- */

static int has_text(LLVMValueRef call, const char *const *texts) {
  const char *text = cs_ir_asm_text(call);
  while (text && *texts && !strstr(text, *texts))
    texts++;
  return text && *texts;
}

/* Where a thread waits until others have arrived, and these may run only if it yields. */
static int is_wait(LLVMValueRef i) {
  static const char *const texts[] = {"mbarrier.test_wait", "mbarrier.try_wait", "bar.sync", "bar.arrive",
                                      "barrier.sync",       "barrier.cta",       NULL};
  LLVMValueRef callee = LLVMIsACallInst(i) ? cs_ir_callee(i) : NULL;
  const char *name = callee ? cs_ir_name(callee) : "";
  return has_text(i, texts) || (cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.") && strstr(name, ".count"));
}
static int is_wait_or_barrier(LLVMValueRef i) {
  LLVMValueRef callee = LLVMIsACallInst(i) ? cs_ir_callee(i) : NULL;
  return is_wait(i) || (callee && cs_ir_starts_with(cs_ir_name(callee), "llvm.nvvm.barrier.cta."));
}

static int has_wait(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = cs_ir_first(f); i; i = cs_ir_next(i))
      if (is_wait(i))
        return 1;
  return 0;
}

/* ---- warp operations ---- */

static const struct operation {
  const char *intrinsic, *ptx, *name;
} operations[] = {{"llvm.nvvm.bar.warp.sync", "bar.warp.sync", "__syncwarp"},
                  {"llvm.nvvm.shfl.sync.up.", "shfl.sync.up", "__shfl_up_sync"},
                  {"llvm.nvvm.shfl.sync.down.", "shfl.sync.down", "__shfl_down_sync"},
                  {"llvm.nvvm.shfl.sync.bfly.", "shfl.sync.bfly", "__shfl_xor_sync"},
                  {"llvm.nvvm.shfl.sync.idx.", "shfl.sync.idx", "__shfl_sync"},
                  {"llvm.nvvm.vote.all.sync", "vote.sync.all", "__all_sync"},
                  {"llvm.nvvm.vote.any.sync", "vote.sync.any", "__any_sync"},
                  {"llvm.nvvm.vote.uni.sync", "vote.sync.uni", "vote.sync.uni"},
                  {"llvm.nvvm.vote.ballot.sync", "vote.sync.ballot", "__ballot_sync"},
                  {"llvm.nvvm.match.any.sync.", "match.any.sync", "__match_any_sync"},
                  {"llvm.nvvm.match.all.sync.", "match.all.sync", "__match_all_sync"},
                  {"llvm.nvvm.elect.sync", "elect.sync", "elect.sync"},
                  {"llvm.nvvm.redux.sync.add", "redux.sync.add", "__reduce_add_sync"},
                  {"llvm.nvvm.redux.sync.and", "redux.sync.and", "__reduce_and_sync"},
                  {"llvm.nvvm.redux.sync.or", "redux.sync.or", "__reduce_or_sync"},
                  {"llvm.nvvm.redux.sync.xor", "redux.sync.xor", "__reduce_xor_sync"},
                  {"llvm.nvvm.redux.sync.umin", "redux.sync.min", "__reduce_min_sync"},
                  {"llvm.nvvm.redux.sync.min", "redux.sync.min", "__reduce_min_sync"},
                  {"llvm.nvvm.redux.sync.umax", "redux.sync.max", "__reduce_max_sync"},
                  {"llvm.nvvm.redux.sync.max", "redux.sync.max", "__reduce_max_sync"},
                  {NULL, NULL, NULL}};

/* The operation that the instruction is, or whose PTX it has; its name is NULL if there is none. */
static const struct operation *operation_of(LLVMValueRef i) {
  const struct operation *o = operations;
  LLVMValueRef callee = LLVMIsACallInst(i) ? cs_ir_callee(i) : NULL;
  const char *name = callee ? cs_ir_name(callee) : "";
  while (o->name && !cs_ir_starts_with(name, o->intrinsic) && !has_text(i, (const char *const[]){o->ptx, NULL}))
    o++;
  return o;
}

static void add_operations(struct cs_pass *pass, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    const char *name = operation_of(i)->name;
    if (name)
      add_site(pass, function, i, CS_CHECK_MASK, CS_IR_MASK, name);
  }
}

/* ---- mbarriers ---- */

/* What a report calls the operation: of several in one statement, the first; NULL if there is none. */
static const char *mbarrier_operation(LLVMValueRef i) {
  static const char *const names[] = {"mbarrier.init",      "mbarrier.inval",     "cp.async.mbarrier.arrive",
                                      "mbarrier.arrive",    "mbarrier.expect_tx", "mbarrier.complete_tx",
                                      "mbarrier.test_wait", "mbarrier.try_wait",  NULL};
  const char *text = LLVMIsACallInst(i) ? cs_ir_asm_text(i) : NULL, *first = NULL, *first_name = NULL;
  for (const char *const *name = names; text && *name; name++) {
    const char *at = strstr(text, *name);
    if (at && (!first || at < first))
      first = at, first_name = *name;
  }
  return first || !text || !strstr(text, "mbarrier::complete_tx") ? first_name : "an asynchronous copy";
}

static void add_mbarriers(struct cs_pass *pass, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    const char *name = mbarrier_operation(i);
    if (name)
      add_site(pass, function, i, CS_CHECK_MBARRIER, CS_IR_MBARRIER, name);
  }
}

/* Also in the forms of kernels that have no other checks. */
static void finish(struct cs_pass *pass) {
  int detects = cs_pass_detects(pass->options, CS_PASS_DETECT_SYNC), waits = has_wait(pass->module);
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    if (detects) {
      add_sites(pass, f, is_aligned_barrier, CS_CHECK_BARRIER, CS_IR_BARRIER);
      add_operations(pass, f);
      add_mbarriers(pass, f);
    }
    if (waits)
      add_sites(pass, f, is_wait_or_barrier, CS_CHECK_WAIT, CS_IR_WAIT);
  }
}

const struct cs_pass_detector cs_pass_detect_sync = {.name = "sync", .finish = finish};
