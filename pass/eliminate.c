/* eliminate.c: finds accesses that are in range for a reason that can be tested once, and makes a version of the code that
 * leaves their checks away. */
#include "pass/eliminate.h"
#include "cusafe/ir.h"
#include "pass/access.h"
#include "pass/choice.h"
#include "pass/masked.h"
#include "pass/range.h"
#include "pass/roots.h"
#include "pass/version.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Instructions; beyond that, a second version costs more than it saves. */
enum { LONGEST_FUNCTION = 6000, LONGEST_LOOP = 2000, MOST_VERSIONS = 16 };

static const struct {
  const char *name, *option;
} reasons[CS_PASS_REASON_COUNT] = {
#define CS_PASS_REASON(id, name, option) [CS_PASS_REASON_##id] = {name, option},
#include "pass/reasons.inc"
};

/* ---- options and statistics ---- */

static int reason_of_option(const char *name, size_t length) {
  for (int r = 0; r < CS_PASS_REASON_COUNT; r++)
    if (reasons[r].option && strlen(reasons[r].option) == length && strncmp(reasons[r].option, name, length) == 0)
      return r;
  return -1;
}

static void say_options(const char *name, size_t length) {
  fprintf(stderr, "cusafe: -cusafe-eliminate: '%.*s' is not an elimination; there are all, none", (int)length, name);
  for (int r = 0; r < CS_PASS_REASON_COUNT; r++)
    if (reasons[r].option)
      fprintf(stderr, ", %s", reasons[r].option);
  fputs("\n", stderr);
}

int cs_pass_parse_eliminations(const char *list) {
  int bits = 0;
  for (const char *at = list; *at != '\0';) {
    size_t length = strcspn(at, ",");
    int reason = reason_of_option(at, length);
    if (length == 3 && strncmp(at, "all", 3) == 0)
      bits = (1 << CS_PASS_REASON_COUNT) - 1;
    else if (reason >= 0)
      bits |= 1 << reason;
    else if (length != 4 || strncmp(at, "none", 4) != 0)
      return say_options(at, length), -1;
    at += length + (at[length] == ',');
  }
  return bits;
}

void cs_pass_print_statistics(LLVMValueRef function, const struct cs_pass_statistics *s) {
  size_t length;
  fprintf(stderr, "cusafe: %s: %u accesses, %u checks", LLVMGetValueName2(function, &length), s->accesses, s->checks);
  for (int r = 0; r < CS_PASS_REASON_COUNT; r++)
    if (s->removed[r])
      fprintf(stderr, ", %u %s", s->removed[r], reasons[r].name);
  fputs("\n", stderr);
}

/* ---- marks ---- */

static unsigned kind_of(LLVMContextRef context, const char *name) {
  return LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name));
}

/* Of the version with every check: nothing may be left away there. */
static unsigned exact_kind(const struct cs_pass *pass) {
  return kind_of(pass->context, CS_IR_EXACT);
}

/* An instruction has two accesses at most: what a copy writes and what it reads. */
static unsigned safe_kind(const struct cs_pass *pass, unsigned operand) {
  return kind_of(pass->context, operand == 0 ? "cusafe.safe.0" : "cusafe.safe.1");
}

int cs_pass_is_exact(const struct cs_pass *pass, LLVMValueRef instruction) {
  return LLVMGetMetadata(instruction, exact_kind(pass)) != NULL;
}

void cs_pass_set_own(const struct cs_pass *pass, LLVMValueRef instruction) {
  LLVMValueRef node = LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, NULL, 0));
  if (LLVMIsAInstruction(instruction))
    LLVMSetMetadata(instruction, kind_of(pass->context, "cusafe.own"), node);
}

int cs_pass_is_own(const struct cs_pass *pass, LLVMValueRef instruction) {
  return LLVMGetMetadata(instruction, kind_of(pass->context, "cusafe.own")) != NULL;
}

static void set_safe(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand,
                     enum cs_pass_reason reason) {
  LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(pass->i32, reason, 0));
  LLVMValueRef node = LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, &number, 1));
  LLVMSetMetadata(instruction, safe_kind(pass, operand), node);
}

int cs_pass_eliminated_by(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand) {
  LLVMValueRef node = LLVMGetMetadata(instruction, safe_kind(pass, operand)), number;
  if (node == NULL)
    return -1;
  LLVMGetMDNodeOperands(node, &number);
  return (int)LLVMConstIntGetZExtValue(number);
}

/* ---- one test for many accesses ---- */

struct chosen {
  LLVMValueRef instruction;
  unsigned operand;
  int is_field;  /* clang's call about an index: not reached */
  int is_proved; /* nothing is left to test */
};

