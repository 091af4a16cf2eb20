/* wrappers.c: chooses the functions of headers that are inlined at -O0.
 *
 * A small function always is. A larger one is inlined into the user's code, directly or through other chosen functions,
 * if it accesses memory other than its local variables: only then can it contain an error. Its cost is its size with
 * everything that is inlined into it; a call tree has a budget, and the module has one.
 *
 * Users do not debug kernels of headers (cub's, thrust's): everything that they call is inlined, and they are
 * simplified as at -O1. Otherwise every object whose member function is called needs a window, and the CPU device's
 * engine compiles such a kernel for minutes. */
#include "pass/wrappers.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "pass/module/headers.h"
#include "pass/module/kernels.h"
#include "pass/module/lines.h"
#include "pass/variables/field.h"
#include <stdlib.h>

enum {
  SMALL = 40,            /* instructions of a function that is inlined everywhere */
  TREE_MAX = 4000,       /* instructions of a call from the user's code, with all that it calls */
  MODULE_GROWTH = 60000, /* instructions of all such calls */
  KERNEL_MAX = 400000    /* instructions of a header's kernel, with all that it calls */
};

/* A function with a body. */
struct callee {
  LLVMValueRef function;
  LLVMValueRef *calls; /* to functions with bodies */
  size_t call_count;
  int is_header, is_kernel;
  int accesses;      /* memory that is not its own variable's */
  size_t size, cost; /* cost: with what is inlined into it */
  enum { NEW, BUSY, DONE } state;
  int is_recursive; /* the head of a cycle: the other functions of the cycle are inlined into it */
  int carries;      /* accesses, or something inlined into it does */
  int is_chosen;    /* the user's code calls it, directly or through others that are chosen */
  int is_opened;    /* a kernel of a header calls it, directly or through others */
  size_t full_cost; /* with all functions of headers that it calls */
};

struct tree {
  struct cs_pass_headers headers;
  struct callee *callees;
  size_t count;
  struct cs_ir_map index; /* function -> number in callees + 1 */
  size_t limit;
};

static struct callee *callee_of(const struct tree *t, LLVMValueRef function) {
  size_t number = (size_t)cs_ir_map_get(&t->index, function);
  return number ? &t->callees[number - 1] : NULL;
}

/* ---- accesses of a function ---- */

/* At -O0 every variable is an alloca, and most accesses are to them. */
static int is_own(LLVMValueRef pointer) {
  while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsABitCastInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  return LLVMIsAAllocaInst(pointer) != NULL;
}

static int passes_pointer(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef argument = LLVMGetOperand(call, i);
    if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind && !is_own(argument))
      return 1;
  }
  return 0;
}

/* Inline PTX may be given an address as a number. A function without a body is an intrinsic, free, or clang's handler
 * of an index. */
static int accesses(LLVMValueRef i) {
  LLVMValueRef address = cs_pass_accessed_by(i);
  if (address != NULL)
    return !is_own(address);
  if (!LLVMIsACallInst(i))
    return 0;
  LLVMValueRef called = LLVMGetCalledValue(i);
  if (LLVMIsAInlineAsm(called))
    return LLVMGetNumArgOperands(i) != 0;
  return cs_pass_is_field_call(i) || !LLVMIsAFunction(called) || (LLVMIsDeclaration(called) && passes_pointer(i));
}

static void inspect(struct callee *c, LLVMValueRef i) {
  c->size++;
  c->accesses |= accesses(i);
  LLVMValueRef called = cs_ir_callee(i);
  if (called != NULL && !LLVMIsDeclaration(called))
    cs_ir_push(c->calls, c->call_count, i);
}

static void add_function(struct tree *t, LLVMValueRef f) {
  LLVMMetadataRef program = LLVMIsDeclaration(f) ? NULL : LLVMGetSubprogram(f);
  if (program == NULL)
    return;
  struct callee c = {
      .function = f, .is_header = cs_pass_in_header(&t->headers, program), .is_kernel = cs_ir_is_kernel(f)};
  for (LLVMValueRef i = cs_ir_first(f); i; i = cs_ir_next(i))
    inspect(&c, i);
  cs_ir_push(t->callees, t->count, c);
  cs_ir_map_set(&t->index, f, (void *)t->count);
}

/* ---- cost of inlining ---- */

static int is_small(const struct callee *c) {
  return c->is_header && !c->is_kernel && !c->is_recursive && c->size <= SMALL;
}

static int can_be_inlined(const struct tree *t, const struct callee *c) {
  return is_small(c) || (c->is_header && !c->is_kernel && !c->is_recursive && c->carries && c->cost <= t->limit);
}

