/* function.c: rewrites one function: bounds once for each root, a comparison at each access, marks where pointers escape. */
#include "device/runtime.h"
#include "pass/access.h"
#include "pass/arrays.h"
#include "pass/choice.h"
#include "pass/eliminate.h"
#include "pass/field.h"
#include "pass/masked.h"
#include "pass/numbers.h"
#include "pass/roots.h"
#include "pass/unknown.h"
#include <stdlib.h>

/* The decoded bounds of one root. */
struct bounds {
  LLVMBasicBlockRef block;   /* the nearest block that dominates all accesses through the root */
  LLVMValueRef first_access; /* the first access in that block, if there is one */
  LLVMValueRef start, size;
  struct limit {
    cs_u64 bytes;
    unsigned align; /* of the root */
    LLVMValueRef value;
  } *limits;
  size_t limit_count, limit_capacity;
  struct indices {
    LLVMValueRef limit;
    unsigned shift;
    long long offset;
    int is_unsigned;
    LLVMValueRef first, count; /* i32 */
  } *indices;
  size_t index_count, index_capacity;
};

struct cs_pass_work {
  struct cs_pass *pass;
  LLVMValueRef function;
  LLVMValueRef kernel; /* the only one that reaches the function, or NULL */
  const struct cs_pass_analyses *analyses;
  struct cs_pass_roots roots;
  struct cs_pass_collected collected;
  struct cs_pass_map bounds; /* root -> struct bounds */
};

static LLVMValueRef constant(LLVMTypeRef type, cs_u64 value) {
  return LLVMConstInt(type, value, 0);
}

static void place_before(struct cs_pass_work *w, LLVMValueRef instruction, LLVMValueRef located_at) {
  LLVMPositionBuilderBefore(w->pass->builder, instruction);
  cs_pass_locate(w->pass, located_at, w->function);
}

/* Puts `value`, a generic pointer, where the instruction had a pointer of its own address space. */
static void replace_operand(struct cs_pass_work *w, LLVMValueRef instruction, unsigned operand, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, operand));
  if (type != w->pass->ptr)
    value = LLVMBuildAddrSpaceCast(w->pass->builder, value, type, "");
  LLVMSetOperand(instruction, operand, value);
}

static LLVMValueRef operand_root(struct cs_pass_work *w, LLVMValueRef instruction, unsigned operand) {
  return cs_pass_root_of(&w->roots, LLVMGetOperand(instruction, operand));
}

static struct cs_pass_variable *variable_of(struct cs_pass_work *w, LLVMValueRef root) {
  return root ? cs_pass_variable_of(w->pass, root) : NULL;
}

/* A variable that the function names, or a choice among such, gives the bounds; any other root has metadata. */
static void find_access_root(struct cs_pass_work *w, struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  if (cs_pass_eliminated_by(w->pass, item->instruction, item->operand) >= 0)
    return;
  item->root = cs_pass_plain_root_of(&w->roots, pointer);
  item->variable = variable_of(w, item->root);
  item->choice = item->root ? NULL : cs_pass_choice_of(&w->roots, pointer);
  if (item->choice)
    item->root = item->choice->meeting;
  else if (item->root == NULL)
    item->root = cs_pass_root_of(&w->roots, pointer);
}

/* A pointer to a variable that is named here is a plain address already. */
static LLVMValueRef number_root(struct cs_pass_work *w, const struct cs_pass_pointer_use *use) {
  LLVMValueRef pointer = LLVMGetOperand(use->instruction, use->operand);
  return cs_pass_choice_of(&w->roots, pointer) ? NULL : cs_pass_root_of(&w->roots, pointer);
}

/* Before any root is chosen: the bounds of a local that may be used after its scope are not constants. */
static void note_scopes(struct cs_pass_work *w) {
  struct cs_pass_collected *c = &w->collected;
  for (size_t i = 0; i < c->access_count; i++)
    cs_pass_visit_locals(&w->roots, LLVMGetOperand(c->accesses[i].instruction, c->accesses[i].operand),
                         cs_pass_note_outlived, c->accesses[i].instruction);
}

