/* launch.c: the primitives of the support library: the launch block, dynamic shared memory, and the end of a thread.
 *
 * The first two are parameters of a kernel. Functions that were not inlined take them as hidden parameters, with a
 * third one that points to a flag of the thread: it is set when the thread has ended inside, so that every caller
 * returns as well. They also take the thread's index in its block and the block's in the grid: engines lose those in
 * recursive calls.
 *
 * Warp operations need blocks of one dimension. A kernel without them has blocks of CUDA's shape: the engine then knows
 * which threads are neighbours, and combines their accesses. With indices computed by division, 16 x 16 threads that
 * multiply tiles take 25 times as long (measured: bench/run --twins). */
#include "retarget/lower/launch.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/refuse.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The hidden parameters, in order, and their number. */
enum { BLOCK, DYNAMIC, ENDED, LOCAL_ID, GROUP_ID, HIDDEN };

/* A function, and the values that it has computed in its entry; NULL until they are needed. */
struct frame {
  struct cs_rt_unit *unit;
  LLVMValueRef function;
  LLVMBuilderRef entry;
  LLVMValueRef block;   /* ptr addrspace(1) */
  LLVMValueRef dynamic; /* ptr addrspace(3) */
  LLVMValueRef ended;   /* generic pointer to the flag */
  LLVMValueRef local_id, group_id;
  LLVMValueRef index[3]; /* in the block; in a block of one dimension, index[0] is the thread's number */
  int shaped;
  LLVMValueRef launch[sizeof(struct cs_launch) / 4]; /* u32 fields of the launch block, by offset / 4 */
  LLVMValueRef block_generic, dynamic_generic;
};

static LLVMTypeRef pointer(struct cs_rt_unit *unit, unsigned space) {
  return LLVMPointerTypeInContext(unit->context, space);
}
static LLVMTypeRef byte(struct cs_rt_unit *unit) {
  return LLVMInt8TypeInContext(unit->context);
}

/* --- Hidden parameters --- */

/* Variables are addressed through the launch block (variables.c). */
static int uses_variables(LLVMValueRef value) {
  if (LLVMIsAGlobalVariable(value))
    return 1;
  for (int i = 0; LLVMIsAConstantExpr(value) && i < LLVMGetNumOperands(value); i++)
    if (uses_variables(LLVMGetOperand(value, (unsigned)i)))
      return 1;
  return 0;
}
static int has_variables(LLVMValueRef instruction) {
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (uses_variables(LLVMGetOperand(instruction, (unsigned)i)))
      return 1;
  return 0;
}

/* A primitive is a function that the support library declares and does not define. */
static int calls_primitives(LLVMValueRef function, int depth) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    if (has_variables(i))
      return 1;
    const char *name = cs_rt_callee(i);
    LLVMValueRef callee = name ? LLVMGetCalledValue(i) : NULL;
    if (name && LLVMIsDeclaration(callee)
            ? cs_ir_starts_with(name, CS_IR_SUPPORT_PREFIX)
            : callee && callee != function && depth < 16 && calls_primitives(callee, depth + 1))
      return 1;
  }
  return 0;
}

/* A function of the support library that does not need the launch block keeps its type: later steps may call it
 * again. */
static int is_plain_library(LLVMValueRef function) {
  return cs_ir_starts_with(cs_ir_name(function), CS_IR_SUPPORT_PREFIX) && !calls_primitives(function, 0);
}

static int is_defined_helper(struct cs_rt_unit *unit, LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && function != unit->globals_kernel && !cs_rt_is_kernel(unit, function) &&
         !is_plain_library(function);
}

/* Only add_hidden creates functions that end in these: no other function has a parameter in the shared address
 * space. */
static int has_hidden(LLVMValueRef function) {
  unsigned count = LLVMCountParams(function);
  if (LLVMIsDeclaration(function) || count < HIDDEN)
    return 0;
  LLVMTypeRef dynamic = LLVMTypeOf(LLVMGetParam(function, count - HIDDEN + DYNAMIC));
  return LLVMGetTypeKind(dynamic) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(dynamic) == CS_IR_SPACE_SHARED;
}

