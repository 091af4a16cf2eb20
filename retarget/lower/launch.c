/* launch.c: the primitives of the support library: the launch block, dynamic shared memory, and the end of a thread.
 *
 * A kernel has the first two as its arguments. Functions that were not inlined take them as hidden parameters, and a third
 * one that points to a flag of the thread: set when it has ended inside, so that every caller returns as well. They also take
 * the thread's place in its block and the block's in the grid: engines lose those on the way through a recursion.
 *
 * A kernel without warp operations, which would need blocks to be ranges of one dimension, has blocks of CUDA's shape: the
 * engine then knows which threads are neighbours, and makes one access of theirs. With indices that come by division, 16 x 16
 * threads that multiply tiles take 25 times as long (measured: bench/run --twins). */
#include "cusafe/ir.h"
#include "retarget/retarget.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK, DYNAMIC, ENDED, LOCAL_ID, GROUP_ID, HIDDEN };

/* OpenCL's own functions. */
#define ENGINE_LOCAL_ID "_Z12get_local_idj"
#define ENGINE_GROUP_ID "_Z12get_group_idj"

struct frame {
  struct cs_rt_unit *unit;
  LLVMValueRef function;
  LLVMBuilderRef entry;
  LLVMValueRef block;   /* ptr addrspace(1) */
  LLVMValueRef dynamic; /* ptr addrspace(3) */
  LLVMValueRef ended;   /* generic pointer to the flag */
  LLVMValueRef local_id, group_id;
  LLVMValueRef place[3]; /* in a block of CUDA's shape; place[0] is the whole place in one of one dimension */
  int shaped;
  LLVMValueRef words[CS_LAUNCH_PARAMS / 4];
  LLVMValueRef block_generic, dynamic_generic;
};

static LLVMTypeRef pointer(struct cs_rt_unit *unit, unsigned space) {
  return LLVMPointerTypeInContext(unit->context, space);
}
static LLVMTypeRef byte(struct cs_rt_unit *unit) {
  return LLVMInt8TypeInContext(unit->context);
}

/* --- Hidden parameters --- */

/* Variables are found through the launch's block (reach.c). */
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

/* The primitives are what the library declares and nobody defines. */
static int calls_primitives(LLVMValueRef function, int depth) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      if (has_variables(i))
        return 1;
      const char *name = cs_rt_callee(i);
      LLVMValueRef callee = name ? LLVMGetCalledValue(i) : NULL;
      if (name && LLVMIsDeclaration(callee)
              ? cs_rt_starts_with(name, CS_IR_SUPPORT_PREFIX)
              : callee && callee != function && depth < 16 && calls_primitives(callee, depth + 1))
        return 1;
    }
  return 0;
}

/* A function of the library that knows nothing of the launch: it keeps its type, since later steps may call it again. */
static int is_plain_library(LLVMValueRef function) {
  size_t length;
  return cs_rt_starts_with(LLVMGetValueName2(function, &length), CS_IR_SUPPORT_PREFIX) &&
         !calls_primitives(function, 0);
}

static int is_defined_helper(struct cs_rt_unit *unit, LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && function != unit->globals_kernel && !cs_rt_is_kernel(unit, function) &&
         !is_plain_library(function);
}

/* Only add_hidden makes functions that end in these: nothing else takes a pointer into shared memory by type. */
static int has_hidden(LLVMValueRef function) {
  unsigned count = LLVMCountParams(function);
  if (LLVMIsDeclaration(function) || count < HIDDEN)
    return 0;
  LLVMTypeRef dynamic = LLVMTypeOf(LLVMGetParam(function, count - HIDDEN + DYNAMIC));
  return LLVMGetTypeKind(dynamic) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(dynamic) == CS_RT_SHARED_SPACE;
}