/* By index: companions add escapes while this runs. */
static void find_roots(struct cs_pass_work *w) {
  struct cs_pass_collected *c = &w->collected;
  for (size_t i = 0; i < c->access_count; i++)
    find_access_root(w, &c->accesses[i]);
  for (size_t i = 0; i < c->number_count; i++)
    c->numbers[i].root = number_root(w, &c->numbers[i]);
  for (size_t i = 0; i < c->escape_count; i++) {
    LLVMValueRef root = operand_root(w, c->escapes[i].instruction, c->escapes[i].operand);
    c->escapes[i].root = root;
  }
}

/* A constant offset inside the variable, or inside each that may have been chosen, needs no check; an access that may come
 * after the variable's scope always does. */
static int is_redundant(struct cs_pass_work *w, const struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  const struct cs_pass_variable *v = item->variable;
  long long offset;
  if (item->bytes == 0 || !item->aligned)
    return 0;
  if (v == NULL)
    return cs_pass_choice_holds(&w->roots, pointer, item->bytes) ||
           (item->choice->is_bare &&
            cs_pass_constant_offset(w->pass->layout, pointer, item->choice->meeting, &offset) && offset >= 0 &&
            (cs_u64)offset + item->bytes <= item->choice->smallest);
  return !v->outlived && cs_pass_constant_offset(w->pass->layout, pointer, v->value, &offset) && offset >= 0 &&
         (cs_u64)offset + item->bytes <= v->bytes;
}

/* A variable that is named has a plain address, so an access without a check needs nothing else. */
static int skips(const struct cs_pass_work *w, const struct cs_pass_variable *v) {
  static const enum cs_pass_skip by_memory[CS_MEMORY_COUNT] = {
      [CS_MEMORY_UNKNOWN] = CS_PASS_SKIP_COUNT,      [CS_MEMORY_LOCAL] = CS_PASS_SKIP_LOCAL,
      [CS_MEMORY_SHARED] = CS_PASS_SKIP_SHARED,      [CS_MEMORY_DYNAMIC_SHARED] = CS_PASS_SKIP_SHARED,
      [CS_MEMORY_VARIABLE] = CS_PASS_SKIP_VARIABLES, [CS_MEMORY_CONSTANT] = CS_PASS_SKIP_VARIABLES};
  return v != NULL && (w->pass->skips >> by_memory[v->memory] & 1);
}

static int is_skipped(const struct cs_pass_work *w, const struct cs_pass_access_item *item) {
  const struct cs_pass_choice *c = item->choice;
  for (size_t i = 0; c && i < c->count; i++)
    if (!skips(w, c->variables[i]))
      return 0;
  return c != NULL || skips(w, item->variable);
}

static int is_plain_call(LLVMValueRef instruction) {
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMIsAFunction(LLVMGetCalledValue(instruction)) : NULL;
  return callee != NULL && LLVMGetIntrinsicID(callee) == 0;
}

/* Before the escapes are judged: what lies in a variable that uninstrumented code reads must be plain. */
static void note_given_away(struct cs_pass_work *w) {
  struct cs_pass_collected *c = &w->collected;
  for (size_t i = 0; i < c->number_count; i++) {
    struct cs_pass_variable *v = variable_of(w, c->numbers[i].root);
    if (v && is_plain_call(c->numbers[i].instruction))
      v->given_away = 1;
  }
  for (size_t i = 0; i < c->escape_count; i++) {
    LLVMValueRef user = c->escapes[i].instruction;
    struct cs_pass_variable *into =
        LLVMIsAStoreInst(user) ? variable_of(w, cs_pass_root_of(&w->roots, LLVMGetOperand(user, 1))) : NULL;
    c->escapes[i].into = into && into->given_away ? into : NULL;
  }
}