struct test {
  struct cs_pass *pass;
  enum cs_pass_reason reason; /* for what is not proved */
  LLVMValueRef function, place;
  struct cs_pass_ranges *ranges;
  struct cs_pass_roots *roots;
  struct cs_pass_map bounds; /* root -> struct bounds */
  LLVMValueRef good;         /* i1, or NULL: nothing to test */
  struct chosen *chosen;
  size_t chosen_count, chosen_capacity;
};

struct bounds {
  LLVMValueRef address, start, size;
};

/* What an access is derived from. */
struct root {
  LLVMValueRef value;
  const struct cs_pass_variable *variable; /* if it is one, */
  const struct cs_pass_choice *choice;     /* or is chosen among several */
};

static LLVMValueRef constant(LLVMTypeRef type, cs_u64 value) {
  return LLVMConstInt(type, value, 0);
}

static void go_to_place(struct test *t) {
  LLVMPositionBuilderBefore(t->pass->builder, t->place);
  cs_pass_locate(t->pass, NULL, t->function);
}

/* A word may be read here only if it can be read for any pointer, and means something only if no kernel changes it. */
static const struct bounds *bounds_of(struct test *t, LLVMValueRef root) {
  struct cs_pass *pass = t->pass;
  struct bounds *b = cs_pass_map_get(&t->bounds, root);
  if (b)
    return b;
  if (pass->uses_heap || pass->placement != CS_PLACEMENT_TABLE || LLVMIsAIntToPtrInst(root))
    return NULL;
  LLVMValueRef pointer = cs_pass_ranges_value(t->ranges, root);
  if (pointer == NULL || LLVMIsConstant(pointer))
    return NULL;
  go_to_place(t);
  b = malloc(sizeof *b);
  if (b == NULL)
    abort();
  b->address = LLVMBuildPtrToInt(pass->builder, cs_pass_generic(pass, pointer), pass->i64, "");
  cs_pass_set_own(pass, b->address);
  b->start = cs_pass_runtime_call(pass, CS_PASS_RUNTIME_START, &b->address);
  b->size = cs_pass_runtime_call(pass, CS_PASS_RUNTIME_SIZE, &b->address);
  cs_pass_map_set(&t->bounds, root, b);
  return b;
}

/* Both ends of the extent are below the limit, counted from the start; so is what lies between. */
static LLVMValueRef is_inside(struct test *t, const struct cs_pass_extent *extent, LLVMValueRef from,
                              LLVMValueRef limit) {
  LLVMBuilderRef builder = t->pass->builder;
  LLVMValueRef low = from ? LLVMBuildAdd(builder, from, extent->low, "") : extent->low;
  LLVMValueRef high = from ? LLVMBuildAdd(builder, from, extent->high, "") : extent->high;
  LLVMValueRef a = LLVMBuildICmp(builder, LLVMIntULT, low, limit, ""),
               b = low == high ? a : LLVMBuildICmp(builder, LLVMIntULT, high, limit, "");
  return a == b ? a : LLVMBuildAnd(builder, a, b, "");
}

static LLVMValueRef limit(struct test *t, LLVMValueRef size, cs_u64 bytes) {
  LLVMValueRef arguments[] = {size, constant(t->pass->i64, bytes)};
  if (!LLVMIsAConstantInt(size))
    return cs_pass_runtime_call(t->pass, CS_PASS_RUNTIME_LIMIT, arguments);
  cs_u64 known = LLVMConstIntGetZExtValue(size);
  return constant(t->pass->i64, known >= bytes ? known - (bytes - 1) : 0);
}

static LLVMValueRef named_inside(struct test *t, const struct root *root, const struct cs_pass_access_item *item,
                                 const struct cs_pass_extent *extent) {
  if (root->variable && root->variable->outlived)
    return NULL;
  go_to_place(t);
  LLVMValueRef size =
      root->choice ? constant(t->pass->i64, root->choice->smallest) : cs_pass_variable_bytes(t->pass, root->variable);
  return is_inside(t, extent, NULL, limit(t, size, item->bytes));
}

static LLVMValueRef tagged_inside(struct test *t, const struct cs_pass_access_item *item, LLVMValueRef root,
                                  const struct cs_pass_extent *extent) {
  struct cs_pass *pass = t->pass;
  const struct bounds *b = bounds_of(t, root);
  if (b == NULL)
    return NULL;
  go_to_place(t);
  LLVMValueRef most = limit(t, b->size, item->bytes);
  if (item->align > 1) {
    LLVMValueRef arguments[] = {most, b->address, constant(pass->i64, item->align)};
    most = cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ALIGNED, arguments);
  }
  return is_inside(t, extent, LLVMBuildSub(pass->builder, b->address, b->start, ""), most);
}

static LLVMValueRef both(struct test *t, LLVMValueRef a, LLVMValueRef b) {
  return a == NULL ? b : b == NULL ? a : LLVMBuildAnd(t->pass->builder, a, b, "");
}

