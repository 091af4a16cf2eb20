/* main.c: cusafe-symbolize FILE...: the lines of JSON of these files, with the names, lines, fingerprints and groups
 * that a run with symbolize=1 and its debug data would have given them. Other fields, and other lines, are written as
 * they are. */
#include "cli/base/message.h"
#include "cli/symbolize/images.h"
#include "cli/symbolize/trace.h"
#include "host/stacks/calls.h"
#include "report/arena.h"
#include "report/call.h"
#include "report/fingerprint.h"
#include "report/words.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one line ---- */

struct rewriter {
  struct cs_report_json json;
  struct cs_cli_part line;
  struct cs_finding finding; /* what fingerprints are derived from, if identified */
  struct cs_cli_trace where; /* "stack" of the line */
  const char *kernel;        /* demangled, or NULL */
  int identified;            /* the fingerprint is that of the finding */
  char call[CS_REPORT_CALL_ROOM],
      allocator[CS_REPORT_CALL_ROOM]; /* as the program calls them; "" if that is not known */
  void *arena;
};

static const char *text_of(struct rewriter *r, struct cs_cli_part object, const char *key) {
  return cs_cli_trace_text(&r->arena, cs_cli_part_of(object, key));
}

static int is(struct rewriter *r, const char *key, const char *value) {
  return cs_cli_part_is(cs_cli_part_of(r->line, key), value);
}

/* The index of a name in one of report/words.h's lists; count if it has none. */
static int find(const char *(*name)(int), int count, struct cs_cli_part wanted) {
  int i = 0;
  while (i < count && !(name(i) && cs_cli_part_is(wanted, name(i))))
    i++;
  return i;
}

static const char *kind_name(int i) {
  return cs_report_kind_name((enum cs_kind)i);
}
static const char *event_name(int i) {
  return cs_report_event_name((enum cs_event)i);
}
static const char *access_name(int i) {
  return cs_report_access_name((enum cs_access)i);
}
static const char *memory_name(int i) {
  return cs_report_memory_name((enum cs_memory)i);
}

/* Whether frames were left out for the line's length: fingerprints are derived from all. */
static int omits_frames(struct cs_cli_part line) {
  struct cs_cli_part all = cs_cli_part_of(line, "omitted"), key, item;
  for (const char *at = all.text; cs_cli_part_next(&at, &key, &item);)
    if (cs_cli_part_is(item, "\"frames\""))
      return 1;
  return 0;
}

/* What the line has of the finding. Device findings have their lines already. The fingerprint of a stack with frames of
 * Python depends on where their functions start, which the line does not have. */
static void read_finding(struct rewriter *r) {
  struct cs_finding *f = &r->finding;
  struct cs_cli_part variable = cs_cli_part_of(r->line, "variable");
  f->kind = (enum cs_kind)find(kind_name, CS_KIND_COUNT, cs_cli_part_of(r->line, "kind"));
  f->event = (enum cs_event)find(event_name, CS_EVENT_CANARY + 1, cs_cli_part_of(r->line, "event"));
  f->access = (enum cs_access)find(access_name, CS_ACCESS_COUNT, cs_cli_part_of(r->line, "access"));
  int is_launch = f->event == CS_EVENT_ARGUMENT || f->event == CS_EVENT_CANARY;
  r->kernel = f->kernel = text_of(r, r->line, "kernel");
  cs_cli_trace_resolve(&r->where, cs_cli_part_of(r->line, "stack"), is_launch ? r->kernel : NULL);
  f->where = r->where.stack;
  if (variable.text) {
    f->memory_kind = (enum cs_memory)find(memory_name, CS_MEMORY_COUNT, cs_cli_part_of(variable, "memory"));
    f->object = text_of(r, variable, "name");
  }
  *(f->event == CS_EVENT_FREE ? &f->free_call : &f->api_call) = text_of(r, r->line, "call");
  f->argument = (cs_u32)cs_cli_part_number(cs_cli_part_of(r->line, "argument"));
  r->identified = r->where.is_host && !r->where.has_python && !omits_frames(r->line) && f->kind < CS_KIND_COUNT &&
                  f->event != CS_EVENT_ACCESS && f->event <= CS_EVENT_CANARY && f->memory_kind < CS_MEMORY_COUNT;
  if (r->identified)
    cs_report_identify(f, cs_host_calls_number(&f->where));
}

/* The names of the call and of the allocator in the program: those of the frames that called the driver. */
static void name_calls(struct rewriter *r) {
  struct cs_cli_part buffer = cs_cli_part_of(r->line, "buffer");
  struct cs_cli_trace allocated = {0};
  char room[CS_REPORT_CALL_ROOM];
  const char *call = text_of(r, r->line, "call"), *allocator = text_of(r, buffer, "allocator");
  if (r->where.is_host && call && cs_cli_part_of(r->line, "program_call").text)
    snprintf(r->call, sizeof r->call, "%s", cs_report_call(call, &r->where.stack, room, sizeof room));
  cs_cli_trace_resolve(&allocated, cs_cli_part_of(buffer, "allocated_by"), NULL);
  if (allocated.is_host && allocator)
    snprintf(r->allocator, sizeof r->allocator, "%s", cs_report_call(allocator, &allocated.stack, room, sizeof room));
  cs_cli_trace_release(&allocated);
}

/* The sentence, with the program's names of the calls. */
static const char *replaced(struct rewriter *r, const char *text, struct cs_cli_part old, const char *new) {
  const char *was = cs_cli_trace_text(&r->arena, old), *at = was && *new && text ? strstr(text, was) : NULL;
  if (!at || strcmp(was, new) == 0)
    return text;
  size_t bytes = strlen(text) + strlen(new) + 1;
  char *room = cs_report_arena_new(&r->arena, bytes);
  if (!room)
    abort();
  snprintf(room, bytes, "%.*s%s%s", (int)(at - text), text, new, at + strlen(was));
  return room;
}