static void weigh(struct tree *t, struct callee *c) {
  if (c->state == BUSY)
    c->is_recursive = 1;
  if (c->state != NEW)
    return;
  c->state = BUSY;
  c->cost = c->full_cost = c->size;
  c->carries = c->accesses;
  for (size_t i = 0; i < c->call_count; i++) {
    struct callee *called = callee_of(t, LLVMGetCalledValue(c->calls[i]));
    if (called == NULL)
      continue;
    weigh(t, called);
    if (called->is_header && !called->is_recursive)
      c->full_cost += called->full_cost;
    if (called->state == DONE && can_be_inlined(t, called)) {
      c->cost += called->cost;
      c->carries |= called->carries;
    }
  }
  c->state = DONE;
}

/* The instructions that inlining adds to the user's code. */
static size_t growth(struct tree *t) {
  size_t sum = 0;
  for (size_t i = 0; i < t->count; i++)
    t->callees[i].state = NEW;
  for (size_t i = 0; i < t->count; i++)
    weigh(t, &t->callees[i]);
  for (size_t i = 0; i < t->count; i++)
    if (!t->callees[i].is_header)
      sum += t->callees[i].cost - t->callees[i].size;
  return sum;
}

/* ---- marks ---- */

static LLVMAttributeRef always_inline(LLVMValueRef function) {
  return cs_ir_attribute(LLVMGetTypeContext(LLVMTypeOf(function)), "alwaysinline");
}

static const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

static void mark_small(struct callee *c) {
  cs_pass_promote(c->function);
  LLVMRemoveEnumAttributeAtIndex(c->function, whole, cs_ir_attribute_kind("optnone"));
  LLVMRemoveEnumAttributeAtIndex(c->function, whole, cs_ir_attribute_kind("noinline"));
  LLVMAddAttributeAtIndex(c->function, whole, always_inline(c->function));
}

/* Marks calls rather than functions: kernels of headers call many of the same functions. */
static void mark_calls(const struct tree *t, struct callee *c) {
  for (size_t i = 0; i < c->call_count; i++) {
    struct callee *called = callee_of(t, LLVMGetCalledValue(c->calls[i]));
    if (called == NULL || !can_be_inlined(t, called))
      continue;
    LLVMAddCallSiteAttribute(c->calls[i], whole, always_inline(called->function));
    if (!called->is_chosen) {
      called->is_chosen = 1;
      mark_calls(t, called);
    }
  }
}

static void mark_header_calls(const struct tree *t, const struct callee *c) { // NOLINT(misc-no-recursion): no cycles
  for (size_t i = 0; i < c->call_count; i++) {
    struct callee *called = callee_of(t, LLVMGetCalledValue(c->calls[i]));
    if (called == NULL || !called->is_header || called->is_kernel || called->is_recursive)
      continue;
    LLVMAddCallSiteAttribute(c->calls[i], whole, always_inline(called->function));
    if (!called->is_opened) {
      called->is_opened = 1;
      mark_header_calls(t, called);
    }
  }
}

static void open_kernel(const struct tree *t, const struct callee *kernel) {
  if (kernel->full_cost > KERNEL_MAX)
    return;
  LLVMRemoveEnumAttributeAtIndex(kernel->function, whole, cs_ir_attribute_kind("optnone"));
  mark_header_calls(t, kernel);
}

static void release(struct tree *t) {
  for (size_t i = 0; i < t->count; i++)
    free(t->callees[i].calls);
  free(t->callees);
  cs_ir_map_free(&t->index);
  cs_pass_headers_free(&t->headers);
}

/* For the parameters and variables of memcpy in clang's headers, for instance, which the user's variables are given
 * to. */
int cs_pass_promote_in_headers(struct cs_pass *pass) {
  struct cs_pass_headers headers = {.toolkit = pass->options->toolkit};
  unsigned kind = cs_ir_attribute_kind("alwaysinline");
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    LLVMMetadataRef program = LLVMIsDeclaration(f) ? NULL : LLVMGetSubprogram(f);
    if (program && LLVMGetEnumAttributeAtIndex(f, whole, kind) && cs_pass_in_header(&headers, program))
      cs_pass_promote(f);
  }
  cs_pass_headers_free(&headers);
  return 0;
}

int cs_pass_mark_wrappers(struct cs_pass *pass) {
  struct tree t = {.headers = {.toolkit = pass->options->toolkit}, .limit = TREE_MAX};
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    add_function(&t, f);
  while (growth(&t) > MODULE_GROWTH && t.limit > SMALL)
    t.limit /= 2;
  for (size_t i = 0; i < t.count; i++) {
    if (is_small(&t.callees[i]))
      mark_small(&t.callees[i]);
    if (!t.callees[i].is_header)
      mark_calls(&t, &t.callees[i]);
    else if (t.callees[i].is_kernel)
      open_kernel(&t, &t.callees[i]);
  }
  release(&t);
  return 0;
}
