/* barriers.c: __syncthreads and its variants.
 *
 * All threads of a block must reach the engine's barrier together. CUDA's barrier is more general: threads that have
 * returned do not take part, and threads may wait at different barrier calls. Where all threads provably arrive
 * together, the engine's barrier is used directly. Otherwise the kernel becomes a state machine around a single
 * barrier: a thread that arrives (or returns) stores the state in which it continues, waits, and jumps there; the loop
 * ends when every thread has returned. Threads start through the same dispatch, so that the loop has one entry: the
 * engine does not vectorise other loops.
 *
 * A thread that waits for an mbarrier yields, and a lane that waits for others of its warp pauses (warps.c): the same
 * machine has a state for each such wait. As long as a thread of the block yields or pauses, those that wait at a
 * barrier stay there. Barriers with a count are objects that threads yield at, too (support/named.c). If no thread does
 * more than that for some rounds, none ever will: a deadlock, and the kernel ends (deadlock.c).
 *
 * A kernel that synchronises its grid spins until other blocks have arrived, and those need not run before this one
 * ends. So it always becomes a state machine, which also has a state for each such loop: a thread that repeats one
 * yields, and a block with a thread that has yielded leaves the kernel, which the driver runs again (grid.c, and struct
 * cs_grid in image.h). */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/deadlock.h"
#include "retarget/lower/grid.h"
#include "retarget/lower/steps.h"
#include "retarget/lower/sync.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/refuse.h"
#include <stdlib.h>
#include <string.h>

struct barriers {
  struct cs_rt_unit *unit;
  LLVMValueRef function;
  LLVMValueRef *calls;
  unsigned count;
  unsigned barriers, pauses, yields; /* the kinds of these calls, in this order */
  LLVMValueRef named;                /* the objects of barriers with a count, if the function has any; else NULL */
  int reduces;                       /* one of the barriers counts predicates */
  struct cs_rt_kernel *phased;       /* the kernel if it synchronises its grid; else NULL */
};

static int is_barrier(const char *name) {
  return name && cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.");
}
/* bar.sync and bar.red over the whole block. */
static int is_supported(const char *name) {
  return (cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.sync.") ||
          cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.red.")) &&
         strcmp(name + strlen(name) - 4, ".all") == 0;
}
static int is_reduction(LLVMValueRef call) {
  return cs_ir_starts_with(cs_rt_callee(call), "llvm.nvvm.barrier.cta.red.");
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
static LLVMValueRef count_true(struct barriers *b, LLVMBuilderRef builder, LLVMValueRef count) {
  return engine_call(b, builder, "_Z21work_group_reduce_addi", u32(b), count);
}

/* What a thread adds to the block's count: `popc` and `or` count true predicates, `and` counts false ones. */
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
  LLVMValueRef state;           /* alloca: the state in which the thread continues */
  unsigned ended, first, begin; /* states: has returned, continues after barrier 0, starts */
  LLVMValueRef go;              /* alloca, if threads yield: the state, or `ended` for a thread that still waits */
  LLVMValueRef moved;           /* alloca, if threads yield or lanes pause: enum move, since the thread continued */
  LLVMValueRef idle;            /* alloca, if lanes pause: the rounds since a thread has done more than wait */
  LLVMValueRef stuck;           /* alloca, if a deadlock ends the kernel: the rounds in which all threads have waited */
  LLVMValueRef counted, total;  /* allocas, for reductions: what the thread adds, and the block's sum */
  LLVMBasicBlockRef start, arrive;
  struct cs_rt_sync sync;
  struct cs_rt_deadlock deadlock;
};

/* WAITED: in a loop that ends only if another thread does something. POLLED: in one that may end otherwise. */
enum move { WAITED, POLLED, MOVED };

static void leave_for(struct machine *m, unsigned state) {
  LLVMBuildStore(m->builder, LLVMConstInt(u32(m->b), state, 0), m->state);
  LLVMBuildBr(m->builder, m->arrive);
}

/* Lanes that wait for others of their warp do not wait for those that have returned (support/meet.c). */
static void mark_lane(struct machine *m, const char *function) {
  LLVMValueRef lanes = m->b->pauses ? LLVMGetNamedGlobal(m->b->unit->module, "__cr_lanes") : NULL;
  if (lanes)
    cs_rt_call_library(m->b->unit, m->builder, function, &lanes, 1, LLVMVoidTypeInContext(m->b->unit->context));
}

/* A warp arrives at a barrier with a count when its other lanes have arrived or returned (support/named.c). */
static void mark_named(struct machine *m, const char *function) {
  if (m->b->named)
    cs_rt_call_library(m->b->unit, m->builder, function, &m->b->named, 1, LLVMVoidTypeInContext(m->b->unit->context));
}

static void has_moved(struct machine *m) {
  if (m->moved)
    LLVMBuildStore(m->builder, LLVMConstInt(u32(m->b), MOVED, 0), m->moved);
}

/* A thread that returns arrives in the state `ended`. */
static void redirect_returns(struct machine *m) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(m->b->function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!end || !LLVMIsAReturnInst(end))
      continue;
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(m->builder, block);
    if (m->b->reduces)
      LLVMBuildStore(m->builder, LLVMConstNull(u32(m->b)), m->counted);
    mark_lane(m, "lane_ends");
    mark_named(m, "named_ends");
    has_moved(m);
    cs_rt_sync_ends(&m->sync);
    leave_for(m, m->ended);
  }
}