static void add_hidden(struct cs_rt_unit *unit, LLVMValueRef old) {
  LLVMTypeRef number = LLVMInt64TypeInContext(unit->context);
  LLVMTypeRef types[HIDDEN] = {pointer(unit, 1), pointer(unit, 3), pointer(unit, 0), number, number};
  LLVMValueRef new = cs_rt_bridge_add_parameters(old, types, HIDDEN);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMUseRef use; (use = LLVMGetFirstUse(old));) {
    LLVMValueRef call = LLVMGetUser(use);
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *args = cs_rt_allocate(count + HIDDEN, sizeof *args);
    for (unsigned i = 0; i < count; i++)
      args[i] = LLVMGetOperand(call, i);
    for (unsigned i = 0; i < HIDDEN; i++) /* filled in by pass_hidden, once the caller's own are known */
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
    if (is_defined_helper(unit, f)) {
      helpers = cs_rt_grow(helpers, count, sizeof *helpers);
      helpers[count++] = f;
    }
  for (unsigned i = 0; i < count; i++)
    add_hidden(unit, helpers[i]);
  free(helpers);
}

/* --- Values of a function --- */

static LLVMValueRef first_after_allocas(LLVMValueRef function) {
  LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  while (LLVMIsAAllocaInst(i))
    i = LLVMGetNextInstruction(i);
  return i;
}

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

/* Where values for the whole function are computed; found anew each time, since instructions come and go. */
static LLVMBuilderRef at_entry(struct frame *f) {
  LLVMPositionBuilderBefore(f->entry, first_after_allocas(f->function));
  return f->entry;
}

/* A kernel's flag is made when it is first needed. */
static LLVMValueRef ended_flag(struct frame *f) {
  if (!f->ended) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->unit->context);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->function)));
    f->ended = LLVMBuildAlloca(builder, byte(f->unit), "ended");
    LLVMDisposeBuilder(builder);
    LLVMBuildStore(at_entry(f), LLVMConstNull(byte(f->unit)), f->ended);
  }
  return f->ended;
}

/* What a kernel asks the engine for when it is first needed. */
static LLVMValueRef engine_id(struct frame *f, LLVMValueRef *cached, const char *name, unsigned of_dimension) {
  LLVMTypeRef word = LLVMInt32TypeInContext(f->unit->context);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(f->unit->context), &word, 1, 0);
  if (!*cached) {
    LLVMValueRef function = LLVMGetNamedFunction(f->unit->module, name);
    if (!function)
      function = LLVMAddFunction(f->unit->module, name, type);
    LLVMValueRef dimension = LLVMConstInt(word, of_dimension, 0);
    *cached = LLVMBuildCall2(at_entry(f), type, function, &dimension, 1, "");
  }
  return *cached;
}

static LLVMValueRef launch_word(struct frame *f, unsigned index) {
  if (!f->words[index]) {
    LLVMTypeRef word = LLVMInt32TypeInContext(f->unit->context);
    LLVMValueRef at = LLVMConstInt(word, index, 0);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(at_entry(f), word, f->block, &at, 1, "");
    f->words[index] = LLVMBuildLoad2(f->entry, word, address, "");
  }
  return f->words[index];
}

static LLVMValueRef generic(struct frame *f, LLVMValueRef *cached, LLVMValueRef from) {
  if (!*cached)
    *cached = LLVMBuildAddrSpaceCast(at_entry(f), from, pointer(f->unit, 0), "");
  return *cached;
}

/* --- The thread's place in its block --- */

enum { BLOCK_X = 3, BLOCK_Y = 4 }; /* words of struct cs_launch */

static LLVMValueRef place(struct frame *f, LLVMBuilderRef builder, unsigned dimension) {
  LLVMValueRef whole =
      has_hidden(f->function) ? f->local_id : engine_id(f, &f->place[dimension], ENGINE_LOCAL_ID, dimension);
  return LLVMBuildTrunc(builder, whole, LLVMInt32TypeInContext(f->unit->context), "");
}

static LLVMValueRef thread_number(struct frame *f, LLVMBuilderRef builder) {
  if (!f->shaped)
    return place(f, builder, 0);
  LLVMValueRef rows = LLVMBuildMul(builder, place(f, builder, 2), launch_word(f, BLOCK_Y), "");
  rows = LLVMBuildAdd(builder, rows, place(f, builder, 1), "");
  return LLVMBuildAdd(builder, LLVMBuildMul(builder, rows, launch_word(f, BLOCK_X), ""), place(f, builder, 0), "");
}

