/* detect_bounds.c: accesses outside of their buffer or variable, to freed memory, through null, or misaligned: bounds
 * once for each root, and a comparison at each access. */
#include "cusafe/check.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "pass/function/bounds.h"
#include "pass/function/choice.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/module/build.h"
#include "pass/module/marks.h"
#include "pass/module/runtime.h"
#include "pass/ranges/ranges.h"
#include <stdlib.h>

/* ---- plan: which accesses need a check, and where their bounds are read ---- */

/* Bounds come from variables that the function names, not from metadata. */
static int is_named(const struct cs_pass_access_item *item) {
  return item->variable != NULL || item->choice != NULL;
}

/* A constant offset inside the variable, or inside each that may have been chosen, needs no check; an access that may
 * come after the variable's scope always does. */
static int is_redundant(struct cs_pass_function *f, const struct cs_pass_access_item *item) {
  LLVMTargetDataRef layout = f->pass->layout;
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  const struct cs_pass_variable *v = item->variable;
  long long offset;
  if (item->bytes == 0 || !item->aligned)
    return 0;
  if (v == NULL)
    return cs_pass_choice_holds(&f->roots, pointer, item->bytes) ||
           (item->choice->is_bare && cs_pass_constant_offset(layout, pointer, item->choice->meeting, &offset) &&
            offset >= 0 && (cs_u64)offset + item->bytes <= item->choice->smallest);
  return (!v->outlived || v->is_read_ahead) && cs_pass_constant_offset(layout, pointer, v->value, &offset) &&
         offset >= 0 && (cs_u64)offset + item->bytes <= v->bytes;
}

/* --skip: a variable that is named has a plain address, so an access without a check needs nothing else. */
static int skips(const struct cs_pass *pass, const struct cs_pass_variable *v) {
  static const enum cs_pass_skip by_memory[CS_MEMORY_COUNT] = {
      [CS_MEMORY_UNKNOWN] = CS_PASS_SKIP_COUNT,      [CS_MEMORY_LOCAL] = CS_PASS_SKIP_LOCAL,
      [CS_MEMORY_SHARED] = CS_PASS_SKIP_SHARED,      [CS_MEMORY_DYNAMIC_SHARED] = CS_PASS_SKIP_SHARED,
      [CS_MEMORY_VARIABLE] = CS_PASS_SKIP_VARIABLES, [CS_MEMORY_CONSTANT] = CS_PASS_SKIP_VARIABLES};
  return v != NULL && (pass->options->skips >> by_memory[v->memory] & 1);
}

static int is_skipped(const struct cs_pass *pass, const struct cs_pass_access_item *item) {
  const struct cs_pass_choice *c = item->choice;
  for (size_t i = 0; c && i < c->count; i++)
    if (!skips(pass, c->variables[i]))
      return 0;
  return c != NULL || skips(pass, item->variable);
}

/* Inside a kernel's parameter at a constant offset. */
static int is_field_of_parameter(struct cs_pass *pass, const struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand), root = cs_pass_terminal_of(pointer);
  long long offset;
  return cs_pass_is_parameter_in_memory(root) && item->bytes > 0 &&
         cs_pass_constant_offset(pass->layout, pointer, root, &offset) && offset >= 0 &&
         (cs_u64)offset + item->bytes <= cs_pass_parameter_bytes(pass, root);
}

static enum cs_pass_reason reason_of(struct cs_pass *pass, const struct cs_pass_access_item *item) {
  int eliminated = cs_pass_eliminated_by(pass, item->instruction, item->operand);
  if (eliminated >= 0)
    return (enum cs_pass_reason)eliminated;
  if (is_skipped(pass, item))
    return CS_PASS_REASON_IGNORED;
  return is_named(item) || is_field_of_parameter(pass, item) ? CS_PASS_REASON_CONSTANT : CS_PASS_REASON_UNBOUNDED;
}