/* Splits the block after the barrier: a thread continues there, and loads the result of a reduction from its slot. */
static LLVMBasicBlockRef split_after(struct machine *m, LLVMValueRef call) {
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
  if (index < m->b->barriers) {
    has_moved(m);
    cs_rt_deadlock_waits(&m->deadlock, call);
  }
  cs_rt_sync_waits(&m->sync, index < m->b->barriers ? call : NULL, index);
  leave_for(m, m->first + index);
  LLVMInstructionEraseFromParent(call);
}

static LLVMValueRef number(struct machine *m, unsigned value) {
  return LLVMConstInt(u32(m->b), value, 0);
}
static LLVMValueRef any_thread(struct machine *m, LLVMValueRef condition) {
  LLVMValueRef flag = LLVMBuildZExt(m->builder, condition, u32(m->b), "");
  LLVMValueRef any = engine_call(m->b, m->builder, "_Z14work_group_anyi", u32(m->b), flag);
  return LLVMBuildICmp(m->builder, LLVMIntNE, any, number(m, 0), "");
}
/* Whether the state is one of `count` states, of which the first is that of call `from`. */
static LLVMValueRef is_of(struct machine *m, LLVMValueRef state, unsigned from, unsigned count) {
  LLVMValueRef offset = LLVMBuildSub(m->builder, state, number(m, m->first + from), "");
  return LLVMBuildICmp(m->builder, LLVMIntULT, offset, number(m, count), "");
}
static LLVMValueRef at_barrier(struct machine *m, LLVMValueRef state) {
  return is_of(m, state, 0, m->b->barriers);
}
static LLVMValueRef has_yielded(struct machine *m, LLVMValueRef state) {
  return is_of(m, state, m->b->barriers + m->b->pauses, m->b->yields);
}
static LLVMValueRef has_yielded_or_paused(struct machine *m, LLVMValueRef state) {
  return is_of(m, state, m->b->barriers, m->b->pauses + m->b->yields);
}

/* A block with a thread that waits for other blocks leaves the kernel. */
static void leave_if_waiting(struct machine *m, LLVMValueRef state) {
  LLVMContextRef context = m->b->unit->context;
  LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(context, m->b->function, "grid.leave");
  LLVMBasicBlockRef stay = LLVMAppendBasicBlockInContext(context, m->b->function, "grid.stay");
  LLVMBuildCondBr(m->builder, any_thread(m, has_yielded(m, state)), leave, stay);
  LLVMPositionBuilderAtEnd(m->builder, leave);
  LLVMValueRef alive = LLVMBuildICmp(m->builder, LLVMIntNE, state, number(m, m->ended), "");
  alive = LLVMBuildZExt(m->builder, alive, u32(m->b), "");
  cs_rt_call_library(m->b->unit, m->builder, "grid_wait", &alive, 1, LLVMVoidTypeInContext(context));
  LLVMBuildRetVoid(m->builder);
  LLVMPositionBuilderAtEnd(m->builder, stay);
}

