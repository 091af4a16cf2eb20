/* render_sarif.c: SARIF 2.1.0: one run whose rules are the kinds, and a result for each finding. */
#include "report/format.h"
#include "report/heatmap.h"
#include "report/json.h"
#include "report/words.h"
#include <ctype.h>
#include <limits.h>
#include <string.h>

static void message_field(struct cs_report_json *j, const char *key, const char *text) {
  cs_report_json_open(j, key, '{');
  cs_report_json_text(j, "text", text);
  cs_report_json_close(j, '}');
}

/* ---- head ---- */

/* After the kinds: a run that was not fully checked. */
#define NOT_CHECKED "not-checked"
enum { NOT_CHECKED_INDEX = CS_KIND_COUNT };

static void rule(struct cs_report_json *j, const char *id, const char *title, const char *help, const char *level) {
  cs_report_json_open(j, NULL, '{');
  cs_report_json_text(j, "id", id);
  message_field(j, "shortDescription", title);
  message_field(j, "fullDescription", help);
  message_field(j, "help", help);
  cs_report_json_open(j, "defaultConfiguration", '{');
  cs_report_json_text(j, "level", level);
  cs_report_json_close(j, '}');
  cs_report_json_close(j, '}');
}

static void head(FILE *out) {
  struct cs_report_json j = {.out = out};
  cs_report_json_open(&j, NULL, '{');
  cs_report_json_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  cs_report_json_text(&j, "version", "2.1.0");
  cs_report_json_open(&j, "runs", '[');
  cs_report_json_open(&j, NULL, '{');
  cs_report_json_open(&j, "tool", '{');
  cs_report_json_open(&j, "driver", '{');
  cs_report_json_text(&j, "name", "CuSafe");
  cs_report_json_text(&j, "version", CUSAFE_VERSION);
  cs_report_json_open(&j, "rules", '[');
  for (int kind = 0; kind < CS_KIND_COUNT; kind++)
    rule(&j, cs_report_kind_name((enum cs_kind)kind), cs_report_kind_title((enum cs_kind)kind),
         cs_report_kind_help((enum cs_kind)kind), "error");
  rule(&j, NOT_CHECKED, "part of the run was not checked",
       "CuSafe could not check all of the run. Free memory, or read the messages of the run for the reason, and repeat "
       "it.",
       "warning");
  fputs("]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[\n", out);
}

/* ---- locations ---- */

/* Takes "/a/./b/../c" to "/a/c", in place. */
static void normalise(char *path) {
  char *to = path;
  for (const char *from = path; *from;) {
    size_t length = strcspn(from + 1, "/") + 1;
    if (length == 3 && memcmp(from, "/..", 3) == 0)
      while (to > path && *--to != '/')
        ;
    else if (length > 1 && !(length == 2 && from[1] == '.')) {
      memmove(to, from, length);
      to += length;
    }
    from += length;
  }
  *to = 0;
}

/* An absolute file is file:///..., a relative one is relative to the root of the sources. */
static void write_uri(const char *path, char *to, size_t room) {
  size_t used = *path == '/' ? (size_t)snprintf(to, room, "file://") : 0;
  for (; *path && used + 4 < room; path++)
    if (isalnum((unsigned char)*path) || strchr("/-._~+", *path))
      to[used++] = *path;
    else
      used += (size_t)snprintf(to + used, room - used, "%%%02X", (unsigned char)*path);
  to[used] = 0;
}

static void artifact(struct cs_report_json *j, const char *file, const char *directory,
                     const struct cs_text_options *options) {
  char path[PATH_MAX], uri[3 * PATH_MAX];
  int relative = *file != '/' && directory && *directory == '/';
  snprintf(path, sizeof path, "%s%s%s", relative ? directory : "", relative ? "/" : "", file);
  if (*path == '/')
    normalise(path);
  write_uri(cs_report_shown_path(options, path), uri, sizeof uri);
  cs_report_json_open(j, "artifactLocation", '{');
  cs_report_json_text(j, "uri", uri);
  cs_report_json_close(j, '}');
}

