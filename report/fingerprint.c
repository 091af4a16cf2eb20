/* fingerprint.c: FNV-1a over what stays the same from run to run. */
#include "report/fingerprint.h"
#include "report/plain.h"
#include "report/toolkit.h"
#include "report/words.h"
#include <string.h>

static const cs_u64 fnv_start = 0xcbf29ce484222325ull;

static void mix(cs_u64 *hash, const void *bytes, size_t count) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < count; i++)
    *hash = (*hash ^ p[i]) * 0x100000001b3ull;
}

/* Includes the terminator, so that "ab","c" differs from "a","bc". */
static void mix_text(cs_u64 *hash, const char *text) {
  mix(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Least significant byte first, on every machine. */
static void mix_number(cs_u64 *hash, cs_u32 number) {
  const unsigned char bytes[4] = {(unsigned char)number, (unsigned char)(number >> 8), (unsigned char)(number >> 16),
                                  (unsigned char)(number >> 24)};
  mix(hash, bytes, sizeof bytes);
}

static const char *last_component(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

/* Python has no columns. The innermost line counts from the start of its function; lines of callers do not, because
 * every edit of a script moves the call of its main function. */
static void mix_frame(struct cs_report_fingerprint *print, const struct cs_source *frame, int is_innermost) {
  mix_text(&print->bug, frame->function);
  mix_text(&print->bug, last_component(frame->file));
  mix_number(&print->bug, !frame->is_python ? frame->column : is_innermost ? (cs_u32)frame->offset : 0);
  mix_number(&print->lines, frame->is_python ? 0 : frame->line);
}

/* The user's frames. Without any, the functions and modules of all frames. */
static void mix_stack(struct cs_report_fingerprint *print, const struct cs_stack *stack) {
  int used = 0;
  for (size_t i = 0; i < stack->count; i++) {
    const struct cs_source *frame = &stack->frames[i];
    if (cs_report_is_user_frame(frame)) {
      mix_frame(print, frame, !used);
      used = 1;
      if (frame->pc && frame->function && strcmp(frame->function, "main") == 0)
        return;
    }
  }
  for (size_t i = 0; !used && i < stack->count; i++) {
    mix_text(&print->bug, stack->frames[i].function);
    mix_text(&print->bug, last_component(stack->frames[i].module));
    mix_number(&print->lines, stack->frames[i].line);
    mix_number(&print->lines, stack->frames[i].column);
  }
}

cs_u64 cs_report_hash(const void *bytes, size_t count) {
  cs_u64 hash = fnv_start;
  mix(&hash, bytes, count);
  return hash;
}

struct cs_report_fingerprint cs_report_fingerprint_of_stack(const struct cs_stack *stack) {
  struct cs_report_fingerprint print = {fnv_start, fnv_start};
  mix_stack(&print, stack);
  return print;
}

static cs_u64 fingerprint(const struct cs_finding *f) {
  struct cs_report_fingerprint print = {fnv_start, fnv_start};
  mix_text(&print.bug, cs_report_kind_name(f->kind));
  mix_text(&print.bug, cs_report_access_name(f->access));
  mix_text(&print.bug, cs_report_memory_name(f->use ? CS_MEMORY_UNKNOWN : f->memory_kind));
  mix_text(&print.bug, f->use ? f->use : f->object);
  mix_text(&print.bug, f->event == CS_EVENT_ACCESS ? NULL : f->free_call);
  mix_text(&print.bug, f->api_call);
  /* Several kernels may reach one site, and which one is reported first varies. */
  mix_text(&print.bug, f->event == CS_EVENT_ARGUMENT || !f->where.count ? f->kernel : NULL);
  mix_number(&print.bug, f->event == CS_EVENT_ARGUMENT ? f->argument : 0);
  mix_stack(&print, &f->where);
  return print.bug;
}

/* The innermost frame in the user's code, also without a line: the optimiser merges equal calls of several lines. */
static const struct cs_source *frame_of_group(const struct cs_stack *stack) {
  for (size_t i = 0; i < stack->count; i++) {
    const struct cs_source *frame = &stack->frames[i];
    if (frame->function && frame->file && !frame->is_toolkit && !(frame->pc && cs_report_is_toolkit(frame->file)))
      return frame;
  }
  return cs_report_own_frame(stack);
}

/* The last component of a plain name. */
static const char *unqualified(const char *name) {
  const char *symbol = strstr(name, "operator"), *last = name;
  for (const char *next = strstr(name, "::"); next && !(symbol && next > symbol); next = strstr(next + 2, "::"))
    last = next + 2;
  return last;
}

/* Of a host function that is inlined, debug data may have the last component of the name only. Without a function, the
 * kernel counts. */
static cs_u64 group(const struct cs_finding *f) {
  const struct cs_source *frame = frame_of_group(&f->where);
  const char *function = frame && frame->function ? frame->function : f->kernel;
  cs_u64 hash = fnv_start;
  char room[1024];
  const char *name = cs_report_plain_function(function ? function : "", room, sizeof room);
  mix_text(&hash, cs_report_kind_name(f->kind));
  mix_text(&hash, frame && frame->pc ? unqualified(name) : name);
  mix_text(&hash, frame ? last_component(frame->file) : NULL);
  return hash;
}

void cs_report_identify(struct cs_finding *f, cs_u64 number) {
  int used = snprintf(f->fingerprint, sizeof f->fingerprint, "%016llx", fingerprint(f));
  if (number > 1)
    snprintf(f->fingerprint + used, sizeof f->fingerprint - (size_t)used, "-%llu", number);
  snprintf(f->group, sizeof f->group, "%016llx", group(f));
}