/* Its bounds are those of variables that the function names. */
static int is_named(const struct cs_pass_access_item *item) {
  return item->variable != NULL || item->choice != NULL;
}

static void note_variables(struct cs_pass_work *w) {
  struct cs_pass_collected *c = &w->collected;
  for (size_t i = 0; i < c->escape_count; i++) {
    struct cs_pass_variable *v = variable_of(w, c->escapes[i].root);
    if (v && !c->escapes[i].into)
      v->escapes = 1;
  }
  for (size_t i = 0; i < c->access_count; i++) {
    struct cs_pass_access_item *item = &c->accesses[i];
    LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
    item->aligned =
        item->root && cs_pass_keeps_alignment(w->pass, pointer, item->choice ? NULL : item->root, item->align);
    if (is_named(item) && (is_skipped(w, item) || is_redundant(w, item)))
      item->root = NULL;
    else if (item->choice)
      cs_pass_choice_bounds(&w->roots, item->choice);
  }
}

/* Inside a kernel's parameter at a constant offset. */
static int is_field_of_parameter(struct cs_pass_work *w, const struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand), root = cs_pass_terminal_of(pointer);
  long long offset;
  return cs_pass_is_parameter_in_memory(root) && item->bytes > 0 &&
         cs_pass_constant_offset(w->pass->layout, pointer, root, &offset) && offset >= 0 &&
         (cs_u64)offset + item->bytes <= cs_pass_parameter_bytes(w->pass, root);
}

static enum cs_pass_reason reason_of(struct cs_pass_work *w, const struct cs_pass_access_item *item) {
  int eliminated = cs_pass_eliminated_by(w->pass, item->instruction, item->operand);
  if (eliminated >= 0)
    return (enum cs_pass_reason)eliminated;
  if (is_skipped(w, item))
    return CS_PASS_REASON_IGNORED;
  return is_named(item) || is_field_of_parameter(w, item) ? CS_PASS_REASON_CONSTANT : CS_PASS_REASON_UNBOUNDED;
}

/* Of the version that is there to be run; the one beside it that has every check does not count. */
static void print_statistics(struct cs_pass_work *w) {
  struct cs_pass_statistics s = {0};
  for (size_t i = 0; i < w->collected.access_count; i++) {
    const struct cs_pass_access_item *item = &w->collected.accesses[i];
    if (cs_pass_is_exact(w->pass, item->instruction))
      continue;
    s.accesses++;
    if (item->root) {
      s.checks++;
      continue;
    }
    enum cs_pass_reason reason = reason_of(w, item);
    s.removed[reason]++;
    if (reason == CS_PASS_REASON_UNBOUNDED && w->pass->unknown)
      cs_pass_print_unknown(&w->roots, item);
  }
  s.accesses += w->collected.ignored;
  s.removed[CS_PASS_REASON_IGNORED] += w->collected.ignored;
  if (s.accesses > 0 && w->pass->statistics)
    cs_pass_print_statistics(w->function, &s);
}

static void note_access(struct cs_pass_work *w, const struct cs_pass_access_item *item) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(item->instruction);
  struct bounds *b = cs_pass_map_get(&w->bounds, item->root);
  if (b == NULL) {
    b = calloc(1, sizeof *b);
    if (b == NULL)
      abort();
    b->block = block;
    cs_pass_map_set(&w->bounds, item->root, b);
  } else {
    b->block = cs_pass_common_dominator(w->analyses, b->block, block);
  }
}

static void note_first(struct cs_pass_work *w, const struct cs_pass_access_item *item) {
  struct bounds *b = cs_pass_map_get(&w->bounds, item->root);
  if (b->first_access == NULL && LLVMGetInstructionParent(item->instruction) == b->block)
    b->first_access = item->instruction;
}

