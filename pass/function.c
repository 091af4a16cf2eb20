/* function.c: rewrites one function: bounds once for each root, a comparison at each access, marks where pointers escape. */
#include "device/runtime.h"
#include "pass/access.h"
#include "pass/roots.h"
#include <stdlib.h>

/* The decoded bounds of one root. */
struct bounds {
  LLVMBasicBlockRef block;   /* the nearest block that dominates all accesses through the root */
  LLVMValueRef first_access; /* the first access in that block, if there is one */
  LLVMValueRef start, size;
  struct limit {
    cs_u64 bytes;
    LLVMValueRef value;
  } *limits;
  size_t limit_count, limit_capacity;
};

struct work {
  struct cs_pass *pass;
  LLVMValueRef function;
  const struct cs_analyses *analyses;
  struct cs_roots roots;
  struct cs_collected collected;
  struct cs_map bounds; /* root -> struct bounds */
};

static LLVMValueRef constant(LLVMTypeRef type, cs_u64 value) {
  return LLVMConstInt(type, value, 0);
}

/* A call that may be inlined needs a location if its function has debug information. */
static void locate(struct work *w, LLVMValueRef instruction) {
  LLVMMetadataRef location = instruction ? LLVMInstructionGetDebugLoc(instruction) : NULL;
  LLVMMetadataRef program = LLVMGetSubprogram(w->function);
  if (location == NULL && program != NULL)
    location = LLVMDIBuilderCreateDebugLocation(w->pass->context, 0, 0, program, NULL);
  LLVMSetCurrentDebugLocation2(w->pass->builder, location);
}

static void place_before(struct work *w, LLVMValueRef instruction, LLVMValueRef located_at) {
  LLVMPositionBuilderBefore(w->pass->builder, instruction);
  locate(w, located_at);
}

/* Puts `value`, a generic pointer, where the instruction had a pointer of its own address space. */
static void replace_operand(struct work *w, LLVMValueRef instruction, unsigned operand, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, operand));
  if (type != w->pass->ptr)
    value = LLVMBuildAddrSpaceCast(w->pass->builder, value, type, "");
  LLVMSetOperand(instruction, operand, value);
}

static void find_roots(struct work *w) {
  struct cs_collected *c = &w->collected;
  for (size_t i = 0; i < c->access_count; i++) {
    struct cs_access_item *item = &c->accesses[i];
    item->root = cs_root_of(&w->roots, LLVMGetOperand(item->instruction, item->operand));
  }
}

static void note_access(struct work *w, const struct cs_access_item *item) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(item->instruction);
  struct bounds *b = cs_map_get(&w->bounds, item->root);
  if (b == NULL) {
    b = calloc(1, sizeof *b);
    if (b == NULL)
      abort();
    b->block = block;
    cs_map_set(&w->bounds, item->root, b);
  } else {
    b->block = cs_common_dominator(w->analyses, b->block, block);
  }
}

static void note_first(struct work *w, const struct cs_access_item *item) {
  struct bounds *b = cs_map_get(&w->bounds, item->root);
  if (b->first_access == NULL && LLVMGetInstructionParent(item->instruction) == b->block)
    b->first_access = item->instruction;
}

static void find_blocks(struct work *w) {
  struct cs_collected *c = &w->collected;
  for (size_t i = 0; i < c->access_count; i++)
    if (c->accesses[i].root)
      note_access(w, &c->accesses[i]);
  for (size_t i = 0; i < c->access_count; i++)
    if (c->accesses[i].root)
      note_first(w, &c->accesses[i]);
}

/* Where the bounds are decoded. A word in the table can be read for any pointer, so that decoding may leave loops; a word in
 * the window only where the pointer is about to be used. */
static LLVMValueRef decode_point(struct work *w, const struct bounds *b, LLVMValueRef root) {
  LLVMBasicBlockRef hoisted =
      w->pass->placement == CS_PLACEMENT_TABLE ? cs_hoist_block(w->analyses, b->block, root) : NULL;
  if (hoisted)
    return LLVMGetBasicBlockTerminator(hoisted);
  return b->first_access ? b->first_access : LLVMGetBasicBlockTerminator(b->block);
}

static struct bounds *decode(struct work *w, LLVMValueRef root) {
  struct bounds *b = cs_map_get(&w->bounds, root);
  if (b->size != NULL)
    return b;
  place_before(w, decode_point(w, b, root), NULL);
  LLVMValueRef address = LLVMBuildPtrToInt(w->pass->builder, cs_generic(w->pass, root), w->pass->i64, "");
  b->start = cs_runtime_call(w->pass, CS_RT_START, &address);
  b->size = cs_runtime_call(w->pass, CS_RT_SIZE, &address);
  return b;
}

static LLVMValueRef limit(struct work *w, struct bounds *b, cs_u64 bytes) {
  for (size_t i = 0; i < b->limit_count; i++)
    if (b->limits[i].bytes == bytes)
      return b->limits[i].value;
  place_before(w, LLVMGetNextInstruction(b->size), NULL);
  LLVMValueRef arguments[] = {b->size, constant(w->pass->i64, bytes)};
  LLVMValueRef value = cs_runtime_call(w->pass, CS_RT_LIMIT, arguments);
  cs_push(b->limits, b->limit_count, b->limit_capacity, (struct limit){bytes, value});
  return value;
}