static int is_never(LLVMValueRef condition) {
  return LLVMIsAConstantInt(condition) && LLVMConstIntGetZExtValue(condition) == 0;
}

static int is_always(LLVMValueRef condition) {
  return LLVMIsAConstantInt(condition) && LLVMConstIntGetZExtValue(condition) != 0;
}

static int is_on(const struct cs_pass *pass, enum cs_pass_reason reason) {
  return (pass->eliminations & 1 << reason) != 0;
}

static void choose(struct test *t, LLVMValueRef condition, struct chosen chosen) {
  chosen.is_proved = is_always(condition);
  if (!is_on(t->pass, chosen.is_proved ? CS_PASS_REASON_RANGE : t->reason))
    return;
  go_to_place(t);
  if (!chosen.is_proved)
    t->good = both(t, t->good, condition);
  cs_pass_push(t->chosen, t->chosen_count, t->chosen_capacity, chosen);
}

/* A pointer that is chosen among variables is in bounds if it would be in the smallest of them. */
static struct root root_of(struct test *t, LLVMValueRef pointer) {
  struct root root = {.value = cs_pass_plain_root_of(t->roots, pointer)};
  if (root.value) {
    root.variable = cs_pass_variable_of(t->pass, root.value);
    return root;
  }
  root.choice = cs_pass_choice_of(t->roots, pointer);
  if (root.choice && root.choice->is_bare && root.choice->smallest > 0)
    root.value = root.choice->meeting;
  return root;
}

static void try_access(struct test *t, const struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  struct root root = root_of(t, pointer);
  struct cs_pass_extent extent;
  if (root.value == NULL || item->bytes == 0 || cs_pass_is_exact(t->pass, item->instruction) ||
      cs_pass_eliminated_by(t->pass, item->instruction, item->operand) >= 0 ||
      !cs_pass_ranges_extent(t->ranges, pointer, root.value, item->instruction, item->align, &extent) ||
      extent.multiple % item->align != 0)
    return;
  LLVMValueRef inside = root.variable || root.choice ? named_inside(t, &root, item, &extent)
                                                     : tagged_inside(t, item, root.value, &extent);
  if (inside == NULL || is_never(inside) || (extent.valid && is_never(extent.valid)))
    return;
  inside = both(t, inside, extent.valid);
  if (extent.reached)
    inside = LLVMBuildOr(t->pass->builder, inside, LLVMBuildNot(t->pass->builder, extent.reached, ""), "");
  choose(t, inside, (struct chosen){item->instruction, item->operand, 0, 0});
}

/* clang's call about an index is left away where it is not reached. */
static void try_field(struct test *t, LLVMValueRef call) {
  LLVMValueRef reached = cs_pass_is_exact(t->pass, call) ? NULL : cs_pass_ranges_reached(t->ranges, call);
  if (reached == NULL)
    return;
  go_to_place(t);
  LLVMValueRef never = LLVMBuildNot(t->pass->builder, reached, "");
  if (!is_never(never))
    choose(t, never, (struct chosen){call, 0, 1, 0});
}

static void free_bounds(struct test *t) {
  for (size_t i = 0; i < t->bounds.capacity; i++)
    free(t->bounds.entries[i].value);
  cs_pass_map_free(&t->bounds);
}

static void end_test(struct test *t) {
  cs_pass_ranges_end(t->ranges);
  free_bounds(t);
}

/* What is proved is left away before a copy is made, and so in both; the rest in the version that stays. */
static void leave_away(struct test *t, int proved) {
  for (size_t i = 0; i < t->chosen_count; i++)
    if (t->chosen[i].is_proved != proved)
      continue;
    else if (t->chosen[i].is_field)
      LLVMInstructionEraseFromParent(t->chosen[i].instruction);
    else
      set_safe(t->pass, t->chosen[i].instruction, t->chosen[i].operand, proved ? CS_PASS_REASON_RANGE : t->reason);
}

/* ---- the whole kernel, for all threads of a block ---- */

static int for_block(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_analyses *analyses,
                     const struct cs_pass_collected *c, struct cs_pass_roots *roots) {
  LLVMValueRef place = cs_pass_version_entry(function);
  if (place == NULL || !cs_pass_is_kernel(function) || cs_pass_function_length(function) > LONGEST_FUNCTION)
    return 0;
  struct test t = {.pass = pass, .reason = CS_PASS_REASON_BLOCK, .function = function, .place = place, .roots = roots};
  t.ranges = cs_pass_ranges_begin(analyses, place, 1);
  for (size_t i = 0; i < c->access_count; i++)
    try_access(&t, &c->accesses[i]);
  for (size_t i = 0; i < c->field_count; i++)
    try_field(&t, c->fields[i]);
  end_test(&t);
  leave_away(&t, 1);
  if (t.good)
    cs_pass_version_function(place, t.good, exact_kind(pass));
  leave_away(&t, 0);
  free(t.chosen);
  return t.good != NULL;
}