/* Returns whether a thread of the block yields or pauses. */
static LLVMValueRef stay_while_yielding(struct machine *m, LLVMValueRef state) {
  LLVMValueRef others = any_thread(m, has_yielded_or_paused(m, state));
  LLVMValueRef stays = LLVMBuildAnd(m->builder, others, at_barrier(m, state), "");
  LLVMBuildStore(m->builder, LLVMBuildSelect(m->builder, stays, number(m, m->ended), state, ""), m->go);
  return others;
}

/* Whether a thread has not returned. If all of them pass a barrier, that the threads of a warp do so together. waits: a
 * thread of the block still waits elsewhere. */
static LLVMValueRef any_alive(struct machine *m, LLVMValueRef state, LLVMValueRef waits) {
  LLVMValueRef alive = LLVMBuildICmp(m->builder, LLVMIntNE, state, number(m, m->ended), "");
  if (!m->sync.places)
    return any_thread(m, alive);
  LLVMContextRef context = m->b->unit->context;
  LLVMBasicBlockRef compare = LLVMAppendBasicBlockInContext(context, m->b->function, "barrier.compare");
  LLVMBasicBlockRef same = LLVMAppendBasicBlockInContext(context, m->b->function, "barrier.same");
  LLVMValueRef differs = cs_rt_sync_differs(&m->sync);
  if (waits)
    differs = LLVMBuildAnd(m->builder, differs, LLVMBuildNot(m->builder, waits, ""), "");
  LLVMValueRef flags =
      LLVMBuildSelect(m->builder, differs, number(m, 2), LLVMBuildZExt(m->builder, alive, u32(m->b), ""), "");
  LLVMValueRef most = engine_call(m->b, m->builder, "_Z21work_group_reduce_maxi", u32(m->b), flags);
  LLVMBuildCondBr(m->builder, LLVMBuildICmp(m->builder, LLVMIntEQ, most, number(m, 2), ""), compare, same);
  LLVMPositionBuilderAtEnd(m->builder, compare);
  cs_rt_sync_compare(&m->sync);
  LLVMBuildBr(m->builder, same);
  LLVMPositionBuilderAtEnd(m->builder, same);
  return LLVMBuildICmp(m->builder, LLVMIntNE, most, number(m, 0), "");
}

/* The rounds in a row in which no thread of the block has done as much. */
static LLVMValueRef rounds_without(struct machine *m, LLVMValueRef rounds, LLVMValueRef most, enum move move) {
  LLVMValueRef has = LLVMBuildICmp(m->builder, LLVMIntUGE, most, number(m, move), "");
  LLVMValueRef more = LLVMBuildAdd(m->builder, LLVMBuildLoad2(m->builder, u32(m->b), rounds, ""), number(m, 1), "");
  more = LLVMBuildSelect(m->builder, has, number(m, 0), more, "");
  LLVMBuildStore(m->builder, more, rounds);
  return more;
}
static void build_wait(void *with, LLVMBuilderRef builder) {
  wait(with, builder);
}

/* More rounds than lanes take to give up. */
static void end_if_stuck(struct machine *m, LLVMValueRef rounds, LLVMValueRef state, LLVMBasicBlockRef done) {
  enum { ENOUGH = 64 };
  LLVMBasicBlockRef dead = LLVMAppendBasicBlockInContext(m->b->unit->context, m->b->function, "barrier.deadlock");
  LLVMBasicBlockRef live = LLVMAppendBasicBlockInContext(m->b->unit->context, m->b->function, "barrier.live");
  LLVMBuildCondBr(m->builder, LLVMBuildICmp(m->builder, LLVMIntUGE, rounds, number(m, ENOUGH), ""), dead, live);
  LLVMPositionBuilderAtEnd(m->builder, dead);
  LLVMValueRef ended = LLVMBuildICmp(m->builder, LLVMIntEQ, state, number(m, m->ended), "");
  cs_rt_deadlock_ends(&m->deadlock, ended, build_wait, m->b);
  LLVMBuildBr(m->builder, done);
  LLVMPositionBuilderAtEnd(m->builder, live);
}