static void add_hidden(struct cs_rt_unit *unit, LLVMValueRef old) {
  LLVMTypeRef number = LLVMInt64TypeInContext(unit->context);
  LLVMTypeRef types[HIDDEN] = {pointer(unit, 1), pointer(unit, 3), pointer(unit, 0), number, number};
  LLVMValueRef new = cs_rt_bridge_add_parameters(old, types, HIDDEN);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMUseRef use; (use = LLVMGetFirstUse(old));) {
    LLVMValueRef call = LLVMGetUser(use);
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *args = cs_ir_allocate(count + HIDDEN, sizeof *args);
    for (unsigned i = 0; i < count; i++)
      args[i] = LLVMGetOperand(call, i);
    for (unsigned i = 0; i < HIDDEN; i++) /* pass_hidden replaces them once the caller has its own */
      args[count + i] = LLVMConstNull(types[i]);
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef made = LLVMBuildCall2(builder, LLVMGlobalGetValueType(new), new, args, count + HIDDEN, "");
    LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
    free(args);
  }
  LLVMDisposeBuilder(builder);
  LLVMDeleteFunction(old);
}

static void add_all_hidden(struct cs_rt_unit *unit) {
  LLVMValueRef *helpers = NULL;
  unsigned count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (is_defined_helper(unit, f))
      cs_ir_push(helpers, count, f);
  for (unsigned i = 0; i < count; i++)
    add_hidden(unit, helpers[i]);
  free(helpers);
}

/* --- Values of a function --- */

static struct frame open_frame(struct cs_rt_unit *unit, LLVMValueRef function) {
  struct frame f = {.unit = unit, .function = function, .entry = LLVMCreateBuilderInContext(unit->context)};
  unsigned count = LLVMCountParams(function);
  if (has_hidden(function)) {
    f.block = LLVMGetParam(function, count - HIDDEN + BLOCK);
    f.dynamic = LLVMGetParam(function, count - HIDDEN + DYNAMIC);
    f.ended = LLVMGetParam(function, count - HIDDEN + ENDED);
    f.local_id = LLVMGetParam(function, count - HIDDEN + LOCAL_ID);
    f.group_id = LLVMGetParam(function, count - HIDDEN + GROUP_ID);
  } else if (cs_rt_is_kernel(unit, function)) {
    f.block = LLVMGetParam(function, 0);
    f.dynamic = LLVMGetParam(function, 1);
  }
  return f;
}

LLVMValueRef cs_rt_launch_block(struct cs_rt_unit *unit, LLVMValueRef function) {
  if (has_hidden(function))
    return LLVMGetParam(function, LLVMCountParams(function) - HIDDEN + BLOCK);
  return cs_rt_is_kernel(unit, function) ? LLVMGetParam(function, 0) : NULL;
}

/* Positions the builder again for each value, since instructions come and go. */
static LLVMBuilderRef at_entry(struct frame *f) {
  cs_rt_position_at_start(f->entry, f->function);
  return f->entry;
}

/* A kernel allocates its flag when it is first needed. */
static LLVMValueRef ended_flag(struct frame *f) {
  if (!f->ended) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->unit->context);
    LLVMPositionBuilderBefore(builder, cs_ir_first(f->function));
    f->ended = LLVMBuildAlloca(builder, byte(f->unit), "ended");
    LLVMDisposeBuilder(builder);
    LLVMBuildStore(at_entry(f), LLVMConstNull(byte(f->unit)), f->ended);
  }
  return f->ended;
}

/* A kernel calls the engine when the value is first needed. */
static LLVMValueRef engine_id(struct frame *f, LLVMValueRef *cached, const char *name, unsigned of_dimension) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(f->unit->context);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(f->unit->context), &i32, 1, 0);
  if (!*cached) {
    LLVMValueRef function = LLVMGetNamedFunction(f->unit->module, name);
    if (!function)
      function = LLVMAddFunction(f->unit->module, name, type);
    LLVMValueRef dimension = LLVMConstInt(i32, of_dimension, 0);
    *cached = LLVMBuildCall2(at_entry(f), type, function, &dimension, 1, "");
  }
  return *cached;
}

/* A u32 of struct cs_launch at this offset. */
static LLVMValueRef launch_u32(struct frame *f, size_t offset) {
  LLVMValueRef *value = &f->launch[offset / sizeof(cs_u32)];
  if (!*value) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(f->unit->context);
    LLVMValueRef at = LLVMConstInt(i32, offset / sizeof(cs_u32), 0);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(at_entry(f), i32, f->block, &at, 1, "");
    *value = LLVMBuildLoad2(f->entry, i32, address, "");
  }
  return *value;
}

