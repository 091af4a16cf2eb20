/* barriers.c: __syncthreads and its relatives.
 *
 * The engine's barrier must be reached by all threads of a block together. CUDA's need not: threads that have returned do
 * not take part, and different barrier calls may meet. Where all threads provably arrive together the engine's barrier is
 * used as it is. Otherwise the kernel becomes a state machine around a single barrier: a thread that arrives (or returns)
 * notes where it goes on, waits, and then continues there; the loop ends when every thread has returned. Threads start
 * through the same dispatch, so that the loop has one entry: the engine does not vectorise others.
 *
 * A kernel that synchronises its grid spins until other blocks have arrived, and those need not run before this one ends. So it
 * always becomes a machine, which also has a state for each such loop: a thread that goes round in one gives up its turn, and a
 * block in which one has done so leaves the kernel, which runs again (grid.c, and struct cs_grid in image.h). */
#include "retarget/retarget.h"
#include <stdlib.h>
#include <string.h>

struct barriers {
  struct cs_rt_unit *unit;
  LLVMValueRef function;
  LLVMValueRef *calls;
  unsigned count;
  unsigned yields; /* that many of them, the last ones, are turns given up */
  int reduces;     /* one of them counts predicates */
  struct cs_rt_kernel *phased;
};

static int is_barrier(const char *name) {
  return name && cs_rt_starts_with(name, "llvm.nvvm.barrier.cta.");
}
/* What all threads of the block may share: bar.sync and bar.red over the whole block. */
static int is_supported(const char *name) {
  return (cs_rt_starts_with(name, "llvm.nvvm.barrier.cta.sync.") ||
          cs_rt_starts_with(name, "llvm.nvvm.barrier.cta.red.")) &&
         strcmp(name + strlen(name) - 4, ".all") == 0;
}
static int is_reduction(LLVMValueRef call) {
  return cs_rt_starts_with(cs_rt_callee(call), "llvm.nvvm.barrier.cta.red.");
}

static LLVMTypeRef u32(struct barriers *b) {
  return LLVMInt32TypeInContext(b->unit->context);
}

static LLVMValueRef engine_call(struct barriers *b, LLVMBuilderRef builder, const char *name, LLVMTypeRef result,
                                LLVMValueRef argument) {
  LLVMTypeRef param = u32(b), type = LLVMFunctionType(result, &param, 1, 0);
  LLVMValueRef function = cs_rt_engine_function(b->unit, name, type, 1);
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
  if (strstr(cs_rt_callee(call), ".red.and."))
    p = LLVMBuildNot(builder, p, "");
  return LLVMBuildZExt(builder, p, u32(b), "");
}
static LLVMValueRef verdict(struct barriers *b, LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef count) {
  if (strstr(cs_rt_callee(call), ".red.popc."))
    return count;
  LLVMIntPredicate test = strstr(cs_rt_callee(call), ".red.and.") ? LLVMIntEQ : LLVMIntNE;
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
  LLVMValueRef state;           /* alloca: the number of where the thread goes on */
  unsigned ended, first, begin; /* numbers: has returned, goes on after barrier 0, starts */
  LLVMValueRef go;              /* alloca, phased: the state, or `ended` for a thread that has still to wait */
  LLVMValueRef counted;         /* allocas of reductions: what the thread adds, what the block has */
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
    leave_for(m, m->ended);
  }
}

/* What follows the barrier is where a thread comes back; a reduction's result waits there in a slot. */
static LLVMBasicBlockRef cut(struct machine *m, LLVMValueRef call) {
  LLVMBasicBlockRef after = cs_rt_bridge_split_before(LLVMGetNextInstruction(call));
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
  leave_for(m, m->first + index);
  LLVMInstructionEraseFromParent(call);
}