static LLVMValueRef thread_index(struct frame *f, LLVMBuilderRef builder, unsigned dimension) {
  if (f->shaped)
    return place(f, builder, dimension);
  LLVMValueRef number = place(f, builder, 0), x = launch_word(f, BLOCK_X);
  if (dimension == 0)
    return LLVMBuildURem(builder, number, x, "");
  LLVMValueRef row = LLVMBuildUDiv(builder, number, x, ""), y = launch_word(f, BLOCK_Y);
  return dimension == 1 ? LLVMBuildURem(builder, row, y, "") : LLVMBuildUDiv(builder, row, y, "");
}

/* --- The shared memory of kernels that synchronise their grid (grid.c) --- */

/* Where the block's begins, as a number; the grid is at this address. */
static LLVMValueRef grid_shared(struct frame *f, LLVMBuilderRef builder, LLVMValueRef grid) {
  LLVMValueRef bytes = cs_rt_load_word(f->unit, builder, grid, offsetof(struct cs_grid, shared_bytes));
  LLVMValueRef group = engine_id(f, &f->group_id, ENGINE_GROUP_ID, 0);
  return LLVMBuildAdd(builder, cs_rt_load_word(f->unit, builder, grid, offsetof(struct cs_grid, shared)),
                      LLVMBuildMul(builder, group, bytes, ""), "");
}

/* Instead of the engine's, which may be another in each phase. */
static void move_dynamic(struct frame *f, const struct cs_rt_kernel *kernel) {
  LLVMTypeRef word = LLVMInt64TypeInContext(f->unit->context);
  engine_id(f, &f->group_id, ENGINE_GROUP_ID, 0);
  LLVMValueRef old = f->dynamic, after = LLVMGetNextInstruction(f->group_id);
  cs_u64 align = CS_GRID_SHARED_ALIGN, before = (kernel->static_shared + align - 1) / align * align;
  LLVMPositionBuilderBefore(f->entry, after);
  LLVMValueRef grid = cs_rt_load_word(f->unit, f->entry, f->block, offsetof(struct cs_launch, phases));
  grid = LLVMBuildIntToPtr(f->entry, grid, pointer(f->unit, 1), "");
  LLVMValueRef at = LLVMBuildAdd(f->entry, grid_shared(f, f->entry, grid), LLVMConstInt(word, before, 0), "");
  f->dynamic = LLVMBuildIntToPtr(f->entry, at, LLVMTypeOf(old), "");
  f->dynamic_generic = LLVMBuildIntToPtr(f->entry, at, pointer(f->unit, 0), "");
  LLVMReplaceAllUsesWith(old, f->dynamic);
}

/* --- Shared memory's range: the dynamic part, and every static variable --- */

static LLVMValueRef in_range(LLVMBuilderRef builder, struct cs_rt_unit *unit, LLVMValueRef address, LLVMValueRef start,
                             LLVMValueRef size) {
  LLVMTypeRef word = LLVMInt64TypeInContext(unit->context);
  start = LLVMBuildPtrToInt(builder, start, word, "");
  LLVMValueRef offset = LLVMBuildSub(builder, address, start, "");
  return LLVMBuildICmp(builder, LLVMIntULT, offset, LLVMBuildIntCast2(builder, size, word, 0, ""), "");
}

static int has_framed(const struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (unit->kernels[i].framed)
      return 1;
  return 0;
}
static LLVMValueRef in_grid_shared(struct frame *f, LLVMBuilderRef builder, LLVMValueRef address) {
  LLVMTypeRef word = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef grid = cs_rt_load_word(f->unit, builder, f->block, offsetof(struct cs_launch, phases));
  LLVMValueRef is_one = LLVMBuildICmp(builder, LLVMIntNE, grid, LLVMConstNull(word), "");
  grid = LLVMBuildIntToPtr(builder, grid, pointer(f->unit, 1), "");
  grid = LLVMBuildSelect(builder, is_one, grid, f->block, ""); /* readable, whatever it means */
  LLVMValueRef offset = LLVMBuildSub(builder, address, grid_shared(f, builder, grid), "");
  LLVMValueRef bytes = cs_rt_load_word(f->unit, builder, grid, offsetof(struct cs_grid, shared_bytes));
  return LLVMBuildAnd(builder, is_one, LLVMBuildICmp(builder, LLVMIntULT, offset, bytes, ""), "");
}