/* A lane that waits for one that never comes gives up when all threads of the block only wait (support/meet.c). */
static void count_idle(struct machine *m, LLVMValueRef most, LLVMValueRef stuck) {
  LLVMValueRef idle = rounds_without(m, m->idle, most, MOVED);
  LLVMValueRef args[] = {LLVMGetNamedGlobal(m->b->unit->module, "__cr_lanes"), idle, stuck ? stuck : number(m, 0)};
  cs_rt_call_library(m->b->unit, m->builder, "lane_idles", args, 3, LLVMVoidTypeInContext(m->b->unit->context));
}

static void build_loop(struct machine *m, LLVMBasicBlockRef *resume) {
  LLVMContextRef context = m->b->unit->context;
  LLVMBasicBlockRef dispatch = LLVMAppendBasicBlockInContext(context, m->b->function, "barrier.dispatch");
  LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, m->b->function, "barrier.done");
  LLVMValueRef waits = NULL;
  LLVMPositionBuilderAtEnd(m->builder, m->arrive);
  if (m->sync.places)
    cs_rt_sync_arrives(&m->sync);
  wait(m->b, m->builder);
  if (m->b->reduces) {
    LLVMValueRef mine = LLVMBuildLoad2(m->builder, u32(m->b), m->counted, "");
    LLVMBuildStore(m->builder, count_true(m->b, m->builder, mine), m->total);
  }
  LLVMValueRef state = LLVMBuildLoad2(m->builder, u32(m->b), m->state, "");
  if (m->b->phased)
    leave_if_waiting(m, state);
  if (m->go)
    waits = stay_while_yielding(m, state);
  if (m->moved) {
    LLVMValueRef moved = LLVMBuildLoad2(m->builder, u32(m->b), m->moved, "");
    LLVMValueRef most = engine_call(m->b, m->builder, "_Z21work_group_reduce_maxi", u32(m->b), moved);
    LLVMBuildStore(m->builder, number(m, WAITED), m->moved);
    LLVMValueRef stuck = m->stuck ? rounds_without(m, m->stuck, most, POLLED) : NULL;
    if (m->idle)
      count_idle(m, most, stuck);
    if (stuck)
      end_if_stuck(m, stuck, state, done);
  }
  LLVMBuildCondBr(m->builder, any_alive(m, state, waits), dispatch, done);
  LLVMPositionBuilderAtEnd(m->builder, dispatch);
  state = LLVMBuildLoad2(m->builder, u32(m->b), m->go ? m->go : m->state, "");
  LLVMValueRef selector = LLVMBuildSwitch(m->builder, state, m->arrive, m->b->count + 1);
  LLVMAddCase(selector, number(m, m->begin), m->start);
  for (unsigned i = 0; i < m->b->count; i++)
    LLVMAddCase(selector, number(m, m->first + i), resume[i]);
  LLVMPositionBuilderAtEnd(m->builder, done);
  LLVMBuildRetVoid(m->builder);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(m->b->function)), 0, dispatch);
}

/* Those of a phased kernel move to its frame, which is zero when the kernel starts. */
static LLVMValueRef slot(struct machine *m, LLVMValueRef value) {
  LLVMValueRef alloca = LLVMBuildAlloca(m->builder, u32(m->b), "");
  if (!m->b->phased)
    LLVMBuildStore(m->builder, value, alloca);
  return alloca;
}

/* The state `begin`, in a form that optimisers cannot fold: otherwise they would jump past the dispatch, and give the
 * loop a second entry. No block is 2^31 threads wide. */
static LLVMValueRef start_state(struct machine *m) {
  LLVMValueRef width = cs_rt_call_library(m->b->unit, m->builder, "ntid_x", NULL, 0, u32(m->b));
  LLVMValueRef zero = LLVMBuildLShr(m->builder, width, LLVMConstInt(u32(m->b), 31, 0), "");
  return LLVMBuildAdd(m->builder, zero, number(m, m->begin), "");
}

/* The code before the first branch and the first barrier stays in the entry, so that its values dominate all states. In
 * a phased kernel only the allocas stay: the rest must not run again in each phase. */