static LLVMValueRef number(struct machine *m, unsigned value) {
  return LLVMConstInt(u32(m->b), value, 0);
}
static LLVMValueRef any_thread(struct machine *m, LLVMValueRef condition) {
  LLVMValueRef word = LLVMBuildZExt(m->builder, condition, u32(m->b), "");
  LLVMValueRef any = engine_call(m->b, m->builder, "_Z14work_group_anyi", u32(m->b), word);
  return LLVMBuildICmp(m->builder, LLVMIntNE, any, number(m, 0), "");
}
/* Whether the state is that of a thread that waits for its block, or for other blocks. */
static LLVMValueRef waits(struct machine *m, LLVMValueRef state, int for_others) {
  unsigned barriers = m->b->count - m->b->yields, count = for_others ? m->b->yields : barriers;
  LLVMValueRef base = number(m, m->first + (for_others ? barriers : 0));
  return LLVMBuildICmp(m->builder, LLVMIntULT, LLVMBuildSub(m->builder, state, base, ""), number(m, count), "");
}

/* A block with a thread that waits for other blocks leaves the kernel as it is. */
static void leave_if_waiting(struct machine *m, LLVMValueRef state) {
  LLVMContextRef context = m->b->unit->context;
  LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(context, m->b->function, "grid.leave");
  LLVMBasicBlockRef stay = LLVMAppendBasicBlockInContext(context, m->b->function, "grid.stay");
  LLVMBuildCondBr(m->builder, any_thread(m, waits(m, state, 1)), leave, stay);
  LLVMPositionBuilderAtEnd(m->builder, leave);
  LLVMValueRef alive = LLVMBuildICmp(m->builder, LLVMIntNE, state, number(m, m->ended), "");
  alive = LLVMBuildZExt(m->builder, alive, u32(m->b), "");
  cs_rt_call_support(m->b->unit, m->builder, "grid_wait", &alive, 1, LLVMVoidTypeInContext(context));
  LLVMBuildRetVoid(m->builder);
  LLVMPositionBuilderAtEnd(m->builder, stay);
  LLVMBuildStore(m->builder, state, m->go);
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
  if (m->b->phased)
    leave_if_waiting(m, state);
  LLVMValueRef alive = LLVMBuildICmp(m->builder, LLVMIntNE, state, number(m, m->ended), "");
  LLVMBuildCondBr(m->builder, any_thread(m, alive), dispatch, done);
  LLVMPositionBuilderAtEnd(m->builder, dispatch);
  state = LLVMBuildLoad2(m->builder, u32(m->b), m->b->phased ? m->go : m->state, "");
  LLVMValueRef selector = LLVMBuildSwitch(m->builder, state, m->arrive, m->b->count + 1);
  LLVMAddCase(selector, number(m, m->begin), m->start);
  for (unsigned i = 0; i < m->b->count; i++)
    LLVMAddCase(selector, number(m, m->first + i), resume[i]);
  LLVMPositionBuilderAtEnd(m->builder, done);
  LLVMBuildRetVoid(m->builder);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(m->b->function)), 0, dispatch);
}

/* A phased kernel's lie in its frame, and are zero when it first starts. */
static LLVMValueRef slot(struct machine *m, LLVMValueRef value) {
  LLVMValueRef alloca = LLVMBuildAlloca(m->builder, u32(m->b), "");
  if (!m->b->phased)
    LLVMBuildStore(m->builder, value, alloca);
  return alloca;
}

/* The start's number, in a form that optimisers cannot see through: one that could would jump past the dispatch, and give
 * the loop a second entry. No block is 2^31 threads wide. */
static LLVMValueRef start_state(struct machine *m) {
  LLVMValueRef width = cs_rt_call_support(m->b->unit, m->builder, "ntid_x", NULL, 0, u32(m->b));
  LLVMValueRef nothing = LLVMBuildLShr(m->builder, width, LLVMConstInt(u32(m->b), 31, 0), "");
  return LLVMBuildAdd(m->builder, nothing, number(m, m->begin), "");
}

/* What comes before the first branch and the first barrier stays in the entry: its values are known everywhere. Of a phased
 * kernel only the variables: the rest must not be done again in each phase. */