static const char *sentence(struct rewriter *r) {
  const char *text = text_of(r, r->line, "message");
  text = replaced(r, text, cs_cli_part_of(r->line, "program_call"), r->call);
  return replaced(r, text, cs_cli_part_of(cs_cli_part_of(r->line, "buffer"), "program_allocator"), r->allocator);
}

/* The new value of a field of the line itself; NULL: it stays. */
static const char *new_text(struct rewriter *r, const char *key) {
  if (strcmp(key, "fingerprint") == 0)
    return r->identified ? r->finding.fingerprint : NULL;
  if (strcmp(key, "group") == 0)
    return r->identified ? r->finding.group : NULL;
  if (strcmp(key, "program_call") == 0)
    return *r->call ? r->call : NULL;
  return strcmp(key, "message") == 0 ? sentence(r) : NULL;
}

static void write_raw(struct cs_report_json *j, const char *key, struct cs_cli_part raw) {
  cs_report_json_raw(j, key, raw.text, raw.bytes);
}

static void write_value(struct rewriter *r, const char *key, struct cs_cli_part raw, struct cs_cli_part above,
                        int in_launch);

static void write_items(struct rewriter *r, const char *name, struct cs_cli_part container, int in_launch) {
  struct cs_cli_part key, value;
  cs_report_json_open(&r->json, name, *container.text);
  for (const char *at = container.text; cs_cli_part_next(&at, &key, &value);) {
    void *arena = NULL;
    write_value(r, cs_cli_trace_text(&arena, key), value, container, in_launch);
    cs_report_arena_release(&arena);
  }
  cs_report_json_close(&r->json, *container.text == '{' ? '}' : ']');
}

/* An array of frames, or any other. */
static void write_array(struct rewriter *r, const char *key, struct cs_cli_part raw, int in_launch) {
  struct cs_cli_trace trace = {0};
  cs_cli_trace_resolve(&trace, raw, in_launch ? r->kernel : NULL);
  if (trace.is_host)
    cs_cli_trace_write(&r->json, key, &trace);
  else
    write_items(r, key, raw, in_launch);
  cs_cli_trace_release(&trace);
}

static void write_allocator(struct rewriter *r, const char *key, struct cs_cli_part raw, struct cs_cli_part buffer) {
  struct cs_cli_trace trace = {0};
  char call[CS_REPORT_CALL_ROOM];
  void *arena = NULL;
  cs_cli_trace_resolve(&trace, cs_cli_part_of(buffer, "allocated_by"), NULL);
  const char *allocator = cs_cli_trace_text(&arena, cs_cli_part_of(buffer, "allocator"));
  if (trace.is_host && allocator)
    cs_report_json_text(&r->json, key, cs_report_call(allocator, &trace.stack, call, sizeof call));
  else
    write_raw(&r->json, key, raw);
  cs_report_arena_release(&arena);
  cs_cli_trace_release(&trace);
}

static void write_value(struct rewriter *r, const char *key, struct cs_cli_part raw, struct cs_cli_part above,
                        int in_launch) {
  int is_top = above.text == r->line.text;
  const char *text = is_top && key ? new_text(r, key) : NULL;
  if (text)
    cs_report_json_text(&r->json, key, text);
  else if (is_top && r->where.is_host && key && strcmp(key, "place") == 0)
    cs_cli_trace_frame(&r->json, key, &r->where, cs_report_own_frame(&r->where.stack));
  else if (is_top && r->where.is_host && key && strcmp(key, "stack") == 0)
    cs_cli_trace_write(&r->json, key, &r->where);
  else if (key && strcmp(key, "program_allocator") == 0)
    write_allocator(r, key, raw, above);
  else if (*raw.text == '[')
    write_array(r, key, raw, in_launch);
  else if (*raw.text == '{')
    write_items(r, key, raw, in_launch || (key && strcmp(key, "launch") == 0));
  else
    write_raw(&r->json, key, raw);
}

static void write_line(const char *line) {
  struct rewriter r = {.json = {.out = stdout}, .line = {line, strlen(line)}};
  if (!cs_cli_is_object(line) || !is(&r, "type", "finding")) {
    puts(line);
    return;
  }
  read_finding(&r);
  name_calls(&r);
  write_items(&r, NULL, r.line, 0);
  putchar('\n');
  cs_cli_trace_release(&r.where);
  cs_report_arena_release(&r.arena);
}

/* ---- all lines ---- */

static int write_lines(FILE *in, const char *path) {
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, in) >= 0) {
    line[strcspn(line, "\r\n")] = 0;
    write_line(line);
  }
  free(line);
  return ferror(in) ? cs_cli_fail("cannot read '%s': %s", path, strerror(errno)) : 0;
}

int main(int argc, char **argv) {
  int status = 0;
  if (cs_cli_images_start())
    return cs_cli_fail("libdw cannot be used");
  for (int i = 1; i < argc && !status; i++) {
    FILE *in = strcmp(argv[i], "-") == 0 ? stdin : fopen(argv[i], "re");
    status = in ? write_lines(in, argv[i]) : cs_cli_fail("cannot read '%s': %s", argv[i], strerror(errno));
    if (in && in != stdin)
      fclose(in);
  }
  return fflush(stdout) || ferror(stdout) ? cs_cli_fail("cannot write the lines: %s", strerror(errno)) : status;
}
