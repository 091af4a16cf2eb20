/* barriers.c: __syncthreads and its relatives.
 *
 * The engine's barrier must be reached by all threads of a block together. CUDA's need not: threads that have returned do
 * not take part, and different barrier calls may meet. Where all threads provably arrive together the engine's barrier is
 * used as it is. Otherwise the kernel becomes a state machine around a single barrier: a thread that arrives (or returns)
 * notes where it goes on, waits, and then continues there; the loop ends when every thread has returned. Threads start
 * through the same dispatch, so that the loop has one entry: the engine does not vectorise others. */
#include "retarget/retarget.h"
#include <stdlib.h>
#include <string.h>

struct barriers {
  struct cs_unit *unit;
  LLVMValueRef function;
  LLVMValueRef *calls;
  unsigned count;
  int reduces; /* one of them counts predicates */
};

static int is_barrier(const char *name) {
  return name && cs_starts_with(name, "llvm.nvvm.barrier.cta.");
}
/* What all threads of the block may share: bar.sync and bar.red over the whole block. */
static int is_supported(const char *name) {
  return (cs_starts_with(name, "llvm.nvvm.barrier.cta.sync.") || cs_starts_with(name, "llvm.nvvm.barrier.cta.red.")) &&
         strcmp(name + strlen(name) - 4, ".all") == 0;
}
static int is_reduction(LLVMValueRef call) {
  return cs_starts_with(cs_callee(call), "llvm.nvvm.barrier.cta.red.");
}

static LLVMTypeRef u32(struct barriers *b) {
  return LLVMInt32TypeInContext(b->unit->context);
}

static LLVMValueRef engine_call(struct barriers *b, LLVMBuilderRef builder, const char *name, LLVMTypeRef result,
                                LLVMValueRef argument) {
  LLVMTypeRef param = u32(b), type = LLVMFunctionType(result, &param, 1, 0);
  LLVMValueRef function = cs_engine_function(b->unit, name, type, 1);
  return LLVMBuildCall2(builder, type, function, &argument, 1, "");
}
static void wait(struct barriers *b, LLVMBuilderRef builder) {
  LLVMValueRef local_and_global = LLVMConstInt(u32(b), 3, 0);
  engine_call(b, builder, "_Z7barrierj", LLVMVoidTypeInContext(b->unit->context), local_and_global);
}
static LLVMValueRef count_true(struct barriers *b, LLVMBuilderRef builder, LLVMValueRef word) {
  return engine_call(b, builder, "_Z21work_group_reduce_addi", u32(b), word);
}

/* What a thread adds to the block's count: popc and or count the true ones, and counts the false ones. */
static LLVMValueRef contribution(struct barriers *b, LLVMBuilderRef builder, LLVMValueRef call) {
  if (!is_reduction(call))
    return LLVMConstNull(u32(b));
  LLVMValueRef p = LLVMGetOperand(call, 1);
  p = LLVMBuildICmp(builder, LLVMIntNE, p, LLVMConstNull(LLVMTypeOf(p)), "");
  if (strstr(cs_callee(call), ".red.and."))
    p = LLVMBuildNot(builder, p, "");
  return LLVMBuildZExt(builder, p, u32(b), "");
}
static LLVMValueRef verdict(struct barriers *b, LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef count) {
  if (strstr(cs_callee(call), ".red.popc."))
    return count;
  LLVMIntPredicate test = strstr(cs_callee(call), ".red.and.") ? LLVMIntEQ : LLVMIntNE;
  LLVMValueRef p = LLVMBuildICmp(builder, test, count, LLVMConstNull(u32(b)), "");
  return LLVMBuildIntCast2(builder, p, LLVMTypeOf(call), 0, "");
}

static void lower_uniform(struct barriers *b, LLVMValueRef call) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(b->unit->context);
  LLVMPositionBuilderBefore(builder, call);
  wait(b, builder);
  if (is_reduction(call)) {
    LLVMValueRef count = count_true(b, builder, contribution(b, builder, call));
    LLVMReplaceAllUsesWith(call, verdict(b, builder, call, count));
  }
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(builder);
}

/* --- The state machine --- */

struct machine {
  struct barriers *b;
  LLVMBuilderRef builder;
  LLVMValueRef state;   /* alloca: 0 has returned, k + 1 goes on after barrier k, count + 1 starts */
  LLVMValueRef counted; /* allocas of reductions: what the thread adds, what the block has */
  LLVMValueRef total;
  LLVMBasicBlockRef start, arrive;
};

static void leave_for(struct machine *m, unsigned state) {
  LLVMBuildStore(m->builder, LLVMConstInt(u32(m->b), state, 0), m->state);
  LLVMBuildBr(m->builder, m->arrive);
}

/* Every return becomes an arrival that never goes on. */
static void redirect_returns(struct machine *m) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(m->b->function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!end || !LLVMIsAReturnInst(end))
      continue;
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(m->builder, block);
    if (m->b->reduces)
      LLVMBuildStore(m->builder, LLVMConstNull(u32(m->b)), m->counted);
    leave_for(m, 0);
  }
}

/* What follows the barrier is where a thread comes back; a reduction's result waits there in a slot. */
static LLVMBasicBlockRef cut(struct machine *m, LLVMValueRef call) {
  LLVMBasicBlockRef after = cs_bridge_split_before(LLVMGetNextInstruction(call));
  if (is_reduction(call)) {
    LLVMPositionBuilderBefore(m->builder, LLVMGetFirstInstruction(after));
    LLVMValueRef count = LLVMBuildLoad2(m->builder, u32(m->b), m->total, "");
    LLVMReplaceAllUsesWith(call, verdict(m->b, m->builder, call, count));
  }
  return after;
}
static void leave_at(struct machine *m, LLVMValueRef call, unsigned index) {
  LLVMBasicBlockRef before = LLVMGetInstructionParent(call);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
  LLVMPositionBuilderAtEnd(m->builder, before);
  if (m->b->reduces)
    LLVMBuildStore(m->builder, contribution(m->b, m->builder, call), m->counted);
  leave_for(m, index + 1);
  LLVMInstructionEraseFromParent(call);
}

