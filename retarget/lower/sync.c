/* sync.c: the checks of barriers that not all threads provably reach together.
 *
 * A barrier of the block is an aligned instruction: all threads of a warp that have not returned must execute the same
 * one. The state machine of barriers.c lets all threads of the block pass wherever they wait, and that is where their
 * places are compared (support/sync.c). */
#include "retarget/lower/sync.h"
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "retarget/bridge/bridge.h"
#include "retarget/support/places.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"

enum { THREADS_MAX = 1024 };

static LLVMTypeRef u32(struct cs_rt_sync *sync) {
  return LLVMInt32TypeInContext(sync->unit->context);
}
static LLVMTypeRef none(struct cs_rt_sync *sync) {
  return LLVMVoidTypeInContext(sync->unit->context);
}

/* Where a thread at this barrier waits, or CS_RT_PLACE_OTHER if it is not checked. */
static unsigned place_of(struct cs_rt_unit *unit, LLVMValueRef call, unsigned index) {
  long long number = call ? cs_rt_number_of(unit, call, CS_IR_BARRIER) : -1;
  if (number < 0 || number > CS_RT_PLACE_SITE_MAX || index > CS_RT_PLACE_CALL_MASK - CS_RT_PLACE_FIRST)
    return CS_RT_PLACE_OTHER;
  return (unsigned)number << CS_RT_PLACE_SITE_SHIFT | (index + CS_RT_PLACE_FIRST);
}

static int is_checked(struct cs_rt_unit *unit, LLVMValueRef *barriers, unsigned count) {
  if (!LLVMGetNamedGlobal(unit->module, CS_SYM_STATE) || !LLVMGetNamedGlobal(unit->module, CS_SYM_COUNTS))
    return 0;
  for (unsigned i = 0; i < count; i++)
    if (place_of(unit, barriers[i], i) != CS_RT_PLACE_OTHER)
      return 1;
  return 0;
}

LLVMValueRef cs_rt_sync_places(struct cs_rt_unit *unit) {
  return cs_rt_library_shared(unit, CS_IR_SUPPORT_PREFIX "places", THREADS_MAX);
}

static LLVMValueRef slot(struct cs_rt_sync *sync) {
  LLVMValueRef alloca = LLVMBuildAlloca(sync->builder, u32(sync), "");
  LLVMBuildStore(sync->builder, LLVMConstNull(u32(sync)), alloca);
  return alloca;
}

struct cs_rt_sync cs_rt_sync_begin(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function,
                                   LLVMValueRef *barriers, unsigned count) {
  struct cs_rt_sync sync = {.unit = unit, .builder = builder};
  if (!is_checked(unit, barriers, count))
    return sync;
  sync.places = cs_rt_sync_places(unit);
  sync.where = slot(&sync);
  sync.skipped = slot(&sync);
  cs_rt_bridge_count_skipped(function, barriers, count, sync.skipped);
  return sync;
}

static void set(struct cs_rt_sync *sync, unsigned where) {
  LLVMBuildStore(sync->builder, LLVMConstInt(u32(sync), where, 0), sync->where);
}

void cs_rt_sync_waits(struct cs_rt_sync *sync, LLVMValueRef call, unsigned index) {
  if (sync->places)
    set(sync, place_of(sync->unit, call, index));
}

void cs_rt_sync_ends(struct cs_rt_sync *sync) {
  if (!sync->places)
    return;
  set(sync, CS_RT_PLACE_ENDED);
  LLVMBuildStore(sync->builder, LLVMConstNull(u32(sync)), sync->skipped);
}

void cs_rt_sync_arrives(struct cs_rt_sync *sync) {
  LLVMValueRef args[] = {sync->places, LLVMBuildLoad2(sync->builder, u32(sync), sync->where, ""),
                         LLVMBuildLoad2(sync->builder, u32(sync), sync->skipped, "")};
  cs_rt_call_library(sync->unit, sync->builder, "sync_arrives", args, 3, none(sync));
}

LLVMValueRef cs_rt_sync_differs(struct cs_rt_sync *sync) {
  LLVMValueRef differs = cs_rt_call_library(sync->unit, sync->builder, "sync_differs", &sync->places, 1, u32(sync));
  return LLVMBuildICmp(sync->builder, LLVMIntNE, differs, LLVMConstNull(u32(sync)), "");
}

void cs_rt_sync_compare(struct cs_rt_sync *sync) {
  LLVMValueRef args[] = {sync->places, LLVMGetNamedGlobal(sync->unit->module, CS_SYM_STATE),
                         LLVMGetNamedGlobal(sync->unit->module, CS_SYM_COUNTS)};
  cs_rt_call_library(sync->unit, sync->builder, "sync_compare", args, 3, none(sync));
}