static LLVMValueRef generic(struct frame *f, LLVMValueRef *cached, LLVMValueRef from) {
  if (!*cached)
    *cached = LLVMBuildAddrSpaceCast(at_entry(f), from, pointer(f->unit, 0), "");
  return *cached;
}

/* --- The thread's index in its block --- */

static LLVMValueRef local_index(struct frame *f, LLVMBuilderRef builder, unsigned dimension) {
  LLVMValueRef whole =
      has_hidden(f->function) ? f->local_id : engine_id(f, &f->index[dimension], CS_RT_ENGINE_LOCAL_ID, dimension);
  return LLVMBuildTrunc(builder, whole, LLVMInt32TypeInContext(f->unit->context), "");
}

static LLVMValueRef thread_number(struct frame *f, LLVMBuilderRef builder) {
  if (!f->shaped)
    return local_index(f, builder, 0);
  LLVMValueRef rows =
      LLVMBuildMul(builder, local_index(f, builder, 2), launch_u32(f, offsetof(struct cs_launch, block[1])), "");
  rows = LLVMBuildAdd(builder, rows, local_index(f, builder, 1), "");
  return LLVMBuildAdd(builder, LLVMBuildMul(builder, rows, launch_u32(f, offsetof(struct cs_launch, block[0])), ""),
                      local_index(f, builder, 0), "");
}

static LLVMValueRef thread_index(struct frame *f, LLVMBuilderRef builder, unsigned dimension) {
  if (f->shaped)
    return local_index(f, builder, dimension);
  LLVMValueRef number = local_index(f, builder, 0), x = launch_u32(f, offsetof(struct cs_launch, block[0]));
  if (dimension == 0)
    return LLVMBuildURem(builder, number, x, "");
  LLVMValueRef row = LLVMBuildUDiv(builder, number, x, ""), y = launch_u32(f, offsetof(struct cs_launch, block[1]));
  return dimension == 1 ? LLVMBuildURem(builder, row, y, "") : LLVMBuildUDiv(builder, row, y, "");
}

/* --- The shared memory of kernels that synchronise their grid (grid.c) --- */

/* The address of the block's shared memory, as an integer. */
static LLVMValueRef grid_shared(struct frame *f, LLVMBuilderRef builder, LLVMValueRef grid) {
  LLVMValueRef bytes = cs_rt_load_u64(f->unit, builder, grid, offsetof(struct cs_grid, shared_bytes));
  LLVMValueRef group = engine_id(f, &f->group_id, CS_RT_ENGINE_GROUP_ID, 0);
  return LLVMBuildAdd(builder, cs_rt_load_u64(f->unit, builder, grid, offsetof(struct cs_grid, shared)),
                      LLVMBuildMul(builder, group, bytes, ""), "");
}

/* Replaces the engine's dynamic shared memory, which may be at another address in each phase. */
static void move_dynamic(struct frame *f, const struct cs_rt_kernel *kernel) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(f->unit->context);
  engine_id(f, &f->group_id, CS_RT_ENGINE_GROUP_ID, 0);
  LLVMValueRef old = f->dynamic, after = LLVMGetNextInstruction(f->group_id);
  cs_u64 align = CS_GRID_SHARED_ALIGN, before = (kernel->static_shared + align - 1) / align * align;
  LLVMPositionBuilderBefore(f->entry, after);
  LLVMValueRef grid = cs_rt_load_u64(f->unit, f->entry, f->block, offsetof(struct cs_launch, phases));
  grid = LLVMBuildIntToPtr(f->entry, grid, pointer(f->unit, 1), "");
  LLVMValueRef at = LLVMBuildAdd(f->entry, grid_shared(f, f->entry, grid), LLVMConstInt(i64, before, 0), "");
  f->dynamic = LLVMBuildIntToPtr(f->entry, at, LLVMTypeOf(old), "");
  f->dynamic_generic = LLVMBuildIntToPtr(f->entry, at, pointer(f->unit, 0), "");
  LLVMReplaceAllUsesWith(old, f->dynamic);
}

/* --- Shared memory's range: the dynamic part, and every static variable --- */