/* id: of a related location; 0 otherwise. note: or NULL. */
static void location(struct cs_report_json *j, const char *key, const struct cs_source *s, const char *directory,
                     const struct cs_text_options *options, cs_u32 id, const char *note) {
  cs_report_json_open(j, key, '{');
  if (id)
    cs_report_json_number(j, "id", id);
  if (s->file) {
    cs_report_json_open(j, "physicalLocation", '{');
    artifact(j, s->file, directory, options);
    if (s->line) {
      cs_report_json_open(j, "region", '{');
      cs_report_json_number(j, "startLine", s->line);
      if (s->column)
        cs_report_json_number(j, "startColumn", s->column);
      cs_report_json_close(j, '}');
    }
    cs_report_json_close(j, '}');
  }
  if (s->function) {
    cs_report_json_open(j, "logicalLocations", '[');
    cs_report_json_open(j, NULL, '{');
    cs_report_json_text(j, "fullyQualifiedName", s->function);
    cs_report_json_text(j, "kind", "function");
    cs_report_json_close(j, '}');
    cs_report_json_close(j, ']');
  }
  if (note)
    message_field(j, "message", note);
  cs_report_json_close(j, '}');
}

static void related(struct cs_report_json *j, const struct cs_stack *stack, const char *directory,
                    const struct cs_text_options *options, cs_u32 *id, const char *note) {
  const struct cs_source *frame = cs_report_own_frame(stack);
  if (frame && frame->file)
    location(j, NULL, frame, directory, options, ++*id, note);
}

static void related_launches(struct cs_report_json *j, const struct cs_report_launch *l,
                             const struct cs_text_options *options, cs_u32 *id) {
  char note[CS_REPORT_PLACE_ROOM];
  if (l && !l->place_count)
    related(j, &l->stack, NULL, options, id, "the kernel was launched here");
  for (size_t i = 0; l && i < l->place_count; i++) {
    const struct cs_launch_place *place = &l->places[i];
    const char *what = place->is_graph ? "a graph with the kernel was launched here" : "the kernel was launched here";
    related(j, &place->stack, NULL, options, id, cs_report_place_text(l, place, what, note, sizeof note));
    related(j, &place->node, NULL, options, id, "the kernel was added to the graph here");
  }
}

static void related_locations(struct cs_report_json *j, const struct cs_finding *f,
                              const struct cs_text_options *options) {
  cs_u32 id = 0;
  cs_report_json_open(j, "relatedLocations", '[');
  if (f->other)
    related(j, &f->other->where, f->directory, options, &id,
            cs_report_is_race(f)                   ? "the other access is here"
            : f->kind == CS_KIND_UNINITIALISED_USE ? "the value was loaded here"
            : f->kind == CS_KIND_INVALID_MASK      ? "the other lane is here"
            : f->kind == CS_KIND_MBARRIER_MISUSE   ? "the operation before is here"
                                                   : "the other thread waits here");
  if (f->own) {
    related(j, &f->own->allocated_by, NULL, options, &id, "the buffer was allocated here");
    related(j, &f->own->freed_by, NULL, options, &id,
            f->own->is_pool       ? "the pool was declared here"
            : f->own->is_poisoned ? "the range was poisoned here"
                                  : "the buffer was freed here");
  }
  if (f->touched)
    related(j, &f->touched->allocated_by, NULL, options, &id,
            "the other buffer that the access hit was allocated here");
  related_launches(j, f->launch, options, &id);
  cs_report_json_close(j, ']');
}

static void stack_field(struct cs_report_json *j, const char *name, const struct cs_stack *stack, const char *directory,
                        const struct cs_text_options *options) {
  if (!stack->count)
    return;
  cs_report_json_open(j, NULL, '{');
  message_field(j, "message", name);
  cs_report_json_open(j, "frames", '[');
  for (size_t i = 0; i < stack->count; i++) {
    cs_report_json_open(j, NULL, '{');
    location(j, "location", &stack->frames[i], directory, options, 0, NULL);
    cs_report_json_close(j, '}');
  }
  cs_report_json_close(j, ']');
  cs_report_json_close(j, '}');
}

static void stacks(struct cs_report_json *j, const struct cs_finding *f, const struct cs_text_options *options) {
  cs_report_json_open(j, "stacks", '[');
  stack_field(j, "where it happened", &f->where, f->directory, options);
  if (f->other)
    stack_field(j,
                cs_report_is_race(f)                   ? "the other access"
                : f->kind == CS_KIND_UNINITIALISED_USE ? "the load of the value"
                : f->kind == CS_KIND_DEADLOCK          ? "the other place"
                : f->kind == CS_KIND_INVALID_MASK      ? "the other lane"
                : f->kind == CS_KIND_MBARRIER_MISUSE   ? "the operation before"
                                                       : "the other barrier",
                &f->other->where, f->directory, options);
  if (f->own) {
    stack_field(j, "allocation", &f->own->allocated_by, NULL, options);
    stack_field(j, "free", &f->own->freed_by, NULL, options);
  }
  if (f->launch && !f->launch->place_count)
    stack_field(j, "launch", &f->launch->stack, NULL, options);
  for (size_t i = 0; f->launch && i < f->launch->place_count; i++) {
    stack_field(j, f->launch->places[i].is_graph ? "launch of the graph" : "launch", &f->launch->places[i].stack, NULL,
                options);
    stack_field(j, "node of the graph", &f->launch->places[i].node, NULL, options);
  }
  cs_report_json_close(j, ']');
}