static void find_blocks(struct cs_pass_work *w) {
  struct cs_pass_collected *c = &w->collected;
  for (size_t i = 0; i < c->access_count; i++)
    if (c->accesses[i].root && !is_named(&c->accesses[i]))
      note_access(w, &c->accesses[i]);
  for (size_t i = 0; i < c->access_count; i++)
    if (c->accesses[i].root && !is_named(&c->accesses[i]))
      note_first(w, &c->accesses[i]);
}

/* Where the bounds are decoded. A word in the table can be read for any pointer, so that decoding may leave loops; a word in
 * the window only where the pointer is about to be used. */
static LLVMValueRef decode_point(struct cs_pass_work *w, const struct bounds *b, LLVMValueRef root) {
  LLVMBasicBlockRef hoisted =
      w->pass->placement == CS_PLACEMENT_TABLE ? cs_pass_hoist_block(w->analyses, b->block, root) : NULL;
  if (hoisted)
    return LLVMGetBasicBlockTerminator(hoisted);
  return b->first_access ? b->first_access : LLVMGetBasicBlockTerminator(b->block);
}

/* Where kernels free, a size holds only for the access that follows. */
static struct bounds *decode(struct cs_pass_work *w, LLVMValueRef root, LLVMValueRef access) {
  struct bounds *b = cs_pass_map_get(&w->bounds, root);
  if (b->size != NULL && !w->pass->uses_heap)
    return b;
  b->limit_count = b->index_count = 0;
  place_before(w, w->pass->uses_heap ? access : decode_point(w, b, root), NULL);
  LLVMValueRef address = LLVMBuildPtrToInt(w->pass->builder, cs_pass_generic(w->pass, root), w->pass->i64, "");
  b->start = cs_pass_runtime_call(w->pass, CS_PASS_RUNTIME_START, &address);
  b->size =
      cs_pass_runtime_call(w->pass, w->pass->uses_heap ? CS_PASS_RUNTIME_SIZE_NOW : CS_PASS_RUNTIME_SIZE, &address);
  return b;
}

static LLVMValueRef aligned(struct cs_pass_work *w, LLVMValueRef most, LLVMValueRef pointer, unsigned align) {
  LLVMValueRef address = LLVMBuildPtrToInt(w->pass->builder, cs_pass_generic(w->pass, pointer), w->pass->i64, "");
  LLVMValueRef arguments[] = {most, address, constant(w->pass->i64, align)};
  return cs_pass_runtime_call(w->pass, CS_PASS_RUNTIME_ALIGNED, arguments);
}

/* The limit for accesses of this size; 0 if the root must be aligned and is not. */
static LLVMValueRef limit(struct cs_pass_work *w, struct bounds *b, LLVMValueRef root, cs_u64 bytes, unsigned align) {
  for (size_t i = 0; i < b->limit_count; i++)
    if (b->limits[i].bytes == bytes && b->limits[i].align == align)
      return b->limits[i].value;
  place_before(w, LLVMGetNextInstruction(b->size), NULL);
  LLVMValueRef arguments[] = {b->size, constant(w->pass->i64, bytes)};
  LLVMValueRef value = cs_pass_runtime_call(w->pass, CS_PASS_RUNTIME_LIMIT, arguments);
  if (align > 1)
    value = aligned(w, value, root, align);
  cs_pass_push(b->limits, b->limit_count, b->limit_capacity, (struct limit){bytes, align, value});
  return value;
}

static LLVMValueRef what_of(struct cs_pass_work *w, const struct cs_pass_access_item *item, unsigned align) {
  cs_u32 forged = LLVMIsAIntToPtrInst(item->root) ? CS_WHAT_FORGED : 0;
  return constant(w->pass->i32, CS_WHAT((cs_u32)item->bytes, (cs_u32)__builtin_ctz(align), item->access) | forged);
}