static LLVMValueRef in_range(LLVMBuilderRef builder, struct cs_rt_unit *unit, LLVMValueRef address, LLVMValueRef start,
                             LLVMValueRef size) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(unit->context);
  start = LLVMBuildPtrToInt(builder, start, i64, "");
  LLVMValueRef offset = LLVMBuildSub(builder, address, start, "");
  return LLVMBuildICmp(builder, LLVMIntULT, offset, LLVMBuildIntCast2(builder, size, i64, 0, ""), "");
}

static int has_framed(const struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (unit->kernels[i].framed)
      return 1;
  return 0;
}
static LLVMValueRef in_grid_shared(struct frame *f, LLVMBuilderRef builder, LLVMValueRef address) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef grid = cs_rt_load_u64(f->unit, builder, f->block, offsetof(struct cs_launch, phases));
  LLVMValueRef is_one = LLVMBuildICmp(builder, LLVMIntNE, grid, LLVMConstNull(i64), "");
  grid = LLVMBuildIntToPtr(builder, grid, pointer(f->unit, 1), "");
  grid = LLVMBuildSelect(builder, is_one, grid, f->block, ""); /* readable; the result is not used then */
  LLVMValueRef offset = LLVMBuildSub(builder, address, grid_shared(f, builder, grid), "");
  LLVMValueRef bytes = cs_rt_load_u64(f->unit, builder, grid, offsetof(struct cs_grid, shared_bytes));
  return LLVMBuildAnd(builder, is_one, LLVMBuildICmp(builder, LLVMIntULT, offset, bytes, ""), "");
}

/* Whether the variable may be one of this kernel's: the kernel uses it, or a function that is not inlined does. Those
 * of the runtime use only what this test has given them; they do not know their kernel (bridge/spirv.cpp does). */
static int is_used_here(struct frame *f, LLVMValueRef value) { // NOLINT(misc-no-recursion): constant expressions
  if (!cs_rt_is_kernel(f->unit, f->function))
    return 1;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    LLVMValueRef in = LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) : NULL;
    if (in == f->function || (in && !cs_rt_is_kernel(f->unit, in) && !cs_rt_is_of_runtime(cs_ir_name(in))))
      return 1;
    if (!in && LLVMIsAConstantExpr(user) && is_used_here(f, user))
      return 1;
  }
  return 0;
}

static LLVMValueRef in_shared(struct frame *f, LLVMBuilderRef builder, LLVMValueRef tested) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef address = LLVMBuildPtrToInt(builder, tested, i64, "");
  LLVMValueRef found =
      in_range(builder, f->unit, address, f->dynamic, launch_u32(f, offsetof(struct cs_launch, dynamic_shared)));
  for (LLVMValueRef g = LLVMGetFirstGlobal(f->unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (cs_ir_space_of(g) != CS_IR_SPACE_SHARED || LLVMIsDeclaration(g) || !is_used_here(f, g))
      continue;
    LLVMValueRef size = LLVMConstInt(i64, LLVMABISizeOfType(f->unit->layout, LLVMGlobalGetValueType(g)), 0);
    found = LLVMBuildOr(builder, found, in_range(builder, f->unit, address, g, size), "");
  }
  if (has_framed(f->unit)) /* a helper does not know its kernel */
    found = LLVMBuildOr(builder, found, in_grid_shared(f, builder, address), "");
  return LLVMBuildZExt(builder, found, LLVMInt32TypeInContext(f->unit->context), "");
}

/* The address is compared with the stack variables that escape. The stacks of other functions are not visible here, so
 * helpers are refused. */
static LLVMValueRef in_local(struct frame *f, LLVMBuilderRef builder, LLVMValueRef call) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef address = LLVMBuildPtrToInt(builder, LLVMGetOperand(call, 0), i64, "");
  LLVMValueRef found = LLVMConstNull(LLVMInt1TypeInContext(f->unit->context));
  const struct cs_rt_kernel *kernel = cs_rt_kernel_of(f->unit, f->function);
  if (!kernel)
    cs_rt_refuse(f->unit, call, "isspacep.local in a recursive function");
  else if (kernel->framed)
    cs_rt_refuse(f->unit, call, "isspacep.local in a kernel that synchronises its grid");
  for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->function)); i;
       i = LLVMGetNextInstruction(i)) {
    if (!LLVMIsAAllocaInst(i) || !cs_rt_bridge_escapes(i))
      continue;
    LLVMValueRef size = LLVMConstInt(i64, LLVMABISizeOfType(f->unit->layout, LLVMGetAllocatedType(i)), 0);
    found = LLVMBuildOr(builder, found, in_range(builder, f->unit, address, i, size), "");
  }
  return LLVMBuildZExt(builder, found, LLVMInt32TypeInContext(f->unit->context), "");
}

