/* sentence.c: a finding in half a sentence. */
#include "report/page.h"
#include "report/words.h"
#include <string.h>

#define TARGET_MAX 2200

/* The buffer or variable, with its size; "" if there is none. */
static const char *target_text(const struct cs_finding *f, char *to, size_t room) {
  char variable[2048];
  to[0] = 0;
  if (f->memory_kind != CS_MEMORY_UNKNOWN)
    snprintf(to, room, "%s (%llu byte%s)", cs_report_variable_text(f, variable, sizeof variable), f->object_bytes,
             cs_report_plural(f->object_bytes));
  else if (f->own)
    cs_report_buffer_text(f->own, to, room);
  return to;
}

static cs_u64 target_start(const struct cs_finding *f) {
  return f->memory_kind != CS_MEMORY_UNKNOWN ? f->object_start : f->own->start;
}

static cs_u64 target_bytes(const struct cs_finding *f) {
  return f->memory_kind != CS_MEMORY_UNKNOWN ? f->object_bytes : f->own->size;
}

/* "0 bytes past the end of a 400-byte buffer" */
static const char *position_text(const struct cs_finding *f, char *to, size_t room) {
  char target[TARGET_MAX];
  target_text(f, target, sizeof target);
  cs_u64 offset = f->address - target_start(f), bytes = target_bytes(f);
  if (f->outside && !f->before && offset < bytes) {
    cs_u64 tail = f->size - (bytes - offset);
    snprintf(to, room, "the last %llu past the end of %s", tail, target);
  } else if (f->outside)
    snprintf(to, room, "%llu byte%s %s of %s", f->distance, cs_report_plural(f->distance),
             f->before ? "before the start" : "past the end", target);
  else if (offset == 0)
    snprintf(to, room, "the start of %s", target);
  else
    snprintf(to, room, "%llu byte%s inside of %s", offset, cs_report_plural(offset), target);
  return to;
}

/* The position is "the start of ...", and not a distance. */
static int is_at_start(const struct cs_finding *f) {
  return !f->outside && f->address == target_start(f);
}

static int has_bounds(const struct cs_finding *f) {
  return f->memory_kind == CS_MEMORY_UNKNOWN ? f->own != NULL
                                             : f->object_bytes || f->memory_kind == CS_MEMORY_DYNAMIC_SHARED;
}

/* The target of an access or a copy, as the end of a sentence. */
static const char *where_text(const struct cs_finding *f, char *to, size_t room) {
  char text[2400];
  const char *preposition = f->access == CS_ACCESS_READ ? "from" : "to";
  if (f->kind == CS_KIND_MISALIGNED)
    snprintf(to, room, " at an address that is not %u-byte aligned", f->align);
  else if (f->kind == CS_KIND_NULL_POINTER)
    snprintf(to, room, " through a null pointer");
  else if (has_bounds(f))
    snprintf(to, room, "%s%s", is_at_start(f) ? " at " : ", ", position_text(f, text, sizeof text));
  else if (f->kind == CS_KIND_USE_AFTER_SCOPE)
    snprintf(to, room, " %s %s, %s", preposition, cs_report_variable_text(f, text, sizeof text),
             cs_report_variable_fate(f));
  else if (f->kind == CS_KIND_USE_AFTER_FREE)
    snprintf(to, room, " %s memory that was freed in a kernel", preposition);
  else
    snprintf(to, room, " through a wild pointer");
  return to;
}

/* The target of a pointer that is freed or passed to a kernel, after "a pointer" or "points". */
static const char *pointer_text(const struct cs_finding *f, char *to, size_t room) {
  char text[2400];
  if (has_bounds(f))
    snprintf(to, room, "%s%s", is_at_start(f) ? "to " : "", position_text(f, text, sizeof text));
  else if (f->kind == CS_KIND_DOUBLE_FREE)
    snprintf(to, room, "to memory that was freed in a kernel");
  else
    snprintf(to, room, "to memory that was never allocated");
  return to;
}

static void access_sentence(const struct cs_finding *f, char *to, size_t room) {
  char where[2600];
  int is_call = f->event == CS_EVENT_API && f->call;
  snprintf(to, room, "%s%s%s of %llu byte%s%s", is_call ? f->call : "", is_call ? ": " : "",
           cs_report_access_noun(f->access), f->size, cs_report_plural(f->size), where_text(f, where, sizeof where));
}