static void choose_checks(struct cs_pass_function *f) {
  for (size_t i = 0; i < f->collected.access_count; i++) {
    struct cs_pass_access_item *item = &f->collected.accesses[i];
    LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
    if (item->root && cs_pass_is_virtual_pointer(item->root))
      item->align = 1; /* a table that clang wrote */
    item->aligned =
        item->root && cs_pass_keeps_alignment(f->pass, pointer, item->choice ? NULL : item->root, item->align);
    if (is_named(item) && (is_skipped(f->pass, item) || is_redundant(f, item)))
      item->root = NULL;
    else if (item->choice)
      cs_pass_choice_bounds(&f->roots, item->choice);
    if (item->root == NULL)
      item->reason = reason_of(f->pass, item);
  }
}

/* The bounds of one root that has metadata, and what was computed from them so far. */
struct root {
  LLVMBasicBlockRef block;   /* the nearest block that dominates all accesses through the root */
  LLVMValueRef first_access; /* the first access in that block, if there is one */
  struct cs_pass_bounds bounds;
  int is_read; /* bounds are filled */
  struct limit {
    cs_u64 bytes;
    unsigned align; /* of the root */
    LLVMValueRef value;
  } *limits;
  size_t limit_count;
  struct indices {
    LLVMValueRef limit;
    unsigned shift;
    long long offset;
    int is_unsigned;
    LLVMValueRef first, count; /* i32 */
  } *indices;
  size_t index_count;
};

static void note_block(struct cs_pass_function *f, struct cs_ir_map *roots, const struct cs_pass_access_item *item) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(item->instruction);
  struct root *r = cs_ir_map_get(roots, item->root);
  if (r == NULL) {
    r = cs_ir_allocate(1, sizeof *r);
    r->block = block;
    cs_ir_map_set(roots, item->root, r);
  } else {
    r->block = cs_pass_common_dominator(f->analyses, r->block, block);
  }
}

static void note_first(struct cs_ir_map *roots, const struct cs_pass_access_item *item) {
  struct root *r = cs_ir_map_get(roots, item->root);
  if (r->first_access == NULL && LLVMGetInstructionParent(item->instruction) == r->block)
    r->first_access = item->instruction;
}

static void find_blocks(struct cs_pass_function *f, struct cs_ir_map *roots) {
  struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->access_count; i++)
    if (c->accesses[i].root && !is_named(&c->accesses[i]))
      note_block(f, roots, &c->accesses[i]);
  for (size_t i = 0; i < c->access_count; i++)
    if (c->accesses[i].root && !is_named(&c->accesses[i]))
      note_first(roots, &c->accesses[i]);
}

static void plan(struct cs_pass_function *f, struct cs_pass_found *found) {
  struct cs_ir_map *roots = cs_ir_allocate(1, sizeof *roots); /* root -> struct root */
  choose_checks(f);
  find_blocks(f, roots);
  found->plan = roots;
}

static void release(struct cs_pass_found *found) {
  struct cs_ir_map *roots = found->plan;
  for (size_t i = 0; roots && i < roots->capacity; i++) {
    struct root *r = roots->entries[i].value;
    if (r != NULL)
      free(r->limits), free(r->indices);
    free(r);
  }
  if (roots)
    cs_ir_map_free(roots);
  free(roots);
}

/* ---- write: bounds once for each root ---- */

/* A word in the table can be read for any pointer, so that reading may leave loops; a word in the window only where the
 * pointer is about to be used. */
static LLVMValueRef read_point(struct cs_pass_function *f, const struct root *r, LLVMValueRef root) {
  LLVMBasicBlockRef hoisted =
      f->pass->placement == CS_PLACEMENT_TABLE ? cs_pass_hoist_block(f->analyses, r->block, root) : NULL;
  if (hoisted)
    return LLVMGetBasicBlockTerminator(hoisted);
  return r->first_access ? r->first_access : LLVMGetBasicBlockTerminator(r->block);
}

/* Where kernels free, every access reads its bounds again. */
static void read_bounds(struct cs_pass_function *f, struct root *r, LLVMValueRef root, LLVMValueRef access) {
  if (r->is_read && !f->pass->uses_heap)
    return;
  r->limit_count = r->index_count = 0;
  cs_pass_build_before(f->pass, f->pass->uses_heap ? access : read_point(f, r, root), NULL);
  r->bounds = cs_pass_bounds_read(f->pass, root);
  r->is_read = 1;
}