/* ---- loops, for one thread ---- */

struct loops {
  struct cs_pass *pass;
  LLVMValueRef function;
  const struct cs_pass_analyses *analyses;
  const struct cs_pass_collected *collected;
  struct cs_pass_roots *roots;
  struct loop_test {
    struct test test;
    LLVMBasicBlockRef header;
  } tests[MOST_VERSIONS];
  size_t count;
};

/* Tests are made first; then the loops are copied, none of which is inside another. */
static int try_loop(void *context, const struct cs_pass_loop *loop) {
  struct loops *l = context;
  if (!loop->versions || loop->length > LONGEST_LOOP || l->count == MOST_VERSIONS)
    return 1;
  struct test t = {.pass = l->pass,
                   .reason = CS_PASS_REASON_LOOP,
                   .function = l->function,
                   .place = LLVMGetBasicBlockTerminator(loop->preheader),
                   .roots = l->roots};
  t.ranges = cs_pass_ranges_begin(l->analyses, t.place, 0);
  for (size_t i = 0; i < l->collected->access_count; i++)
    if (cs_pass_loop_contains(l->analyses, loop->header,
                              LLVMGetInstructionParent(l->collected->accesses[i].instruction)))
      try_access(&t, &l->collected->accesses[i]);
  for (size_t i = 0; i < l->collected->field_count; i++)
    if (cs_pass_loop_contains(l->analyses, loop->header, LLVMGetInstructionParent(l->collected->fields[i])))
      try_field(&t, l->collected->fields[i]);
  end_test(&t);
  leave_away(&t, 1);
  if (t.good == NULL) {
    free(t.chosen);
    return 1;
  }
  l->tests[l->count++] = (struct loop_test){t, loop->header};
  return 0;
}

static int for_loops(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_analyses *analyses,
                     const struct cs_pass_collected *c, struct cs_pass_roots *roots) {
  struct loops l = {.pass = pass, .function = function, .analyses = analyses, .collected = c, .roots = roots};
  if (cs_pass_function_length(function) > LONGEST_FUNCTION)
    return 0;
  cs_pass_visit_loops(analyses, try_loop, &l);
  for (size_t i = 0; i < l.count; i++) {
    cs_pass_version_loop(analyses, l.tests[i].header, l.tests[i].test.good, exact_kind(pass));
    leave_away(&l.tests[i].test, 0);
    free(l.tests[i].test.chosen);
  }
  return l.count > 0;
}

/* ---- one function ---- */

typedef int elimination(struct cs_pass *, LLVMValueRef, const struct cs_pass_analyses *,
                        const struct cs_pass_collected *, struct cs_pass_roots *);

/* Whether a variable may be used after its scope is known only when all its uses have been seen. */
static void note_scopes(struct cs_pass_roots *roots, const struct cs_pass_collected *c) {
  for (size_t i = 0; i < c->access_count; i++) {
    LLVMValueRef user = c->accesses[i].instruction;
    cs_pass_visit_locals(roots, LLVMGetOperand(user, c->accesses[i].operand), cs_pass_note_outlived, user);
  }
}

/* Returns 1 if control flow has changed. */
static int run(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_analyses *analyses,
               elimination *step) {
  struct cs_pass_collected c = {0};
  struct cs_pass_roots roots = {.pass = pass, .analyses = analyses, .collected = &c};
  cs_pass_collect(&c, pass, function);
  note_scopes(&roots, &c);
  int changed = step(pass, function, analyses, &c, &roots);
  cs_pass_choices_free(&roots);
  cs_pass_roots_free(&roots);
  cs_pass_collected_free(&c);
  return changed;
}

static int is_optimised(LLVMValueRef function) {
  unsigned none = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone"));
  return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, none) == NULL;
}

/* A loop inside one that has two versions by now may still have accesses that only its own preheader can judge. */
enum { MOST_ROUNDS = 4 };

void cs_pass_eliminate(struct cs_pass *pass, LLVMValueRef function, cs_pass_get_analyses get, void *self) {
  if (!is_optimised(function))
    return;
  cs_pass_expand_masked(function);
  if (is_on(pass, CS_PASS_REASON_BLOCK) || is_on(pass, CS_PASS_REASON_RANGE))
    run(pass, function, get(self, function, 0), for_block);
  for (int round = 0; round < MOST_ROUNDS && is_on(pass, CS_PASS_REASON_LOOP); round++)
    if (!run(pass, function, get(self, function, 1), for_loops))
      break;
  get(self, function, 1); /* what comes next asks for the analyses as they are */
}