static void build_loop(struct machine *m, LLVMBasicBlockRef *resume) {
  LLVMContextRef context = m->b->unit->context;
  LLVMBasicBlockRef dispatch = LLVMAppendBasicBlockInContext(context, m->b->function, "barrier.dispatch");
  LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, m->b->function, "barrier.done");
  LLVMPositionBuilderAtEnd(m->builder, m->arrive);
  wait(m->b, m->builder);
  if (m->b->reduces) {
    LLVMValueRef mine = LLVMBuildLoad2(m->builder, u32(m->b), m->counted, "");
    LLVMBuildStore(m->builder, count_true(m->b, m->builder, mine), m->total);
  }
  LLVMValueRef state = LLVMBuildLoad2(m->builder, u32(m->b), m->state, "");
  LLVMValueRef alive = LLVMBuildICmp(m->builder, LLVMIntNE, state, LLVMConstNull(u32(m->b)), "");
  alive = LLVMBuildZExt(m->builder, alive, u32(m->b), "");
  LLVMValueRef any = engine_call(m->b, m->builder, "_Z14work_group_anyi", u32(m->b), alive);
  LLVMBuildCondBr(m->builder, LLVMBuildICmp(m->builder, LLVMIntNE, any, LLVMConstNull(u32(m->b)), ""), dispatch, done);
  LLVMPositionBuilderAtEnd(m->builder, dispatch);
  state = LLVMBuildLoad2(m->builder, u32(m->b), m->state, "");
  LLVMValueRef selector = LLVMBuildSwitch(m->builder, state, m->arrive, m->b->count + 1);
  LLVMAddCase(selector, LLVMConstInt(u32(m->b), m->b->count + 1, 0), m->start);
  for (unsigned i = 0; i < m->b->count; i++)
    LLVMAddCase(selector, LLVMConstInt(u32(m->b), i + 1, 0), resume[i]);
  LLVMPositionBuilderAtEnd(m->builder, done);
  LLVMBuildRetVoid(m->builder);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(m->b->function)), 0, dispatch);
}

static LLVMValueRef slot(struct machine *m, LLVMValueRef value) {
  LLVMValueRef alloca = LLVMBuildAlloca(m->builder, u32(m->b), "");
  LLVMBuildStore(m->builder, value, alloca);
  return alloca;
}

/* The start's number, in a form that optimisers cannot see through: one that could would jump past the dispatch, and give
 * the loop a second entry. No block is 2^31 threads wide. */
static LLVMValueRef start_state(struct machine *m) {
  LLVMValueRef width = cs_call_support(m->b->unit, m->builder, "ntid_x", NULL, 0, u32(m->b));
  LLVMValueRef nothing = LLVMBuildLShr(m->builder, width, LLVMConstInt(u32(m->b), 31, 0), "");
  return LLVMBuildAdd(m->builder, nothing, LLVMConstInt(u32(m->b), m->b->count + 1, 0), "");
}

/* What comes before the first branch and the first barrier stays in the entry: its values are known everywhere. */
static LLVMBasicBlockRef split_entry(struct barriers *b) {
  LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(b->function));
  while (!LLVMIsATerminatorInst(at) && !is_barrier(cs_callee(at)))
    at = LLVMGetNextInstruction(at);
  return cs_bridge_split_before(at);
}

static void build_machine(struct barriers *b) {
  LLVMBasicBlockRef *resume = cs_allocate(b->count, sizeof *resume);
  struct machine m = {.b = b, .builder = LLVMCreateBuilderInContext(b->unit->context)};
  LLVMPositionBuilderBefore(m.builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(b->function)));
  m.counted = slot(&m, LLVMConstNull(u32(b)));
  m.total = slot(&m, LLVMConstNull(u32(b)));
  m.state = slot(&m, start_state(&m));
  m.start = split_entry(b);
  for (unsigned i = 0; i < b->count; i++)
    resume[i] = cut(&m, b->calls[i]);
  cs_bridge_demote(b->function); /* no value may now flow from one block to another but through the stack */
  m.arrive = LLVMAppendBasicBlockInContext(b->unit->context, b->function, "barrier.arrive");
  redirect_returns(&m);
  for (unsigned i = 0; i < b->count; i++)
    leave_at(&m, b->calls[i], i);
  build_loop(&m, resume);
  LLVMDisposeBuilder(m.builder);
  free(resume);
}

/* --- Collecting --- */

static void collect(struct barriers *b, LLVMValueRef function) {
  b->function = function;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
      const char *name = cs_callee(i);
      if (!is_barrier(name))
        continue;
      if (!is_supported(name)) {
        cs_refuse(b->unit, i, name);
        continue;
      }
      b->calls = cs_grow(b->calls, b->count, sizeof *b->calls);
      b->calls[b->count++] = i;
      b->reduces |= is_reduction(i);
    }
}

int cs_lower_barriers(struct cs_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    struct barriers b = {.unit = unit};
    collect(&b, f);
    if (b.count && !cs_is_kernel(unit, f))
      cs_refuse(unit, b.calls[0], "barrier in a recursive function");
    else if (b.count && cs_bridge_divergent(f, b.calls, b.count))
      build_machine(&b);
    else
      for (unsigned i = 0; i < b.count; i++)
        lower_uniform(&b, b.calls[i]);
    free(b.calls);
  }
  return 0;
}