/* Which of the bytes is met first depends on the order of threads. */
static void race_sentence(const struct cs_finding *f, char *to, size_t room) {
  char target[2048] = "global memory";
  if (f->memory_kind != CS_MEMORY_UNKNOWN)
    cs_report_variable_text(f, target, sizeof target);
  else if (f->own)
    cs_report_buffer_text(f->own, target, sizeof target);
  snprintf(to, room, "%s of %llu byte%s of %s, which %s orders with %s of another %s", cs_report_access_noun(f->access),
           f->size, cs_report_plural(f->size), target, f->is_same_block ? "no barrier" : "nothing",
           cs_report_access_with_article(f->other ? f->other->access : CS_ACCESS_COUNT),
           f->is_same_block ? "thread" : "block");
}

static void copy_sentence(const struct cs_finding *f, char *to, size_t room) {
  char target[2048] = "shared memory";
  if (f->memory_kind != CS_MEMORY_UNKNOWN)
    cs_report_variable_text(f, target, sizeof target);
  snprintf(to, room, "%s of %llu byte%s of %s, which an asynchronous copy of %s thread may still write",
           cs_report_access_noun(f->access), f->size, cs_report_plural(f->size), target,
           f->other && memcmp(f->other->thread, f->thread, sizeof f->thread) == 0 ? "the same" : "another");
}

/* A barrier that the threads of a warp do not reach together. */
static void barrier_sentence(const struct cs_finding *f, char *to, size_t room) {
  const struct cs_source *other = f->other ? cs_report_own_frame(&f->other->where) : NULL;
  if (other && other->file)
    snprintf(to, room, "a thread waits at a barrier while another thread of its warp waits at line %u", other->line);
  else
    snprintf(to, room, "a thread waits at a barrier while another thread of its warp waits at another one");
}

/* No thread of the block can continue. */
static void deadlock_sentence(const struct cs_finding *f, char *to, size_t room) {
  const struct cs_source *other = f->other ? cs_report_own_frame(&f->other->where) : NULL;
  char there[64] = "";
  if (other && other->file)
    snprintf(there, sizeof there, " and %llu at line %u", f->waits_there, other->line);
  else if (f->other)
    snprintf(there, sizeof there, " and %llu elsewhere", f->waits_there);
  snprintf(to, room, "no thread of the block can continue: %llu of %llu wait here%s", f->waits_here, f->waits, there);
}

static void mask_sentence(const struct cs_finding *f, char *to, size_t room) {
  const struct cs_source *other = f->other ? cs_report_own_frame(&f->other->where) : NULL;
  char lane[32] = "a lane", end[64] = "";
  if (f->lane != CS_NONE)
    snprintf(lane, sizeof lane, "lane %u", f->lane);
  if (f->mask_fault == CS_MASK_DIFFERS)
    snprintf(end, sizeof end, ", which executes it with 0x%08x", f->other_mask);
  else if (f->mask_fault == CS_MASK_ABSENT && other && other->file)
    snprintf(end, sizeof end, ", which waits at line %u instead", other->line);
  else if (f->mask_fault == CS_MASK_ABSENT)
    snprintf(end, sizeof end, ", which never comes");
  snprintf(to, room, "the mask 0x%08x of %s %s %s%s", f->mask, f->use ? f->use : "a warp operation",
           f->mask_fault == CS_MASK_LACKS_CALLER ? "lacks the thread's own" : "names", lane, end);
}

static void mbarrier_sentence(const struct cs_finding *f, char *to, size_t room) {
  const struct cs_source *other = f->other ? cs_report_own_frame(&f->other->where) : NULL;
  const char *use = f->use ? f->use : "an operation";
  char line[32] = "";
  if (other && other->file)
    snprintf(line, sizeof line, " at line %u", other->line);
  switch (f->mbarrier_fault) {
  case CS_MBARRIER_NONE_THERE:
    snprintf(to, room, f->other ? "%s on an mbarrier that was invalidated%s" : "%s on memory without an mbarrier%s",
             use, line);
    break;
  case CS_MBARRIER_UNORDERED:
    snprintf(to, room, "%s on an mbarrier that another warp has initialised%s, with no barrier in between", use, line);
    break;
  case CS_MBARRIER_OVERWRITTEN:
    snprintf(to, room, "%s on an mbarrier whose memory was overwritten", use);
    break;
  case CS_MBARRIER_ARRIVALS:
    snprintf(to, room, "%s of %u at an mbarrier that expects %u more arrival%s", use, f->arrivals, f->expected,
             cs_report_plural(f->expected));
    break;
  default:
    snprintf(to, room, "%s with a count of %u, which is not from 1 to %u", use, f->arrivals, CS_MBARRIER_COUNT_MAX);
  }
}