static void check_fixed(struct work *w, const struct cs_access_item *item, struct bounds *b, cs_u32 site) {
  struct cs_pass *pass = w->pass;
  LLVMValueRef most = limit(w, b, item->bytes);
  place_before(w, item->instruction, item->instruction);
  LLVMValueRef arguments[] = {
      cs_generic(pass, LLVMGetOperand(item->instruction, item->operand)),
      cs_generic(pass, item->root),
      b->start,
      most,
      constant(pass->i32, item->bytes | (cs_u64)item->access << CS_WHAT_ACCESS_SHIFT),
      constant(pass->i32, site),
  };
  replace_operand(w, item->instruction, item->operand, cs_runtime_call(pass, CS_RT_CHECK, arguments));
}

/* A range that must not be touched becomes one of length 0. */
static void check_range(struct work *w, const struct cs_access_item *item, struct bounds *b, cs_u32 site) {
  struct cs_pass *pass = w->pass;
  place_before(w, item->instruction, item->instruction);
  LLVMValueRef bytes = LLVMBuildZExtOrBitCast(pass->builder, item->length, pass->i64, "");
  LLVMValueRef arguments[] = {
      cs_generic(pass, LLVMGetOperand(item->instruction, item->operand)),
      cs_generic(pass, item->root),
      b->start,
      b->size,
      bytes,
      constant(pass->i32, item->access),
      constant(pass->i32, site),
  };
  LLVMValueRef pointer = cs_runtime_call(pass, CS_RT_CHECK_RANGE, arguments);
  replace_operand(w, item->instruction, item->operand, pointer);
  LLVMValueRef length = LLVMGetOperand(item->instruction, 2);
  LLVMValueRef bad = LLVMBuildIsNull(pass->builder, pointer, "");
  LLVMSetOperand(item->instruction, 2,
                 LLVMBuildSelect(pass->builder, bad, LLVMConstNull(LLVMTypeOf(length)), length, ""));
  static const char *const promises[] = {"nonnull", "dereferenceable"};
  for (int i = 0; i < 2; i++)
    LLVMRemoveCallSiteEnumAttribute(item->instruction, item->operand + 1,
                                    LLVMGetEnumAttributeKindForName(promises[i], i == 0 ? 7 : 15));
}

static void check_accesses(struct work *w) {
  struct cs_collected *c = &w->collected;
  LLVMValueRef kernel = cs_reaching_kernel(w->pass, w->function);
  for (size_t i = 0; i < c->access_count; i++) {
    const struct cs_access_item *item = &c->accesses[i];
    if (item->root == NULL)
      continue;
    cs_u32 site = cs_sites_add(&w->pass->sites, item->instruction, item->access, (cs_u32)item->bytes, kernel);
    struct bounds *b = decode(w, item->root);
    if (item->bytes > 0)
      check_fixed(w, item, b, site);
    else
      check_range(w, item, b, site);
  }
}

static void mark_escapes(struct work *w) {
  for (size_t i = 0; i < w->collected.escape_count; i++) {
    struct cs_pointer_use use = w->collected.escapes[i];
    LLVMValueRef pointer = LLVMGetOperand(use.instruction, use.operand);
    LLVMValueRef root = cs_root_of(&w->roots, pointer);
    if (root == NULL || cs_is_bare(pointer, root))
      continue;
    place_before(w, use.instruction, use.instruction);
    LLVMValueRef arguments[] = {cs_generic(w->pass, pointer), cs_generic(w->pass, root)};
    replace_operand(w, use.instruction, use.operand, cs_runtime_call(w->pass, CS_RT_ESCAPE, arguments));
  }
}

static void plain_numbers(struct work *w) {
  for (size_t i = 0; i < w->collected.number_count; i++) {
    struct cs_pointer_use use = w->collected.numbers[i];
    LLVMValueRef pointer = LLVMGetOperand(use.instruction, use.operand);
    if (cs_root_of(&w->roots, pointer) == NULL)
      continue;
    place_before(w, use.instruction, use.instruction);
    LLVMValueRef argument = cs_generic(w->pass, pointer);
    replace_operand(w, use.instruction, use.operand, cs_runtime_call(w->pass, CS_RT_PLAIN, &argument));
  }
}

static void finish(struct work *w) {
  for (size_t i = 0; i < w->bounds.capacity; i++) {
    struct bounds *b = w->bounds.entries[i].value;
    if (b != NULL)
      free(b->limits);
    free(b);
  }
  cs_map_free(&w->bounds);
  cs_roots_free(&w->roots);
  cs_collected_free(&w->collected);
}

void cs_instrument_function(struct cs_pass *pass, LLVMValueRef function, const struct cs_analyses *analyses) {
  struct work w = {.pass = pass, .function = function, .analyses = analyses, .roots = {pass, analyses, {0}}};
  cs_collect(&w.collected, pass, function);
  find_roots(&w);
  find_blocks(&w);
  mark_escapes(&w);
  plain_numbers(&w);
  check_accesses(&w);
  cs_strip_attributes(function);
  finish(&w);
}
