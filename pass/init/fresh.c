/* fresh.c: memory that begins to be uninitialised while a kernel runs: local variables, shared variables, and what
 * kernels allocate. */
#include "cusafe/init.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/init/init.h"
#include "pass/module/build.h"
#include "pass/module/kernels.h"
#include "pass/module/runtime.h"
#include "pass/variables/objects.h"
#include <stdlib.h>
#include <string.h>

static int calls(LLVMValueRef i, const char *prefix) {
  LLVMValueRef callee = cs_ir_callee(i);
  return callee && cs_ir_starts_with(cs_ir_name(callee), prefix);
}

/* ---- local variables ---- */

/* The accesses to one variable. */
struct accesses {
  LLVMValueRef *reads, *fills; /* fills: that write all of it */
  size_t read_count, fill_count;
  int is_printed;
};

static int is_long_enough(LLVMValueRef length, cs_u64 bytes) {
  return LLVMIsAConstantInt(length) && LLVMConstIntGetZExtValue(length) >= bytes;
}

static void note_call(struct accesses *a, LLVMValueRef call, LLVMValueRef pointer, cs_u64 bytes) {
  int is_copy = calls(call, "llvm.memcpy") || calls(call, "llvm.memmove");
  if (is_copy && LLVMGetOperand(call, 1) == pointer)
    cs_ir_push(a->reads, a->read_count, call);
  else if (calls(call, "llvm.mem") && is_long_enough(LLVMGetOperand(call, 2), bytes))
    cs_ir_push(a->fills, a->fill_count, call);
  a->is_printed |= calls(call, "vprintf");
}

/* bytes: of the variable, or more than any access has where the pointer may not be its start. */
static void note_uses(struct cs_pass_init *init, struct accesses *a, LLVMValueRef pointer,
                      cs_u64 bytes) { // NOLINT(misc-no-recursion): as deep as a chain of GEPs
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsALoadInst(user) || LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user))
      cs_ir_push(a->reads, a->read_count, user);
    else if (LLVMIsAStoreInst(user)) {
      if (LLVMStoreSizeOfType(init->pass->layout, LLVMTypeOf(LLVMGetOperand(user, 0))) >= bytes)
        cs_ir_push(a->fills, a->fill_count, user);
    } else if (LLVMIsAGetElementPtrInst(user))
      note_uses(init, a, user, ~0ull);
    else if (LLVMIsACallInst(user) && !cs_pass_init_is_check(user))
      note_call(a, user, pointer, bytes);
    else if (LLVMTypeOf(user) == LLVMTypeOf(pointer) || LLVMIsAAddrSpaceCastInst(user))
      note_uses(init, a, user, bytes);
  }
}

static int is_written_before(const struct cs_pass_analyses *analyses, const struct accesses *a, LLVMValueRef read) {
  for (size_t i = 0; i < a->fill_count; i++)
    if (a->fills[i] != read && cs_pass_dominates(analyses, a->fills[i], read))
      return 1;
  return 0;
}

/* Printed: clang writes each argument, but not the padding between them. */
static int may_be_read_first(struct cs_pass_init *init, const struct cs_pass_analyses *analyses, LLVMValueRef local) {
  struct accesses a = {0};
  note_uses(init, &a, local, cs_pass_init_bytes_of_local(init, local));
  int found = 0;
  for (size_t i = 0; i < a.read_count && !found && !a.is_printed; i++)
    found = !is_written_before(analyses, &a, a.reads[i]);
  free(a.reads);
  free(a.fills);
  return found;
}

void cs_pass_init_find_fresh(struct cs_pass_init *init) {
  struct cs_pass *pass = init->pass;
  const struct cs_pass_analyses *analyses = pass->get_analyses(pass->analyses_owner, init->function, 1);
  for (size_t n = 0; n < init->count; n++) {
    LLVMValueRef local = init->instructions[n];
    if (cs_ir_map_get(&init->locals, local) && may_be_read_first(init, analyses, local))
      cs_ir_map_set(&init->fresh, local, local);
  }
}

/* ---- shared variables ---- */

static int is_instrumented(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && !cs_pass_is_ours(function);
}

/* Adds the functions that refer to the variable. */
static void find_functions(struct cs_ir_map *functions, LLVMValueRef value) { // NOLINT(misc-no-recursion): constants
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user)) {
      find_functions(functions, user);
      continue;
    }
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    cs_ir_map_set(functions, function, function);
  }
}