static LLVMBasicBlockRef split_entry(struct barriers *b) {
  LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(b->function));
  while (b->phased ? LLVMIsAAllocaInst(at) != NULL : !LLVMIsATerminatorInst(at) && !is_barrier(cs_rt_callee(at)))
    at = LLVMGetNextInstruction(at);
  return cs_rt_bridge_split_before(at);
}

/* A thread that waited for its block still waits for it. */
static LLVMValueRef begin_phase(struct machine *m) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(m->b->function));
  LLVMPositionBuilderBefore(m->builder, cs_ir_first(m->b->function));
  LLVMValueRef go = LLVMBuildAlloca(m->builder, u32(m->b), "");
  LLVMPositionBuilderBefore(m->builder, end);
  LLVMValueRef state = LLVMBuildLoad2(m->builder, u32(m->b), m->state, "");
  LLVMValueRef first = LLVMBuildSelect(m->builder, at_barrier(m, state), number(m, m->ended), state, "");
  LLVMBuildStore(m->builder, first, go);
  return go;
}

/* The records of all lanes, and the objects of barriers, are valid before the first thread continues; those of a phased
 * kernel are in its memory, which is zero. */
static void begin_lanes(struct machine *m) {
  LLVMValueRef at = cs_ir_first(m->b->function); /* the entry may already arrive somewhere */
  while (LLVMIsAAllocaInst(at))
    at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(m->builder, at);
  mark_lane(m, "lane_begins");
  mark_named(m, "named_begins");
  wait(m->b, m->builder);
}

/* The marks of threads that do more than wait. */
static void lower_moves(struct barriers *b, LLVMBuilderRef builder, LLVMValueRef moved) {
  LLVMValueRef *calls;
  unsigned count = cs_rt_calls_of(b->unit, b->function, "__cr_moves", &calls);
  for (unsigned i = 0; i < count; i++) {
    if (moved) {
      LLVMPositionBuilderBefore(builder, calls[i]);
      LLVMBuildStore(builder, LLVMConstInt(u32(b), MOVED, 0), moved);
    }
    LLVMInstructionEraseFromParent(calls[i]);
  }
  free(calls);
}

/* A loop that another condition ends as well, such as a number of tries, is not stuck. */
static void mark_polls(struct machine *m) {
  for (unsigned i = m->b->barriers + m->b->pauses; i < m->b->count; i++)
    if (!cs_rt_bridge_only_waits(m->b->calls[i])) {
      LLVMPositionBuilderBefore(m->builder, LLVMGetNextInstruction(m->b->calls[i]));
      LLVMBuildStore(m->builder, number(m, POLLED), m->moved);
    }
}

/* What the kernel needs to know that its threads only wait. In a phased kernel they also wait for other blocks. */
static void count_moves(struct machine *m) {
  if (m->b->pauses || (m->b->yields && !m->b->phased))
    m->moved = slot(m, LLVMConstNull(u32(m->b)));
  if (m->b->pauses)
    m->idle = slot(m, LLVMConstNull(u32(m->b)));
  if (!m->b->yields || m->b->phased)
    return;
  m->stuck = slot(m, LLVMConstNull(u32(m->b)));
  m->deadlock = cs_rt_deadlock_begin(m->b->unit, m->builder);
}