/* Which indices are in bounds, worked out where the root's bounds are. */
static struct indices indices(struct cs_pass_work *w, struct bounds *b, LLVMValueRef root, LLVMValueRef most,
                              const struct cs_pass_index *index) {
  struct cs_pass *pass = w->pass;
  for (size_t i = 0; i < b->index_count; i++)
    if (b->indices[i].limit == most && b->indices[i].shift == index->shift && b->indices[i].offset == index->offset &&
        b->indices[i].is_unsigned == index->is_unsigned)
      return b->indices[i];
  place_before(w, LLVMGetNextInstruction(most), NULL);
  LLVMValueRef arguments[] = {
      LLVMBuildPtrToInt(pass->builder, cs_pass_generic(pass, root), pass->i64, ""),
      b->start,
      constant(pass->i64, (cs_u64)index->offset),
      constant(pass->i32, index->shift),
      constant(pass->i64, index->is_unsigned ? 0 : (cs_u64)CS_INDEX_MIN),
      most,
  };
  struct indices made = {
      .limit = most, .shift = index->shift, .offset = index->offset, .is_unsigned = index->is_unsigned};
  made.first =
      LLVMBuildTrunc(pass->builder, cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FIRST_INDEX, arguments), pass->i32, "");
  made.count = cs_pass_runtime_call(pass, CS_PASS_RUNTIME_INDEX_COUNT, arguments);
  cs_pass_push(b->indices, b->index_count, b->index_capacity, made);
  return made;
}

/* A comparison of 32 bits instead of 64, and none of it waits for the address. */
static int check_index(struct cs_pass_work *w, const struct cs_pass_access_item *item, struct bounds *b,
                       LLVMValueRef most, cs_u32 site) {
  struct cs_pass *pass = w->pass;
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  struct cs_pass_index index;
  if (pass->uses_heap || !cs_pass_index_of(pass->layout, pointer, item->root, &index))
    return 0;
  struct indices known = indices(w, b, item->root, most, &index);
  place_before(w, item->instruction, item->instruction);
  LLVMValueRef arguments[] = {
      cs_pass_generic(pass, pointer),
      cs_pass_generic(pass, item->root),
      LLVMBuildSub(pass->builder, index.index, known.first, ""),
      known.count,
      what_of(w, item, item->align),
      constant(pass->i32, site),
  };
  replace_operand(w, item->instruction, item->operand,
                  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_INDEX, arguments));
  return 1;
}

static void check_fixed(struct cs_pass_work *w, const struct cs_pass_access_item *item, cs_u32 site) {
  struct cs_pass *pass = w->pass;
  struct bounds *b = decode(w, item->root, item->instruction);
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  LLVMValueRef most = limit(w, b, item->root, item->bytes, item->aligned ? item->align : 1);
  if (item->aligned && check_index(w, item, b, most, site))
    return;
  place_before(w, item->instruction, item->instruction);
  if (!item->aligned)
    most = aligned(w, most, pointer, item->align);
  LLVMValueRef arguments[] = {
      cs_pass_generic(pass, pointer), cs_pass_generic(pass, item->root), b->start, most,
      what_of(w, item, item->align),  constant(pass->i32, site),
  };
  replace_operand(w, item->instruction, item->operand, cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK, arguments));
}

/* A range that must not be touched becomes one of length 0. What was to be read from it is 0, as with any other read. */
static void guard_length(struct cs_pass_work *w, const struct cs_pass_access_item *item, LLVMValueRef pointer) {
  LLVMBuilderRef builder = w->pass->builder;
  replace_operand(w, item->instruction, item->operand, pointer);
  LLVMValueRef length = LLVMGetOperand(item->instruction, 2), none = LLVMConstNull(LLVMTypeOf(length));
  LLVMValueRef bad = LLVMBuildIsNull(builder, pointer, "");
  if (item->operand == 1)
    LLVMBuildMemSet(builder, LLVMGetOperand(item->instruction, 0),
                    LLVMConstNull(LLVMInt8TypeInContext(w->pass->context)),
                    LLVMBuildSelect(builder, bad, length, none, ""), 1);
  LLVMSetOperand(item->instruction, 2, LLVMBuildSelect(builder, bad, none, length, ""));
  static const char *const promises[] = {"nonnull", "dereferenceable"};
  for (int i = 0; i < 2; i++)
    LLVMRemoveCallSiteEnumAttribute(item->instruction, item->operand + 1,
                                    LLVMGetEnumAttributeKindForName(promises[i], i == 0 ? 7 : 15));
}