static cs_u32 site_of(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_variable *v) {
  struct cs_site site = {.access = CS_ACCESS_COUNT, .memory = v->memory, .check = CS_CHECK_INIT, .align = 1};
  return cs_pass_sites_add(&pass->sites, cs_ir_first(function), site, cs_pass_reaching_kernel(pass, function), v->name);
}

/* What the first thread of a block leaves, in shared memory: struct cs_init_shared. */
static LLVMValueRef add_state(struct cs_pass *pass) {
  LLVMTypeRef type = LLVMArrayType2(pass->i64, sizeof(struct cs_init_shared) / sizeof(cs_u64));
  LLVMValueRef state =
      LLVMAddGlobalInAddressSpace(pass->module, type, CS_IR_RUNTIME_PREFIX "init_state", CS_IR_SPACE_SHARED);
  LLVMSetInitializer(state, LLVMGetUndef(type));
  LLVMSetLinkage(state, LLVMInternalLinkage);
  LLVMSetAlignment(state, sizeof(cs_u64));
  return LLVMConstAddrSpaceCast(state, pass->ptr);
}

static void begin_static(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_variable *v,
                         LLVMValueRef state, int is_exact) {
  cs_pass_build_before(pass, cs_ir_after_allocas(function), NULL);
  LLVMValueRef arguments[] = {state, v->start, cs_pass_constant(pass->i64, v->bytes),
                              cs_pass_constant(pass->i32, (cs_u64)is_exact),
                              cs_pass_constant(pass->i32, site_of(pass, function, v))};
  cs_pass_device_call(pass, "__cs_init_shared", "vpplii", arguments);
}

static void begin_dynamic(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_variable *v) {
  cs_pass_build_before(pass, cs_ir_after_allocas(function), NULL);
  LLVMValueRef site = cs_pass_constant(pass->i32, site_of(pass, function, v));
  cs_pass_device_call(pass, "__cs_init_dynamic", "vi", &site);
}

/* No granule is in two variables. */
static void align(LLVMValueRef global) {
  if (LLVMGetAlignment(global) < CS_INIT_GRANULE)
    LLVMSetAlignment(global, CS_INIT_GRANULE);
}

static void begin_variable(struct cs_pass *pass, const struct cs_pass_variable *v) {
  LLVMValueRef global = cs_pass_init_base(v->start), state = NULL;
  struct cs_ir_map functions = {0};
  int is_exact = !v->has_prefix && cs_pass_init_are_uses_known(global);
  find_functions(&functions, global);
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    if (!is_instrumented(f) || !cs_ir_map_get(&functions, f))
      continue;
    if (v->memory == CS_MEMORY_DYNAMIC_SHARED) {
      begin_dynamic(pass, f, v);
      continue;
    }
    align(global);
    state = state ? state : add_state(pass);
    begin_static(pass, f, v, state, is_exact);
  }
  cs_ir_map_free(&functions);
}

/* ---- the heap of kernels ---- */

static void begin_allocated(struct cs_pass *pass, LLVMValueRef call) {
  int is_free = calls(call, CS_IR_FREE);
  cs_pass_build_before(pass, is_free ? call : LLVMGetNextInstruction(call), call);
  LLVMValueRef allocated[] = {call, LLVMGetOperand(call, 0)}, freed[] = {LLVMGetOperand(call, 0)};
  if (is_free)
    cs_pass_device_call(pass, "__cs_init_freed", "vp", freed);
  else
    cs_pass_device_call(pass, "__cs_init_allocated", "vpl", allocated);
}

void cs_pass_init_begin_memory(struct cs_pass *pass) {
  for (size_t v = 0; v < pass->order_count; v++) {
    const struct cs_pass_variable *one = pass->order[v];
    if (one->memory != CS_MEMORY_SHARED && one->memory != CS_MEMORY_DYNAMIC_SHARED)
      continue;
    if (!LLVMIsAArgument(cs_pass_init_base(one->start))) /* not a lent one */
      begin_variable(pass, one);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = is_instrumented(f) ? cs_ir_first(f) : NULL; i; i = cs_ir_next(i))
      if (calls(i, "__cs_malloc") || calls(i, CS_IR_FREE))
        begin_allocated(pass, i);
}