static void init_sentence(const struct cs_finding *f, char *to, size_t room) {
  char text[2400] = "";
  int is_variable = f->memory_kind != CS_MEMORY_UNKNOWN, is_known = has_bounds(f) || is_variable;
  if (has_bounds(f))
    position_text(f, text, sizeof text);
  else if (is_variable)
    cs_report_variable_text(f, text, sizeof text);
  snprintf(to, room, "%s depends on %s that was never written%s%s", f->use ? f->use : "a use",
           is_known ? "a value" : "memory", is_known ? ": " : "", text);
}

/* The call or launch, and the order that it lacks. */
static void order_sentence(const struct cs_finding *f, char *to, size_t room) {
  static const char *const texts[] = {[CS_ORDER_BEFORE_ALLOCATION] =
                                          "not ordered after its allocation in another stream",
                                      [CS_ORDER_AFTER_FREE] = "after its free in stream order",
                                      [CS_ORDER_FREE_BEFORE_USE] = "not ordered after its use in another stream"};
  char pointer[2600];
  const char *call = f->call ? f->call : "the call";
  pointer_text(f, pointer, sizeof pointer);
  if (f->event == CS_EVENT_ARGUMENT)
    snprintf(to, room, "argument %llu points %s, %s", f->argument + 1ull, pointer, texts[f->order]);
  else
    snprintf(to, room, "%s of a pointer %s, %s", call, pointer, texts[f->order]);
}

const char *cs_report_sentence(const struct cs_finding *f, char *to, size_t room) {
  char pointer[2600];
  if (f->kind == CS_KIND_STREAM_ORDER)
    order_sentence(f, to, room);
  else if (f->kind == CS_KIND_ASYNC_COPY_RACE)
    copy_sentence(f, to, room);
  else if (f->kind == CS_KIND_DATA_RACE)
    race_sentence(f, to, room);
  else if (f->kind == CS_KIND_BARRIER_DIVERGENCE)
    barrier_sentence(f, to, room);
  else if (f->kind == CS_KIND_DEADLOCK)
    deadlock_sentence(f, to, room);
  else if (f->kind == CS_KIND_INVALID_MASK)
    mask_sentence(f, to, room);
  else if (f->kind == CS_KIND_MBARRIER_MISUSE)
    mbarrier_sentence(f, to, room);
  else if (f->kind == CS_KIND_UNINITIALISED_USE)
    init_sentence(f, to, room);
  else if (f->kind == CS_KIND_FIELD_OVERFLOW && f->elements)
    snprintf(to, room, "index %lld is out of bounds for an array of %llu element%s", f->index, f->elements,
             cs_report_plural(f->elements));
  else if (f->kind == CS_KIND_FIELD_OVERFLOW)
    snprintf(to, room, "index %lld is out of bounds for its array", f->index);
  else if (f->event == CS_EVENT_LEAK)
    snprintf(to, room, "%llu byte%s in %llu buffer%s %s never freed", f->size, cs_report_plural(f->size), f->count,
             cs_report_plural(f->count), f->size == 1 ? "was" : "were");
  else if (f->kind == CS_KIND_HOST_POINTER)
    snprintf(to, room, "argument %llu points to host memory", f->argument + 1ull);
  else if (f->event == CS_EVENT_ARGUMENT)
    snprintf(to, room, "argument %llu points %s", f->argument + 1ull, pointer_text(f, pointer, sizeof pointer));
  else if (f->event == CS_EVENT_FAULT)
    snprintf(to, room, "%s: a kernel was stopped at %s address", f->call ? f->call : "the driver",
             f->kind == CS_KIND_MISALIGNED ? "a misaligned" : "an unmapped");
  else if (f->event == CS_EVENT_CANARY)
    snprintf(to, room, "%llu byte%s changed%s", f->size, cs_report_plural(f->size),
             where_text(f, pointer, sizeof pointer));
  else if (cs_report_is_free(f))
    snprintf(to, room, "%s of a pointer %s", f->call ? f->call : "free", pointer_text(f, pointer, sizeof pointer));
  else
    access_sentence(f, to, room);
  return to;
}