static void check_range(struct cs_pass_work *w, const struct cs_pass_access_item *item, cs_u32 site) {
  struct cs_pass *pass = w->pass;
  struct bounds *b = decode(w, item->root, item->instruction);
  place_before(w, item->instruction, item->instruction);
  LLVMValueRef arguments[] = {
      cs_pass_generic(pass, LLVMGetOperand(item->instruction, item->operand)),
      cs_pass_generic(pass, item->root),
      b->start,
      b->size,
      LLVMBuildZExtOrBitCast(pass->builder, item->length, pass->i64, ""),
      constant(pass->i32, item->access),
      constant(pass->i32, site),
  };
  guard_length(w, item, cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_RANGE, arguments));
}

static cs_u32 access_site(struct cs_pass_work *w, const struct cs_pass_access_item *item,
                          const struct cs_pass_variable *v) {
  struct cs_site site = {.access = item->access,
                         .size = (cs_u32)item->bytes,
                         .check = CS_CHECK_ACCESS,
                         .align = item->align,
                         .memory = v ? v->memory : CS_MEMORY_UNKNOWN};
  return cs_pass_sites_add(&w->pass->sites, item->instruction, site, w->kernel, v ? v->name : NULL);
}

/* Each variable has a site of its own, so that the report names the one that was chosen. Only the cold path computes this. */
static LLVMValueRef choose_site(struct cs_pass_work *w, const struct cs_pass_access_item *item, LLVMValueRef start) {
  struct cs_pass *pass = w->pass;
  const struct cs_pass_choice *c = item->choice;
  LLVMValueRef site = constant(pass->i32, access_site(w, item, c->has_null ? NULL : c->variables[0]));
  for (size_t i = c->has_null ? 0 : 1; i < c->count; i++) {
    LLVMValueRef other = LLVMBuildPtrToInt(pass->builder, c->variables[i]->start, pass->i64, "");
    LLVMValueRef is_other = LLVMBuildICmp(pass->builder, LLVMIntEQ, start, other, "");
    LLVMValueRef number = constant(pass->i32, access_site(w, item, c->variables[i]));
    site = LLVMBuildSelect(pass->builder, is_other, number, site, "");
  }
  return site;
}

static void check_named(struct cs_pass_work *w, const struct cs_pass_access_item *item) {
  struct cs_pass *pass = w->pass;
  const struct cs_pass_variable *v = item->variable;
  const struct cs_pass_choice *c = item->choice;
  place_before(w, item->instruction, item->instruction);
  LLVMValueRef pointer = cs_pass_generic(pass, LLVMGetOperand(item->instruction, item->operand));
  LLVMValueRef start = LLVMBuildPtrToInt(pass->builder, c ? c->start : v->start, pass->i64, "");
  LLVMValueRef bytes = c ? c->size : cs_pass_variable_bytes(pass, v);
  LLVMValueRef number = c ? choose_site(w, item, start) : constant(pass->i32, access_site(w, item, v));
  if (item->bytes > 0) {
    LLVMValueRef arguments[] = {pointer, start, bytes, what_of(w, item, item->aligned ? 1 : item->align), number};
    replace_operand(w, item->instruction, item->operand,
                    cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_NAMED, arguments));
    return;
  }
  LLVMValueRef length = LLVMBuildZExtOrBitCast(pass->builder, item->length, pass->i64, "");
  LLVMValueRef arguments[] = {pointer, start, bytes, length, number};
  guard_length(w, item, cs_pass_runtime_call(pass, CS_PASS_RUNTIME_CHECK_NAMED_RANGE, arguments));
}