static LLVMValueRef aligned(struct cs_pass *pass, LLVMValueRef limit, LLVMValueRef pointer, unsigned align) {
  LLVMValueRef address = LLVMBuildPtrToInt(pass->builder, cs_pass_generic(pass, pointer), pass->i64, "");
  return cs_pass_bounds_aligned(pass, limit, address, align);
}

/* The limit for accesses of this size; 0 if the root must be aligned and is not. */
static LLVMValueRef limit_of(struct cs_pass *pass, struct root *r, LLVMValueRef root, cs_u64 bytes, unsigned align) {
  for (size_t i = 0; i < r->limit_count; i++)
    if (r->limits[i].bytes == bytes && r->limits[i].align == align)
      return r->limits[i].value;
  cs_pass_build_before(pass, LLVMGetNextInstruction(r->bounds.size), NULL);
  LLVMValueRef value = cs_pass_bounds_limit(pass, r->bounds.size, bytes);
  if (align > 1)
    value = aligned(pass, value, root, align);
  cs_ir_push(r->limits, r->limit_count, (struct limit){bytes, align, value});
  return value;
}

/* Which indices are in bounds, computed where the root's bounds are. */
static struct indices indices_of(struct cs_pass *pass, struct root *r, LLVMValueRef root, LLVMValueRef limit,
                                 const struct cs_pass_index *index) {
  for (size_t i = 0; i < r->index_count; i++)
    if (r->indices[i].limit == limit && r->indices[i].shift == index->shift && r->indices[i].offset == index->offset &&
        r->indices[i].is_unsigned == index->is_unsigned)
      return r->indices[i];
  cs_pass_build_before(pass, LLVMGetNextInstruction(limit), NULL);
  LLVMValueRef arguments[] = {
      LLVMBuildPtrToInt(pass->builder, cs_pass_generic(pass, root), pass->i64, ""),
      r->bounds.start,
      cs_pass_constant(pass->i64, (cs_u64)index->offset),
      cs_pass_constant(pass->i32, index->shift),
      cs_pass_constant(pass->i64, index->is_unsigned ? 0 : (cs_u64)CS_INDEX_MIN),
      limit,
  };
  struct indices made = {
      .limit = limit, .shift = index->shift, .offset = index->offset, .is_unsigned = index->is_unsigned};
  made.first =
      LLVMBuildTrunc(pass->builder, cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FIRST_INDEX, arguments), pass->i32, "");
  made.count = cs_pass_runtime_call(pass, CS_PASS_RUNTIME_INDEX_COUNT, arguments);
  cs_ir_push(r->indices, r->index_count, made);
  return made;
}

/* ---- write: one check ---- */

static cs_u32 site_of(struct cs_pass_function *f, const struct cs_pass_access_item *item,
                      const struct cs_pass_variable *v) {
  struct cs_site site = {.access = item->access,
                         .size = (cs_u32)item->bytes,
                         .check = CS_CHECK_ACCESS,
                         .align = item->align,
                         .memory = v ? v->memory : CS_MEMORY_UNKNOWN};
  return cs_pass_sites_add(&f->pass->sites, item->instruction, site, f->kernel, v ? v->name : NULL);
}

static LLVMValueRef what_of(struct cs_pass *pass, const struct cs_pass_access_item *item, unsigned align) {
  cs_u32 forged = LLVMIsAIntToPtrInst(item->root) ? CS_WHAT_FORGED : 0;
  return cs_pass_constant(pass->i32, CS_WHAT((cs_u32)item->bytes, (cs_u32)__builtin_ctz(align), item->access) | forged);
}

/* Where the host computes the bounds, indices count from 0: one comparison is the check. */
static struct indices indices_from_host(struct cs_pass *pass, struct root *r, LLVMValueRef limit,
                                        const struct cs_pass_index *index) {
  struct indices made = {.first = LLVMConstNull(pass->i32)};
  cs_pass_build_before(pass, LLVMGetNextInstruction(limit), NULL);
  made.count = cs_pass_bounds_index(pass, &r->bounds, limit, index);
  return made;
}