/* ---- results ---- */

static void properties(struct cs_report_json *j, const struct cs_finding *f) {
  cs_report_json_open(j, "properties", '{');
  cs_report_json_text(j, "group", f->group);
  cs_report_json_text(j, "event", cs_report_event_name(f->event));
  cs_report_json_thread(j, f);
  if (f->heat) {
    const struct cs_report_heatmap blocks = cs_report_heatmap(f->heat, CS_HEAT_BLOCKS),
                                   threads = cs_report_heatmap(f->heat, CS_HEAT_THREADS);
    cs_report_json_triple(j, "firstBlock", blocks.min);
    cs_report_json_triple(j, "lastBlock", blocks.max);
    cs_report_json_triple(j, "firstThread", threads.min);
    cs_report_json_triple(j, "lastThread", threads.max);
  }
  cs_report_json_close(j, '}');
}

static void result(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  struct cs_report_json j = {.out = out};
  char sentence[4096], kernel[4096], text[9216];
  const struct cs_source *own = cs_report_own_frame(&f->where);
  cs_report_kernel_text(f, kernel, sizeof kernel);
  snprintf(text, sizeof text, "%s: %s%s%s", cs_report_title(f), cs_report_sentence(f, sentence, sizeof sentence),
           *kernel ? ", in " : "", kernel);
  cs_report_json_open(&j, NULL, '{');
  cs_report_json_text(&j, "ruleId", cs_report_kind_name(f->kind));
  cs_report_json_number(&j, "ruleIndex", f->kind);
  cs_report_json_text(&j, "level", "error");
  message_field(&j, "message", text);
  cs_report_json_open(&j, "locations", '[');
  if (own)
    location(&j, NULL, own, f->directory, options, 0, NULL);
  cs_report_json_close(&j, ']');
  related_locations(&j, f, options);
  stacks(&j, f, options);
  cs_report_json_open(&j, "partialFingerprints", '{');
  cs_report_json_text(&j, "cusafe/v1", f->fingerprint);
  cs_report_json_close(&j, '}');
  if (f->count)
    cs_report_json_number(&j, "occurrenceCount", f->count > 0x7fffffff ? 0x7fffffff : f->count);
  properties(&j, f);
  cs_report_json_close(&j, '}');
  fputs("\n", out);
}

/* The location is the program: there is no line to name. */
static void run_result(const struct cs_run *run, FILE *out) {
  struct cs_report_json j = {.out = out};
  const struct cs_source program = {.file = run->program};
  char text[2048], sentence[256];
  if (!cs_report_is_degraded(run->degraded))
    return;
  size_t used = (size_t)snprintf(text, sizeof text, "%s: ", CS_DEGRADED_TITLE);
  for (int i = 0; i < CS_DEGRADED_COUNT; i++)
    if (run->degraded[i])
      used += (size_t)snprintf(
          text + used, sizeof text - used, "%s. ",
          cs_report_degraded_sentence((enum cs_degraded)i, run->degraded[i], sentence, sizeof sentence));
  cs_report_json_open(&j, NULL, '{');
  cs_report_json_text(&j, "ruleId", NOT_CHECKED);
  cs_report_json_number(&j, "ruleIndex", NOT_CHECKED_INDEX);
  cs_report_json_text(&j, "level", "warning");
  message_field(&j, "message", text);
  cs_report_json_open(&j, "locations", '[');
  if (run->program)
    location(&j, NULL, &program, NULL, NULL, 0, NULL);
  cs_report_json_close(&j, ']');
  cs_report_json_close(&j, '}');
  fputs("\n", out);
}

const struct cs_format cs_format_sarif = {
    .name = "sarif", .head = head, .finding = result, .run = run_result, .separator = ",", .tail = "]}]}\n"};
