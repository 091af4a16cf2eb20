/* calls.c: finds the calls in a function's code that have the same fingerprint as one of them. */
#include "host/stacks/calls.h"
#include "host/stacks/address.h"
#include "report/rank.h"
#include "report/words.h"
#include <stdlib.h>
#include <string.h>

/* ---- the call before a return address ---- */

/* Two calls are alike if their instructions call the same function, or by the same register. What merely looks like a
 * call, because its bytes are part of another instruction, has no effect on which numbers are equal. */
#ifdef __aarch64__
enum { CALL_MAX = 4, CALL_STEP = 4 };

static cs_u64 callee(const unsigned char *after) {
  cs_u32 word;
  memcpy(&word, after - 4, sizeof word);
  if (word >> 26 == 0x25) /* bl */
    return (cs_u64)after - 4 + (cs_u64)((cs_i64)((cs_u64)word << 38) >> 36);
  return (word & 0xfffffc1f) == 0xd63f0000 ? word : 0; /* blr */
}
#else
enum { CALL_MAX = 6, CALL_STEP = 1 };

static cs_u64 relative(const unsigned char *after) {
  int distance;
  memcpy(&distance, after - 4, sizeof distance);
  return (cs_u64)after + (cs_u64)(cs_i64)distance;
}

/* 0: not a call. */
static cs_u64 callee(const unsigned char *after) {
  if (after[-2] == 0xff && (after[-1] & 0xf8) == 0xd0) /* call of a register */
    return after[-1];
  int is_indirect = after[-6] == 0xff && after[-5] == 0x15; /* call through a pointer at an address */
  return is_indirect || after[-5] == 0xe8 ? relative(after) : 0;
}
#endif

/* ---- the calls of a function ---- */

/* The calls that are alike, by offset. The last ones are kept: findings come from the same few functions. */
static struct calls {
  cs_u64 start, callee, age;
  struct cs_report_ranked *all; /* by the address that the call returns to */
  size_t count;
} known[64];

static int add(struct calls *c, cs_u64 address) {
  const struct cs_source *frames;
  size_t count = cs_host_address_frames(address, &frames);
  const struct cs_stack stack = {frames, count};
  if ((c->count & (c->count - 1)) == 0) { /* full */
    struct cs_report_ranked *more = realloc(c->all, (c->count ? 2 * c->count : 1) * sizeof *more);
    if (!more)
      return -1;
    c->all = more;
  }
  c->all[c->count++] = (struct cs_report_ranked){cs_report_fingerprint_of_stack(&stack), address, 0, 0};
  return 0;
}

static int by_address(const void *a, const void *b) {
  const struct cs_report_ranked *x = a, *y = b;
  return x->place < y->place ? -1 : x->place > y->place;
}

static void search(struct calls *c, const struct cs_host_function *f) {
  for (cs_u64 after = f->start + CALL_MAX; after <= f->end; after += CALL_STEP)
    if (callee((const unsigned char *)after) == c->callee && add(c, after))
      break;
  if (c->all)
    cs_report_rank(c->all, c->count);
}

/* The calls like the one before this address, or NULL. */
static const struct calls *calls_like(cs_u64 address) {
  struct cs_host_function f;
  if (cs_host_address_function(address, &f) || address < f.start + CALL_MAX)
    return NULL;
  cs_u64 called = callee((const unsigned char *)address), age = cs_host_address_age();
  struct calls *c = &known[(f.start ^ called) * 0x9e3779b97f4a7c15ull >> 58];
  if (!called)
    return NULL;
  if (c->start != f.start || c->callee != called || c->age != age) {
    free(c->all);
    *c = (struct calls){.start = f.start, .callee = called, .age = age};
    search(c, &f);
  }
  return c;
}

static const struct cs_report_ranked *find(cs_u64 address) {
  const struct calls *c = calls_like(address);
  const struct cs_report_ranked key = {.place = address};
  return c && c->count ? bsearch(&key, c->all, c->count, sizeof key, by_address) : NULL;
}

/* Whether the frame's function is inlined at the same call as an inner one, which is not a recursion. */
static int is_same_call(const struct cs_source *inner, const struct cs_source *frame) {
  return inner && inner->pc == frame->pc &&
         !(inner->function && frame->function && strcmp(inner->function, frame->function) == 0);
}

cs_u64 cs_host_calls_number(const struct cs_stack *stack) {
  const struct cs_source *inner = NULL; /* the innermost user's frame of the last call */
  cs_u64 number = 1, scale = 1;
  for (size_t i = 0; i < stack->count; i++) {
    const struct cs_source *frame = &stack->frames[i];
    if (!frame->pc || !cs_report_is_user_frame(frame))
      continue;
    if (!is_same_call(inner, frame)) {
      const struct cs_report_ranked *call = find(frame->pc);
      number += call ? scale * call->rank : 0;
      scale *= call ? call->ranks : 1;
      inner = frame;
    }
    if (frame->function && strcmp(frame->function, "main") == 0)
      break;
  }
  return number;
}