/* Compares 32 bits instead of 64, and does not wait for the address. The indices in bounds take some 25 instructions to
 * compute: that pays only before a loop, or on the host. Returns 0 if it does not, or if the address has no such
 * form. */
static int check_index(struct cs_pass_function *f, const struct cs_pass_access_item *item, struct root *r,
                       cs_u32 site) {
  struct cs_pass *pass = f->pass;
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  struct cs_pass_index index;
  int from_host = f->is_fast && cs_pass_known_at_launch(item->root);
  if (!item->aligned || pass->uses_heap || f->is_rare ||
      (!from_host && !cs_pass_hoist_block(f->analyses, LLVMGetInstructionParent(item->instruction), r->bounds.size)) ||
      !cs_pass_index_of(pass->layout, pointer, item->root, &index))
    return 0;
  LLVMValueRef limit = limit_of(pass, r, item->root, item->bytes, item->align);
  struct indices in_bounds =
      from_host ? indices_from_host(pass, r, limit, &index) : indices_of(pass, r, item->root, limit, &index);
  cs_pass_build_before(pass, item->instruction, item->instruction);
  LLVMValueRef arguments[] = {
      cs_pass_generic(pass, pointer),
      cs_pass_generic(pass, item->root),
      LLVMBuildSub(pass->builder, index.index, in_bounds.first, ""),
      in_bounds.count,
      what_of(pass, item, item->align),
      cs_pass_constant(pass->i32, site),
  };
  cs_pass_replace_operand(pass, item->instruction, item->operand,
                          cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_INDEX, arguments));
  return 1;
}

/* An access that is aligned to its length is checked by its last byte, against the size itself. */
static void check_fixed(struct cs_pass_function *f, const struct cs_pass_access_item *item, struct root *r,
                        cs_u32 site) {
  struct cs_pass *pass = f->pass;
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  int by_last = item->align >= item->bytes;
  if (check_index(f, item, r, site))
    return;
  LLVMValueRef limit = limit_of(pass, r, item->root, by_last ? 1 : item->bytes, item->aligned ? item->align : 1);
  cs_pass_build_before(pass, item->instruction, item->instruction);
  if (!item->aligned)
    limit = aligned(pass, limit, pointer, item->align);
  LLVMValueRef arguments[] = {
      cs_pass_generic(pass, pointer),   cs_pass_generic(pass, item->root), r->bounds.start, limit,
      what_of(pass, item, item->align), cs_pass_constant(pass->i32, site),
  };
  cs_pass_replace_operand(
      pass, item->instruction, item->operand,
      cs_pass_runtime_call(pass, by_last ? CS_PASS_RUNTIME_CHECK_LAST : CS_PASS_RUNTIME_CHECK, arguments));
}

/* A range that must not be touched becomes one of length 0. What was to be read from it is 0, as with any other
 * read. */
static void guard_length(struct cs_pass *pass, const struct cs_pass_access_item *item, LLVMValueRef pointer) {
  LLVMBuilderRef builder = pass->builder;
  cs_pass_replace_operand(pass, item->instruction, item->operand, pointer);
  LLVMValueRef length = LLVMGetOperand(item->instruction, 2), none = LLVMConstNull(LLVMTypeOf(length));
  LLVMValueRef fails = LLVMBuildIsNull(builder, pointer, "");
  if (item->operand == 1)
    LLVMBuildMemSet(builder, LLVMGetOperand(item->instruction, 0), LLVMConstNull(LLVMInt8TypeInContext(pass->context)),
                    LLVMBuildSelect(builder, fails, length, none, ""), 1);
  LLVMSetOperand(item->instruction, 2, LLVMBuildSelect(builder, fails, none, length, ""));
  static const char *const promises[] = {"nonnull", "dereferenceable"};
  for (int i = 0; i < 2; i++)
    LLVMRemoveCallSiteEnumAttribute(item->instruction, item->operand + 1, cs_ir_attribute_kind(promises[i]));
}