static LLVMValueRef in_shared(struct frame *f, LLVMBuilderRef builder, LLVMValueRef asked) {
  LLVMTypeRef word = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef address = LLVMBuildPtrToInt(builder, asked, word, "");
  LLVMValueRef found = in_range(builder, f->unit, address, f->dynamic, launch_word(f, 6));
  for (LLVMValueRef g = LLVMGetFirstGlobal(f->unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != CS_RT_SHARED_SPACE || LLVMIsDeclaration(g))
      continue;
    LLVMValueRef size = LLVMConstInt(word, LLVMABISizeOfType(f->unit->layout, LLVMGlobalGetValueType(g)), 0);
    found = LLVMBuildOr(builder, found, in_range(builder, f->unit, address, g, size), "");
  }
  if (has_framed(f->unit)) /* a helper does not know which kernel has called it */
    found = LLVMBuildOr(builder, found, in_grid_shared(f, builder, address), "");
  return LLVMBuildZExt(builder, found, LLVMInt32TypeInContext(f->unit->context), "");
}

/* Only what is still in memory can have an address that somebody asks for. Another function's stack is not seen from here:
 * refused. */
static LLVMValueRef in_local(struct frame *f, LLVMBuilderRef builder, LLVMValueRef call) {
  LLVMTypeRef word = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef address = LLVMBuildPtrToInt(builder, LLVMGetOperand(call, 0), word, "");
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
    LLVMValueRef size = LLVMConstInt(word, LLVMABISizeOfType(f->unit->layout, LLVMGetAllocatedType(i)), 0);
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

/* In a kernel the thread simply returns; elsewhere its flag tells the callers. */
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
  LLVMSetOperand(call, count - HIDDEN + LOCAL_ID, engine_id(f, &f->local_id, ENGINE_LOCAL_ID, 0));
  LLVMSetOperand(call, count - HIDDEN + GROUP_ID, engine_id(f, &f->group_id, ENGINE_GROUP_ID, 0));
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
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      const char *callee = cs_rt_callee(i);
      if (!callee || (name && strcmp(callee, name) != 0))
        continue;
      *calls = cs_rt_grow(*calls, *count, sizeof **calls);
      (*calls)[(*count)++] = i;
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
  else if (strcmp(name, "__cr_word") == 0)
    value = launch_word(f, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)));
  else if (strcmp(name, "__cr_local_id") == 0)
    value = thread_number(f, builder);
  else if (strcmp(name, "__cr_tid") == 0)
    value = thread_index(f, builder, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)));
  else if (strcmp(name, ENGINE_LOCAL_ID) == 0)
    value = f->local_id; /* in a kernel there is none, and the call stays */
  else if (strcmp(name, ENGINE_GROUP_ID) == 0)
    value = f->group_id;
  else if (strcmp(name, "__cr_in_shared") == 0)
    value = in_shared(f, builder, LLVMGetOperand(call, 0));
  else if (strcmp(name, "__cr_in_local") == 0)
    value = in_local(f, builder, call);
  if (value && value != call) { /* a kernel's own question to the engine is its answer */
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
  }
  LLVMDisposeBuilder(builder);
}

/* Before inlined code is looked at for barriers: an ended thread is one that has returned. */
int cs_rt_lower_exits(struct cs_rt_unit *unit) {
  add_all_hidden(unit);
  LLVMValueRef *ending = NULL;
  unsigned ending_count = 0;
  for (LLVMValueRef fn = LLVMGetFirstFunction(unit->module); fn; fn = LLVMGetNextFunction(fn))
    if (is_defined_helper(unit, fn) && may_end(unit, fn, 0)) {
      ending = cs_rt_grow(ending, ending_count, sizeof *ending);
      ending[ending_count++] = fn;
    }
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
    for (count = 0; calls_named(fn, "__cr_exit", &calls, &count); count = 0) /* each one may cut off others */
      end_thread(&frame, calls[0]);
    free(calls);
    LLVMDisposeBuilder(frame.entry);
  }
  free(ending);
  return 0;
}

/* Warp operations are for threads in one dimension; in functions that were not inlined they are refused anyway (check.c). */
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

/* A function that was not inlined knows a thread by its number: cs_rt_lower_exits has passed its first index. */
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
    if (frame.block) /* the library's loops over memory know nothing of the launch */
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