static void check_accesses(struct cs_pass_work *w) {
  struct cs_pass_collected *c = &w->collected;
  for (size_t i = 0; i < c->access_count; i++) {
    const struct cs_pass_access_item *item = &c->accesses[i];
    if (item->root == NULL)
      continue;
    if (is_named(item))
      check_named(w, item);
    else if (item->bytes > 0)
      check_fixed(w, item, access_site(w, item, NULL));
    else
      check_range(w, item, access_site(w, item, NULL));
  }
}

static void fail_field(struct cs_pass_work *w, LLVMValueRef call, LLVMValueRef index) {
  struct cs_pass *pass = w->pass;
  cs_u32 number = cs_pass_sites_add(&pass->sites, call, (struct cs_site){.check = CS_CHECK_FIELD}, w->kernel, NULL);
  LLVMValueRef arguments[] = {
      index,
      constant(pass->i64, cs_pass_field_elements(LLVMGetOperand(call, 0))),
      constant(pass->i32, number),
  };
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FAIL_FIELD, arguments);
}

/* The array is all of a variable: an access outside of that, even if LLVM has left the access away. */
static void fail_array(struct cs_pass_work *w, LLVMValueRef call, LLVMValueRef index, const struct cs_pass_array *a) {
  struct cs_pass *pass = w->pass;
  LLVMValueRef start = cs_pass_start_of(pass, (enum cs_memory)a->memory, a->name);
  struct cs_site site = {
      .check = CS_CHECK_FIELD, .access = (cs_u32)a->access, .size = (cs_u32)a->size, .memory = (cs_u32)a->memory};
  LLVMValueRef arguments[] = {
      LLVMBuildAdd(pass->builder, LLVMBuildMul(pass->builder, index, constant(pass->i64, a->stride), ""),
                   constant(pass->i64, a->inside), ""),
      start ? LLVMBuildPtrToInt(pass->builder, start, pass->i64, "") : constant(pass->i64, 0),
      constant(pass->i64, a->bytes),
      constant(pass->i32, cs_pass_sites_add(&pass->sites, call, site, w->kernel, a->name)),
  };
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FAIL_ARRAY, arguments);
}

/* clang has found an index outside an array and calls its own runtime. */
static void check_fields(struct cs_pass_work *w) {
  struct cs_pass *pass = w->pass;
  for (size_t i = 0; i < w->collected.field_count; i++) {
    LLVMValueRef call = w->collected.fields[i];
    struct cs_pass_array array;
    place_before(w, call, call);
    LLVMValueRef index = LLVMBuildZExtOrBitCast(pass->builder, LLVMGetOperand(call, 1), pass->i64, "");
    if (cs_pass_array_of(LLVMGetOperand(call, 0), &array))
      fail_array(w, call, index, &array);
    else
      fail_field(w, call, index);
    LLVMInstructionEraseFromParent(call);
  }
}

static void drop_ignored_fields(struct cs_pass_work *w) {
  for (size_t i = 0; i < w->collected.ignored_field_count; i++)
    LLVMInstructionEraseFromParent(w->collected.ignored_fields[i]);
}

static void check_frees(struct cs_pass_work *w) {
  struct cs_pass *pass = w->pass;
  for (size_t i = 0; i < w->collected.free_count; i++) {
    LLVMValueRef call = w->collected.frees[i];
    struct cs_site site = {.check = CS_CHECK_FREE};
    cs_u32 number = cs_pass_sites_add(&pass->sites, call, site, w->kernel, NULL);
    place_before(w, call, call);
    LLVMValueRef arguments[] = {cs_pass_generic(pass, LLVMGetOperand(call, 0)), constant(pass->i32, number)};
    cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FREE, arguments);
    LLVMInstructionEraseFromParent(call);
  }
}