static void check_range(struct cs_pass *pass, const struct cs_pass_access_item *item, const struct root *r,
                        cs_u32 site) {
  cs_pass_build_before(pass, item->instruction, item->instruction);
  LLVMValueRef arguments[] = {
      cs_pass_generic(pass, LLVMGetOperand(item->instruction, item->operand)),
      cs_pass_generic(pass, item->root),
      r->bounds.start,
      r->bounds.size,
      LLVMBuildZExtOrBitCast(pass->builder, item->length, pass->i64, ""),
      cs_pass_constant(pass->i32, item->access),
      cs_pass_constant(pass->i32, site),
  };
  guard_length(pass, item, cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_RANGE, arguments));
}

/* Each variable has its own site, so that the report names the one that was chosen. Only the cold path computes
 * this. */
static LLVMValueRef choose_site(struct cs_pass_function *f, const struct cs_pass_access_item *item,
                                LLVMValueRef start) {
  struct cs_pass *pass = f->pass;
  const struct cs_pass_choice *c = item->choice;
  LLVMValueRef site = cs_pass_constant(pass->i32, site_of(f, item, c->has_null ? NULL : c->variables[0]));
  for (size_t i = c->has_null ? 0 : 1; i < c->count; i++) {
    LLVMValueRef other = LLVMBuildPtrToInt(pass->builder, c->variables[i]->start, pass->i64, "");
    LLVMValueRef is_other = LLVMBuildICmp(pass->builder, LLVMIntEQ, start, other, "");
    LLVMValueRef number = cs_pass_constant(pass->i32, site_of(f, item, c->variables[i]));
    site = LLVMBuildSelect(pass->builder, is_other, number, site, "");
  }
  return site;
}

static void check_named(struct cs_pass_function *f, const struct cs_pass_access_item *item) {
  struct cs_pass *pass = f->pass;
  const struct cs_pass_variable *v = item->variable;
  const struct cs_pass_choice *c = item->choice;
  cs_pass_build_before(pass, item->instruction, item->instruction);
  LLVMValueRef pointer = cs_pass_generic(pass, LLVMGetOperand(item->instruction, item->operand));
  LLVMValueRef start = LLVMBuildPtrToInt(pass->builder, c ? c->start : v->start, pass->i64, "");
  LLVMValueRef bytes = c ? c->size : cs_pass_variable_bytes(pass, v);
  LLVMValueRef number = c ? choose_site(f, item, start) : cs_pass_constant(pass->i32, site_of(f, item, v));
  if (item->bytes > 0) {
    LLVMValueRef arguments[] = {pointer, start, bytes, what_of(pass, item, item->aligned ? 1 : item->align), number};
    cs_pass_replace_operand(pass, item->instruction, item->operand,
                            cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_NAMED, arguments));
    return;
  }
  LLVMValueRef length = LLVMBuildZExtOrBitCast(pass->builder, item->length, pass->i64, "");
  LLVMValueRef arguments[] = {pointer, start, bytes, length, number};
  guard_length(pass, item, cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_NAMED_RANGE, arguments));
}

static void check_tagged(struct cs_pass_function *f, const struct cs_pass_access_item *item, struct root *r) {
  cs_u32 site = site_of(f, item, NULL);
  read_bounds(f, r, item->root, item->instruction);
  if (item->bytes > 0)
    check_fixed(f, item, r, site);
  else
    check_range(f->pass, item, r, site);
}

static void write(struct cs_pass_function *f, struct cs_pass_found *found) {
  for (size_t i = 0; i < f->collected.access_count; i++) {
    const struct cs_pass_access_item *item = &f->collected.accesses[i];
    if (item->root == NULL)
      continue;
    if (is_named(item))
      check_named(f, item);
    else
      check_tagged(f, item, cs_ir_map_get(found->plan, item->root));
  }
}

const struct cs_pass_detector cs_pass_detect_bounds = {
    .name = "bounds",
    .plan = plan,
    .write = write,
    .release = release,
};
