/* words.c: names of kinds, accesses and memories, and the user's frame of a stack. */
#include "report/words.h"
#include "report/toolkit.h"
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *title, *help;
} kinds[] = {
#define CS_KIND(id, name, title, help) [CS_KIND_##id] = {name, title, help},
#include "report/kinds.inc"
};

const char *cs_report_kind_name(enum cs_kind kind) {
  return kinds[kind].name;
}

const char *cs_report_kind_title(enum cs_kind kind) {
  return kinds[kind].title;
}

/* A pool's memory that is in no sub-allocation is refused like a poisoned range, but the program has not poisoned
 * it. */
const char *cs_report_title(const struct cs_finding *f) {
  int is_of_pool = f->kind == CS_KIND_USE_AFTER_POISON && f->own && f->own->is_pool;
  return is_of_pool ? "access to pool memory outside every sub-allocation" : cs_report_kind_title(f->kind);
}

const char *cs_report_kind_help(enum cs_kind kind) {
  return kinds[kind].help;
}

const char *cs_report_access_name(enum cs_access access) {
  static const char *const names[] = {
      [CS_ACCESS_READ] = "read", [CS_ACCESS_WRITE] = "write", [CS_ACCESS_ATOMIC] = "atomic"};
  return access < CS_ACCESS_COUNT ? names[access] : NULL;
}

const char *cs_report_access_noun(enum cs_access access) {
  const char *name = cs_report_access_name(access);
  return access == CS_ACCESS_ATOMIC ? "atomic access" : name ? name : "access";
}

const char *cs_report_access_with_article(enum cs_access access) {
  static const char *const texts[] = {[CS_ACCESS_READ] = "a read",
                                      [CS_ACCESS_WRITE] = "a write",
                                      [CS_ACCESS_ATOMIC] = "an atomic access",
                                      [CS_ACCESS_COUNT] = "an access"};
  return texts[access];
}

int cs_report_is_race(const struct cs_finding *f) {
  return f->kind == CS_KIND_DATA_RACE || f->kind == CS_KIND_ASYNC_COPY_RACE;
}

int cs_report_is_wait(const struct cs_finding *f) {
  return f->kind == CS_KIND_BARRIER_DIVERGENCE || f->kind == CS_KIND_DEADLOCK || f->kind == CS_KIND_INVALID_MASK ||
         f->kind == CS_KIND_MBARRIER_MISUSE;
}

int cs_report_has_address(const struct cs_finding *f) {
  return f->kind != CS_KIND_FIELD_OVERFLOW && !cs_report_is_wait(f) && f->event != CS_EVENT_FAULT && !f->placeless;
}

const char *cs_report_memory_name(enum cs_memory memory) {
  static const char *const names[CS_MEMORY_COUNT] = {
      [CS_MEMORY_LOCAL] = "local",     [CS_MEMORY_SHARED] = "shared",     [CS_MEMORY_DYNAMIC_SHARED] = "dynamic-shared",
      [CS_MEMORY_VARIABLE] = "device", [CS_MEMORY_CONSTANT] = "constant",
  };
  return memory < CS_MEMORY_COUNT ? names[memory] : NULL;
}

const char *cs_report_event_name(enum cs_event event) {
  static const char *const names[] = {[CS_EVENT_ACCESS] = "access",     [CS_EVENT_FREE] = "free",
                                      [CS_EVENT_API] = "call",          [CS_EVENT_LEAK] = "leak",
                                      [CS_EVENT_ARGUMENT] = "argument", [CS_EVENT_FAULT] = "fault",
                                      [CS_EVENT_CANARY] = "canary"};
  return names[event];
}

/* The pass has marked device frames; host frames are judged by their path. */
int cs_report_is_user_frame(const struct cs_source *frame) {
  return frame->file && frame->line && !frame->is_toolkit && !(frame->pc && cs_report_is_toolkit(frame->file));
}

/* Without a user's frame, the first with a line: host stacks start in libraries without line information. */
const struct cs_source *cs_report_own_frame(const struct cs_stack *stack) {
  const struct cs_source *first = NULL;
  for (size_t i = 0; i < stack->count; i++) {
    const struct cs_source *frame = &stack->frames[i];
    if (cs_report_is_user_frame(frame))
      return frame;
    if (frame->line && !first)
      first = frame;
  }
  for (size_t i = 0; !first && i < stack->count; i++)
    first = stack->frames[i].is_toolkit ? NULL : &stack->frames[i];
  return first ? first : stack->count ? &stack->frames[0] : NULL;
}