static LLVMValueRef plain_form(struct cs_pass_work *w, LLVMValueRef pointer) {
  LLVMValueRef argument = cs_pass_generic(w->pass, pointer);
  return cs_pass_runtime_call(w->pass, CS_PASS_RUNTIME_PLAIN, &argument);
}

static LLVMValueRef escaping_form(struct cs_pass_work *w, const struct cs_pass_pointer_use *use) {
  struct cs_pass *pass = w->pass;
  LLVMValueRef pointer = LLVMGetOperand(use->instruction, use->operand), root = use->root;
  const struct cs_pass_variable *v = cs_pass_variable_of(pass, root);
  if (use->into)
    return v ? NULL : plain_form(w, pointer);
  if (v != NULL)
    return cs_pass_variable_close(pass, v, cs_pass_generic(pass, pointer));
  LLVMValueRef arguments[] = {cs_pass_generic(pass, pointer), cs_pass_generic(pass, root)};
  if (LLVMIsAPtrToIntInst(use->instruction)) {
    if (cs_pass_is_meeting(root)) /* the pointer may be the plain address of a variable */
      arguments[0] = cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ESCAPE, arguments);
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_KEPT, arguments);
  }
  if (LLVMIsAIntToPtrInst(root))
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ESCAPE_FORGED, arguments);
  return cs_pass_is_bare(pointer, root) ? NULL : cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ESCAPE, arguments);
}

static void mark_escapes(struct cs_pass_work *w) {
  for (size_t i = 0; i < w->collected.escape_count; i++) {
    struct cs_pass_pointer_use use = w->collected.escapes[i];
    if (use.root == NULL)
      continue;
    place_before(w, use.instruction, use.instruction);
    LLVMValueRef form = escaping_form(w, &use);
    if (form != NULL)
      replace_operand(w, use.instruction, use.operand, form);
  }
}

/* A variable that is named here is a plain address already. */
static void plain_numbers(struct cs_pass_work *w) {
  for (size_t i = 0; i < w->collected.number_count; i++) {
    struct cs_pass_pointer_use use = w->collected.numbers[i];
    if (use.root == NULL || cs_pass_variable_of(w->pass, use.root) != NULL)
      continue;
    place_before(w, use.instruction, use.instruction);
    replace_operand(w, use.instruction, use.operand, plain_form(w, LLVMGetOperand(use.instruction, use.operand)));
  }
}

static void finish(struct cs_pass_work *w) {
  for (size_t i = 0; i < w->bounds.capacity; i++) {
    struct bounds *b = w->bounds.entries[i].value;
    if (b != NULL)
      free(b->limits), free(b->indices);
    free(b);
  }
  cs_pass_map_free(&w->bounds);
  cs_pass_choices_free(&w->roots);
  cs_pass_roots_free(&w->roots);
  cs_pass_collected_free(&w->collected);
}

struct cs_pass_work *cs_pass_function_read(struct cs_pass *pass, LLVMValueRef function,
                                           const struct cs_pass_analyses *analyses) {
  struct cs_pass_work *w = calloc(1, sizeof *w);
  if (w == NULL)
    abort();
  *w = (struct cs_pass_work){.pass = pass, .function = function, .analyses = analyses};
  w->roots = (struct cs_pass_roots){.pass = pass, .analyses = analyses, .collected = &w->collected};
  w->kernel = cs_pass_reaching_kernel(pass, function);
  cs_pass_expand_masked(function);
  cs_pass_split_numbers(function);
  cs_pass_collect(&w->collected, pass, function);
  note_scopes(w);
  find_roots(w);
  note_given_away(w);
  note_variables(w);
  if (pass->statistics || pass->unknown)
    print_statistics(w);
  find_blocks(w);
  return w;
}

void cs_pass_function_write(struct cs_pass_work *w) {
  mark_escapes(w);
  plain_numbers(w);
  check_accesses(w);
  check_fields(w);
  drop_ignored_fields(w);
  check_frees(w);
  cs_pass_strip_attributes(w->function);
  finish(w);
  free(w);
}