/* --- Rewriting --- */

static void return_nothing(struct frame *f, LLVMBuilderRef builder) {
  LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f->function));
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, LLVMConstNull(result));
}

/* In a kernel the thread returns; elsewhere it also sets its flag, so that the callers return. */
static void end_thread(struct frame *f, LLVMValueRef call) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->unit->context);
  cs_rt_bridge_truncate(call);
  LLVMPositionBuilderAtEnd(builder, block);
  if (has_hidden(f->function))
    LLVMBuildStore(builder, LLVMConstInt(byte(f->unit), 1, 0), ended_flag(f));
  return_nothing(f, builder);
  LLVMDisposeBuilder(builder);
}

static void pass_hidden(struct frame *f, LLVMValueRef call) {
  unsigned count = LLVMGetNumArgOperands(call);
  LLVMSetOperand(call, count - HIDDEN + BLOCK, f->block);
  LLVMSetOperand(call, count - HIDDEN + DYNAMIC, f->dynamic);
  LLVMSetOperand(call, count - HIDDEN + ENDED, ended_flag(f));
  LLVMSetOperand(call, count - HIDDEN + LOCAL_ID, engine_id(f, &f->local_id, CS_RT_ENGINE_LOCAL_ID, 0));
  LLVMSetOperand(call, count - HIDDEN + GROUP_ID, engine_id(f, &f->group_id, CS_RT_ENGINE_GROUP_ID, 0));
}

static void return_if_ended(struct frame *f, LLVMValueRef call) {
  LLVMBasicBlockRef before = LLVMGetInstructionParent(call);
  LLVMBasicBlockRef after = cs_rt_bridge_split_before(LLVMGetNextInstruction(call));
  LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(f->unit->context, f->function, "ended");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->unit->context);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
  LLVMPositionBuilderAtEnd(builder, before);
  LLVMValueRef flag = LLVMBuildLoad2(builder, byte(f->unit), ended_flag(f), "");
  LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, flag, LLVMConstNull(byte(f->unit)), ""), leave, after);
  LLVMPositionBuilderAtEnd(builder, leave);
  return_nothing(f, builder);
  LLVMDisposeBuilder(builder);
}

static int calls_named(LLVMValueRef function, const char *name, LLVMValueRef **calls, unsigned *count) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    const char *callee = cs_rt_callee(i);
    if (!callee || (name && strcmp(callee, name) != 0))
      continue;
    cs_ir_push(*calls, *count, i);
  }
  return *count != 0;
}

/* Functions that may end a thread: those that do, and those that call them. */
static int may_end(struct cs_rt_unit *unit, LLVMValueRef function, int depth) {
  LLVMValueRef *calls = NULL;
  unsigned count = 0;
  int ends = calls_named(function, "__cr_exit", &calls, &count);
  if (!ends && depth < 64 && calls_named(function, NULL, &calls, &count))
    for (unsigned i = 0; i < count && !ends; i++) {
      LLVMValueRef callee = LLVMGetCalledValue(calls[i]);
      ends = callee != function && is_defined_helper(unit, callee) && may_end(unit, callee, depth + 1);
    }
  free(calls);
  return ends;
}

static void rewrite_call(struct frame *f, LLVMValueRef call) {
  const char *name = cs_rt_callee(call);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->unit->context);
  LLVMPositionBuilderBefore(builder, call);
  LLVMValueRef value = NULL;
  if (strcmp(name, "__cr_block") == 0)
    value = generic(f, &f->block_generic, f->block);
  else if (strcmp(name, "__cr_dynamic") == 0)
    value = generic(f, &f->dynamic_generic, f->dynamic);
  else if (strcmp(name, "__cr_launch_u32") == 0)
    value = launch_u32(f, LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)));
  else if (strcmp(name, "__cr_local_id") == 0)
    value = thread_number(f, builder);
  else if (strcmp(name, "__cr_tid") == 0)
    value = thread_index(f, builder, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)));
  else if (strcmp(name, CS_RT_ENGINE_LOCAL_ID) == 0)
    value = f->local_id; /* NULL in a kernel: the call stays */
  else if (strcmp(name, CS_RT_ENGINE_GROUP_ID) == 0)
    value = f->group_id;
  else if (strcmp(name, "__cr_in_shared") == 0)
    value = in_shared(f, builder, LLVMGetOperand(call, 0));
  else if (strcmp(name, "__cr_in_local") == 0)
    value = in_local(f, builder, call);
  if (value && value != call) { /* they are the same if the kernel's value is this call of the engine */
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
  }
  LLVMDisposeBuilder(builder);
}