const char *cs_report_shown_path(const struct cs_text_options *options, const char *path) {
  const char *prefix = options ? options->strip_path_prefix : NULL;
  size_t length = prefix ? strlen(prefix) : 0;
  return length && strncmp(path, prefix, length) == 0 && path[length] ? path + length : path;
}

const char *cs_report_launch_time(const struct cs_report_launch *l) {
  return l->is_earlier ? "before the last synchronisation" : "since the last synchronisation";
}

const char *cs_report_place_text(const struct cs_report_launch *l, const struct cs_launch_place *place,
                                 const char *what, char *to, size_t room) {
  if (l->count == 1)
    snprintf(to, room, "%s", what);
  else
    snprintf(to, room, "%s: %llu of %llu launches %s", what, place->count, l->count, cs_report_launch_time(l));
  return to;
}

const char *cs_report_kernel_text(const struct cs_finding *f, char *to, size_t room) {
  size_t used = 0;
  to[0] = 0;
  if (f->kernel)
    snprintf(to, room, "kernel %s", f->kernel);
  for (size_t i = 0; !f->kernel && i < f->kernel_count && used < room; i++) {
    const char *before = i == 0 ? "kernel " : i + 1 == f->kernel_count && !f->kernels_more ? " or " : ", ";
    used += (size_t)snprintf(to + used, room - used, "%s%s", before, f->kernels[i]);
  }
  if (used && used < room && f->kernels_more)
    snprintf(to + used, room - used, " or %llu other%s", f->kernels_more, f->kernels_more == 1 ? "" : "s");
  return to;
}

/* ---- variables ---- */

/* 1 if the number starts with a vowel sound: eight, eleven thousand, eighty, eighteen million. */
static int needs_an(cs_u64 number) {
  while (number >= 1000)
    number /= 1000;
  return number == 8 || number == 11 || number == 18 || number / 10 == 8 || number / 100 == 8;
}

const char *cs_report_buffer_text(const struct cs_buffer *b, char *to, size_t room) {
  const char *freed = b->freed ? "freed " : "";
  if (b->is_pool)
    snprintf(to, room, "a%s %llu-byte pool, in no sub-allocation", needs_an(b->size) ? "n" : "", b->size);
  else if (b->is_poisoned)
    snprintf(to, room, "a%s %llu-byte poisoned range", needs_an(b->size) ? "n" : "", b->size);
  else if (b->name)
    snprintf(to, room, "the %s%llu-byte %s '%.*s'", freed, b->size, b->whole ? "sub-allocation" : "buffer",
             CS_REPORT_NAME_MAX, b->name);
  else if (b->whole)
    snprintf(to, room, "a%s %s%llu-byte sub-allocation", !b->freed && needs_an(b->size) ? "n" : "", freed, b->size);
  else if (b->size)
    snprintf(to, room, "a%s %s%llu-byte buffer", !b->freed && needs_an(b->size) ? "n" : "", freed, b->size);
  else
    snprintf(to, room, "a %sbuffer", freed);
  return to;
}

const char *cs_report_variable_text(const struct cs_finding *f, char *to, size_t room) {
  static const char *const words[] = {
      [CS_MEMORY_LOCAL] = "local",         [CS_MEMORY_SHARED] = "shared",         [CS_MEMORY_DYNAMIC_SHARED] = "",
      [CS_MEMORY_VARIABLE] = "__device__", [CS_MEMORY_CONSTANT] = "__constant__",
  };
  if (f->memory_kind == CS_MEMORY_DYNAMIC_SHARED)
    snprintf(to, room, "dynamic shared memory");
  else if (f->object)
    snprintf(to, room, "%s variable '%s'", words[f->memory_kind], f->object);
  else /* a pointer to a module variable does not encode which of the two kinds it is */
    snprintf(to, room, "a %s variable", f->memory_kind >= CS_MEMORY_VARIABLE ? "module" : words[f->memory_kind]);
  return to;
}

const char *cs_report_variable_fate(const struct cs_finding *f) {
  if (f->memory_kind != CS_MEMORY_LOCAL && f->memory_kind != CS_MEMORY_SHARED)
    return "belongs to no variable of a loaded module";
  if (f->kind == CS_KIND_WILD_POINTER)
    return "is too far from its local variable to tell which one it was";
  return f->memory_kind == CS_MEMORY_LOCAL
             ? "whose scope has ended"
             : "which no longer exists: its block has ended, or its bounds were overwritten";
}