static LLVMBasicBlockRef split_entry(struct barriers *b) {
  LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(b->function));
  while (b->phased ? LLVMIsAAllocaInst(at) != NULL : !LLVMIsATerminatorInst(at) && !is_barrier(cs_rt_callee(at)))
    at = LLVMGetNextInstruction(at);
  return cs_rt_bridge_split_before(at);
}

/* Whoever waited for its block still does. */
static LLVMValueRef begin_phase(struct machine *m) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(m->b->function));
  LLVMPositionBuilderBefore(m->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->b->function)));
  LLVMValueRef go = LLVMBuildAlloca(m->builder, u32(m->b), "");
  LLVMPositionBuilderBefore(m->builder, end);
  LLVMValueRef state = LLVMBuildLoad2(m->builder, u32(m->b), m->state, "");
  LLVMValueRef first = LLVMBuildSelect(m->builder, waits(m, state, 0), number(m, m->ended), state, "");
  LLVMBuildStore(m->builder, first, go);
  return go;
}

static void build_machine(struct barriers *b) {
  LLVMBasicBlockRef *resume = cs_rt_allocate(b->count, sizeof *resume);
  struct machine m = {.b = b, .builder = LLVMCreateBuilderInContext(b->unit->context)};
  m.ended = b->phased ? 1 : 0;
  m.first = m.ended + 1;
  m.begin = b->phased ? 0 : b->count + 1; /* a new frame is zero */
  LLVMPositionBuilderBefore(m.builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(b->function)));
  m.counted = slot(&m, LLVMConstNull(u32(b)));
  m.total = slot(&m, LLVMConstNull(u32(b)));
  m.state = slot(&m, b->phased ? NULL : start_state(&m));
  m.start = split_entry(b);
  for (unsigned i = 0; i < b->count; i++)
    resume[i] = cut(&m, b->calls[i]);
  cs_rt_bridge_demote(b->function); /* no value may now flow from one block to another but through the stack */
  m.arrive = LLVMAppendBasicBlockInContext(b->unit->context, b->function, "barrier.arrive");
  redirect_returns(&m);
  for (unsigned i = 0; i < b->count; i++)
    leave_at(&m, b->calls[i], i);
  if (b->phased)
    m.go = begin_phase(&m);
  build_loop(&m, resume);
  if (b->phased)
    cs_rt_move_to_frame(b->unit, b->phased, m.go);
  LLVMDisposeBuilder(m.builder);
  free(resume);
}

/* --- Collecting --- */

static void collect(struct barriers *b, LLVMValueRef function) {
  b->function = function;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
      const char *name = cs_rt_callee(i);
      if (!is_barrier(name))
        continue;
      if (!is_supported(name)) {
        cs_rt_refuse(b->unit, i, name);
        continue;
      }
      b->calls = cs_rt_grow(b->calls, b->count, sizeof *b->calls);
      b->calls[b->count++] = i;
      b->reduces |= is_reduction(i);
    }
}

/* The turns come after the barriers. */
static void collect_yields(struct barriers *b, struct cs_rt_kernel *kernel) {
  LLVMValueRef *calls;
  b->yields = cs_rt_add_yields(b->unit, kernel, &calls);
  for (unsigned i = 0; i < b->yields; i++) {
    b->calls = cs_rt_grow(b->calls, b->count, sizeof *b->calls);
    b->calls[b->count++] = calls[i];
  }
  free(calls);
  b->phased = b->yields ? kernel : NULL;
}

int cs_rt_lower_barriers(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    struct barriers b = {.unit = unit};
    struct cs_rt_kernel *kernel = cs_rt_kernel_of(unit, f);
    collect(&b, f);
    if (kernel)
      collect_yields(&b, kernel);
    if (b.count && !kernel)
      cs_rt_refuse(unit, b.calls[0], "barrier in a recursive function");
    else if (b.yields || (b.count && cs_rt_bridge_divergent(f, b.calls, b.count)))
      build_machine(&b);
    else
      for (unsigned i = 0; i < b.count; i++)
        lower_uniform(&b, b.calls[i]);
    free(b.calls);
  }
  return 0;
}