static void build_machine(struct barriers *b) {
  LLVMBasicBlockRef *resume = cs_ir_allocate(b->count, sizeof *resume);
  struct machine m = {.b = b, .builder = LLVMCreateBuilderInContext(b->unit->context)};
  m.ended = b->phased ? 1 : 0;
  m.first = m.ended + 1;
  m.begin = b->phased ? 0 : b->count + 1; /* zero: the contents of a new frame */
  LLVMPositionBuilderBefore(m.builder, cs_ir_first(b->function));
  m.counted = slot(&m, LLVMConstNull(u32(b)));
  m.total = slot(&m, LLVMConstNull(u32(b)));
  m.state = slot(&m, b->phased ? NULL : start_state(&m));
  if (b->yields + b->pauses && !b->phased)
    m.go = slot(&m, start_state(&m));
  count_moves(&m);
  if (!b->phased)
    m.sync = cs_rt_sync_begin(b->unit, m.builder, b->function, b->calls, b->barriers);
  m.start = split_entry(b);
  lower_moves(b, m.builder, m.moved);
  cs_rt_lower_marks(b->unit, b->function, &m.deadlock);
  if (m.stuck)
    mark_polls(&m);
  if ((b->pauses || b->named) && !b->phased)
    begin_lanes(&m);
  for (unsigned i = 0; i < b->count; i++)
    resume[i] = split_after(&m, b->calls[i]);
  cs_rt_bridge_demote(b->function); /* from here on, values flow between blocks through the stack only */
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

static int is_zero(LLVMValueRef value) {
  return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == 0;
}

static LLVMValueRef named_of(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMValueRef named = LLVMGetNamedGlobal(unit->module, CS_IR_SUPPORT_PREFIX "named");
  if (!named)
    return NULL;
  cs_rt_bridge_expand_constants(named);
  return cs_rt_used_in(named, function) ? named : NULL;
}

static void collect(struct barriers *b, LLVMValueRef function) {
  b->function = function;
  b->named = named_of(b->unit, function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    const char *name = cs_rt_callee(i);
    if (!is_barrier(name))
      continue;
    if (!is_supported(name)) {
      cs_rt_refuse(b->unit, i, name);
      continue;
    }
    if (b->named && !is_zero(LLVMGetOperand(i, 0)))
      cs_rt_refuse(b->unit, i, "a barrier with a number and no count, next to barriers with a count: state its count");
    cs_ir_push(b->calls, b->count, i);
    b->barriers++;
    b->reduces |= is_reduction(i);
  }
}

static void append(struct barriers *b, LLVMValueRef *calls, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    cs_ir_push(b->calls, b->count, calls[i]);
  free(calls);
}

static void collect_waits(struct barriers *b, struct cs_rt_kernel *kernel) {
  LLVMValueRef *calls;
  b->pauses = cs_rt_calls_of(b->unit, kernel->function, "__cr_pause", &calls);
  append(b, calls, b->pauses);
  b->yields = cs_rt_add_yields(b->unit, kernel, &calls);
  append(b, calls, b->yields);
  b->phased = kernel->phases && b->yields ? kernel : NULL;
  kernel->yields = b->yields + b->pauses > 0;
}

/* Lanes that use a warp operation without a mask meet if they execute the same call. */
static void number_sites(struct barriers *b) {
  LLVMValueRef *calls;
  unsigned count = cs_rt_calls_of(b->unit, b->function, "__cr_site", &calls);
  for (unsigned i = 0; i < count; i++) {
    LLVMReplaceAllUsesWith(calls[i], LLVMConstInt(u32(b), i, 0));
    LLVMInstructionEraseFromParent(calls[i]);
  }
  free(calls);
}

static void lower_awaited(struct barriers *b) {
  LLVMValueRef *calls;
  unsigned count = cs_rt_calls_of(b->unit, b->function, "__cr_awaited", &calls);
  for (unsigned i = 0; i < count; i++) {
    LLVMReplaceAllUsesWith(calls[i], LLVMGetOperand(calls[i], 0));
    LLVMInstructionEraseFromParent(calls[i]);
  }
  free(calls);
}

/* Only kernels are state machines. */
static void refuse_waits(struct barriers *b) {
  LLVMValueRef *calls;
  if (cs_rt_calls_of(b->unit, b->function, "__cr_yield", &calls))
    cs_rt_refuse(b->unit, calls[0], "wait for an mbarrier in a recursive function");
  free(calls);
}

int cs_rt_lower_barriers(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    struct barriers b = {.unit = unit};
    struct cs_rt_kernel *kernel = cs_rt_kernel_of(unit, f);
    collect(&b, f);
    number_sites(&b);
    if (kernel)
      collect_waits(&b, kernel);
    if (!kernel)
      refuse_waits(&b);
    if (b.count && !kernel)
      cs_rt_refuse(unit, b.calls[0], "barrier in a recursive function");
    else if (b.yields || b.pauses || (b.count && cs_rt_bridge_divergent(f, b.calls, b.count)))
      build_machine(&b);
    else
      for (unsigned i = 0; i < b.count; i++)
        lower_uniform(&b, b.calls[i]);
    lower_moves(&b, NULL, NULL);
    lower_awaited(&b);
    cs_rt_lower_marks(unit, f, NULL);
    free(b.calls);
  }
  return 0;
}