int cs_rt_lower_exits(struct cs_rt_unit *unit) {
  add_all_hidden(unit);
  LLVMValueRef *ending = NULL;
  unsigned ending_count = 0;
  for (LLVMValueRef fn = LLVMGetFirstFunction(unit->module); fn; fn = LLVMGetNextFunction(fn))
    if (is_defined_helper(unit, fn) && may_end(unit, fn, 0))
      cs_ir_push(ending, ending_count, fn);
  for (LLVMValueRef fn = LLVMGetFirstFunction(unit->module); fn; fn = LLVMGetNextFunction(fn)) {
    if (LLVMIsDeclaration(fn) || fn == unit->globals_kernel)
      continue;
    struct frame frame = open_frame(unit, fn);
    LLVMValueRef *calls = NULL;
    unsigned count = 0;
    calls_named(fn, NULL, &calls, &count);
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef callee = LLVMGetCalledValue(calls[i]);
      if (!has_hidden(callee))
        continue;
      pass_hidden(&frame, calls[i]);
      for (unsigned k = 0; k < ending_count; k++)
        if (ending[k] == callee)
          return_if_ended(&frame, calls[i]);
    }
    free(calls);
    calls = NULL;
    for (count = 0; calls_named(fn, "__cr_exit", &calls, &count); count = 0) /* removing one may remove others */
      end_thread(&frame, calls[0]);
    free(calls);
    LLVMDisposeBuilder(frame.entry);
  }
  free(ending);
  return 0;
}

/* Warp operations need blocks of one dimension; in functions that were not inlined they are refused (check.c). */
static int can_be_shaped(LLVMValueRef kernel) {
  LLVMValueRef *calls = NULL;
  unsigned count = 0;
  int can = 1;
  calls_named(kernel, NULL, &calls, &count);
  for (unsigned i = 0; i < count; i++)
    can &= !cs_rt_is_warp_call(LLVMGetCalledValue(calls[i]));
  free(calls);
  return can;
}

/* A function that was not inlined takes the thread's number: lower-exits has passed its first index. */
static void pass_number(struct frame *f, LLVMValueRef call) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->unit->context);
  LLVMPositionBuilderBefore(builder, call);
  LLVMValueRef number = thread_number(f, builder);
  number = LLVMBuildZExt(builder, number, LLVMInt64TypeInContext(f->unit->context), "");
  LLVMSetOperand(call, LLVMGetNumArgOperands(call) - HIDDEN + LOCAL_ID, number);
  LLVMDisposeBuilder(builder);
}

static int is_shaped(const struct cs_rt_unit *unit, LLVMValueRef function) {
  const struct cs_rt_kernel *kernel = cs_rt_kernel_of(unit, function);
  return kernel && kernel->shaped;
}

int cs_rt_lower_launch(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    unit->kernels[i].shaped =
        !unit->kernels[i].phases && !unit->kernels[i].in_step && can_be_shaped(unit->kernels[i].function);
  for (LLVMValueRef fn = LLVMGetFirstFunction(unit->module); fn; fn = LLVMGetNextFunction(fn)) {
    if (LLVMIsDeclaration(fn) || fn == unit->globals_kernel)
      continue;
    struct frame frame = open_frame(unit, fn);
    frame.shaped = is_shaped(unit, fn);
    LLVMValueRef *calls = NULL;
    unsigned count = 0;
    const struct cs_rt_kernel *kernel = cs_rt_kernel_of(unit, fn);
    if (kernel && kernel->framed)
      move_dynamic(&frame, kernel);
    if (frame.block) /* functions of the support library without the launch block call no primitives */
      calls_named(fn, NULL, &calls, &count);
    for (unsigned i = 0; i < count; i++)
      if (frame.shaped && has_hidden(LLVMGetCalledValue(calls[i])))
        pass_number(&frame, calls[i]);
      else
        rewrite_call(&frame, calls[i]);
    free(calls);
    LLVMDisposeBuilder(frame.entry);
  }
  return 0;
}
