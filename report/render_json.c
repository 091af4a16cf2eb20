/* render_json.c: a finding as one line of JSON. Unknown fields are omitted. */
#include "report/call.h"
#include "report/format.h"
#include "report/heatmap.h"
#include "report/json.h"
#include "report/origin.h"
#include "report/words.h"
#include <stdlib.h>
#include <unistd.h>

/* What a line has. One that is too long is written again with less. */
static const struct detail {
  const char *omits; /* compared with the detail before */
  int heatmap, neighbours;
  size_t frames, text; /* of a stack; bytes of a string; 0: all of it */
} details[] = {
    {NULL, 1, 1, ~(size_t)0, 0},
    {"heatmap", 0, 1, ~(size_t)0, 0},
    {"neighbours", 0, 0, ~(size_t)0, 0},
    {"frames", 0, 0, 16, 0},
    {NULL, 0, 0, 4, 0},
    {"text", 0, 0, 2, 256},
    {NULL, 0, 0, 0, 64},
};
enum { DETAILS = sizeof details / sizeof *details };

struct view {
  const struct cs_text_options *options;
  const struct detail *detail;
};

static void frame_field(struct cs_report_json *j, const char *key, const struct cs_source *s, const struct view *view) {
  struct cs_source shown = *s;
  shown.file = s->file ? cs_report_shown_path(view->options, s->file) : NULL;
  shown.module = s->module ? cs_report_shown_path(view->options, s->module) : NULL;
  cs_report_json_frame(j, key, &shown);
}

static void stack_field(struct cs_report_json *j, const char *key, const struct cs_stack *stack,
                        const struct view *view) {
  size_t max = view->detail->frames;
  if (!stack->count || !max)
    return;
  cs_report_json_open(j, key, '[');
  for (size_t i = 0; i < stack->count; i++)
    if (i < (max + 1) / 2 || stack->count - i <= max / 2)
      frame_field(j, NULL, &stack->frames[i], view);
  cs_report_json_close(j, ']');
}

static void buffer_field(struct cs_report_json *j, const char *key, const struct cs_buffer *b,
                         const struct view *view) {
  char call[CS_REPORT_CALL_ROOM];
  if (!b)
    return;
  cs_report_json_open(j, key, '{');
  cs_report_json_address(j, "start", b->start);
  cs_report_json_number(j, "size", b->size);
  cs_report_json_bool(j, "freed", b->freed);
  cs_report_json_text(j, "allocator", b->allocator);
  cs_report_json_text(j, "name", b->name);
  cs_report_json_text(j, "program_allocator", cs_report_allocator(b, call, sizeof call));
  stack_field(j, "allocated_by", &b->allocated_by, view);
  stack_field(j, "freed_by", &b->freed_by, view);
  buffer_field(j, "whole", view->detail->frames ? b->whole : NULL, view);
  cs_report_json_close(j, '}');
}

static void access_fields(struct cs_report_json *j, const struct cs_finding *f) {
  cs_report_json_text(j, "access", cs_report_access_name(f->access));
  if (cs_report_has_address(f))
    cs_report_json_address(j, "address", f->address);
  if (f->size)
    cs_report_json_number(j, "size", f->size);
  if (f->align)
    cs_report_json_number(j, "align", f->align);
  if (f->kind == CS_KIND_FIELD_OVERFLOW) {
    cs_report_json_signed(j, "index", f->index);
    cs_report_json_number(j, "elements", f->elements);
  }
  if (f->outside) {
    cs_report_json_text(j, "side", f->before ? "before" : "past");
    cs_report_json_number(j, "distance", f->distance);
  }
  cs_report_json_text(j, "call", f->free_call ? f->free_call : f->api_call);
  cs_report_json_text(j, "program_call", f->call);
  if (f->event == CS_EVENT_ARGUMENT)
    cs_report_json_number(j, "argument", f->argument);
  if (f->event == CS_EVENT_CANARY)
    cs_report_json_number(j, "launches", f->launches);
}

static void plane_field(struct cs_report_json *j, const char *key, const struct cs_report_heatmap *m) {
  cs_report_json_open(j, key, '{');
  cs_report_json_triple(j, "extent", m->extent);
  cs_report_json_triple(j, "first", m->min);
  cs_report_json_triple(j, "last", m->max);
  cs_report_json_number(j, "columns", m->cells.columns);
  cs_report_json_number(j, "rows", m->cells.rows);
  cs_report_json_open(j, "counts", '[');
  for (cs_u32 i = 0; i < m->cells.columns * m->cells.rows; i++)
    cs_report_json_number(j, NULL, cs_report_heatmap_errors_in(m->bins, m->cells, i));
  cs_report_json_close(j, ']');
  cs_report_json_close(j, '}');
}

static void heatmap_field(struct cs_report_json *j, const struct cs_heat *heat) {
  const struct cs_report_heatmap blocks = cs_report_heatmap(heat, CS_HEAT_BLOCKS),
                                 threads = cs_report_heatmap(heat, CS_HEAT_THREADS);
  cs_report_json_open(j, "erring", '{');
  cs_report_json_number(j, "errors", blocks.errors);
  plane_field(j, "blocks", &blocks);
  plane_field(j, "threads", &threads);
  cs_report_json_close(j, '}');
}

static void grid_fields(struct cs_report_json *j, const cs_u32 *grid, const cs_u32 *block) {
  if (!grid[0])
    return;
  cs_report_json_triple(j, "grid", grid);
  cs_report_json_triple(j, "block", block);
}

static int has_places(const struct cs_report_launch *l, const struct view *view) {
  return view->detail->frames > 4 &&
         (l->place_count > 1 || (l->place_count && (l->places->is_graph || l->count != l->places->count)));
}

/* The launch, if it is known; every place otherwise. */
static void launch_field(struct cs_report_json *j, const struct cs_report_launch *l, const struct view *view) {
  cs_report_json_open(j, "launch", '{');
  grid_fields(j, l->grid, l->block);
  stack_field(j, "stack", &l->stack, view);
  if (l->count)
    cs_report_json_number(j, "count", l->count);
  if (l->is_earlier)
    cs_report_json_bool(j, "earlier", 1);
  if (has_places(l, view)) {
    cs_report_json_open(j, "places", '[');
    for (size_t i = 0; i < l->place_count; i++) {
      const struct cs_launch_place *place = &l->places[i];
      cs_report_json_open(j, NULL, '{');
      cs_report_json_number(j, "count", place->count);
      if (place->is_graph)
        cs_report_json_bool(j, "graph", 1);
      grid_fields(j, place->grid, place->block);
      stack_field(j, "stack", &place->stack, view);
      stack_field(j, "node", &place->node, view);
      cs_report_json_close(j, '}');
    }
    cs_report_json_close(j, ']');
  }
  cs_report_json_close(j, '}');
}

/* The access that a race is with. */
static void other_field(struct cs_report_json *j, const struct cs_other_access *o, const struct view *view) {
  cs_report_json_open(j, "other", '{');
  cs_report_json_text(j, "access", cs_report_access_name(o->access));
  if (o->size)
    cs_report_json_number(j, "size", o->size);
  cs_report_json_triple(j, "block", o->block);
  cs_report_json_triple(j, "thread", o->thread);
  stack_field(j, "stack", &o->where, view);
  cs_report_json_close(j, '}');
}

static void kernel_fields(struct cs_report_json *j, const struct cs_finding *f, const struct view *view) {
  cs_report_json_thread(j, f);
  if (f->other)
    other_field(j, f->other, view);
  if (f->heat && view->detail->heatmap)
    heatmap_field(j, f->heat);
  if (f->launch)
    launch_field(j, f->launch, view);
}

static void memory_fields(struct cs_report_json *j, const struct cs_finding *f, const struct view *view) {
  if (f->memory_kind != CS_MEMORY_UNKNOWN) {
    cs_report_json_open(j, "variable", '{');
    cs_report_json_text(j, "memory", cs_report_memory_name(f->memory_kind));
    cs_report_json_text(j, "name", f->object);
    if (f->object_bytes) {
      if (!f->placeless)
        cs_report_json_address(j, "start", f->object_start);
      cs_report_json_number(j, "size", f->object_bytes);
    }
    cs_report_json_close(j, '}');
  }
  buffer_field(j, "buffer", f->own, view);
  buffer_field(j, "touched", f->touched, view);
  if (!f->around_count || !view->detail->neighbours)
    return;
  cs_report_json_open(j, "around", '[');
  for (size_t i = 0; i < f->around_count; i++)
    buffer_field(j, NULL, &f->around[i], view);
  cs_report_json_close(j, ']');
}

/* What was omitted for the line's length, of what the finding has. */
static void omitted_field(struct cs_report_json *j, const struct cs_finding *f, const struct detail *detail) {
  if (detail == details)
    return;
  cs_report_json_open(j, "omitted", '[');
  for (const struct detail *d = details + 1; d <= detail; d++)
    if (d->omits && (d->heatmap || !d[-1].heatmap || f->heat) &&
        (d->neighbours || !d[-1].neighbours || f->around_count))
      cs_report_json_text(j, NULL, d->omits);
  cs_report_json_close(j, ']');
}

static void render_view(const struct cs_finding *f, const struct view *view, FILE *out) {
  char sentence[4096];
  const struct cs_text_options *options = view->options;
  struct cs_report_json j = {.out = out, .text_max = view->detail->text};
  const struct cs_source *own = cs_report_own_frame(&f->where);
  cs_report_json_open(&j, NULL, '{');
  cs_report_json_text(&j, "type", "finding");
  cs_report_json_number(&j, "version", 2);
  cs_report_json_text(&j, "kind", cs_report_kind_name(f->kind));
  cs_report_json_text(&j, "fingerprint", f->fingerprint);
  cs_report_json_text(&j, "group", f->group);
  cs_report_json_text(&j, "message", cs_report_sentence(f, sentence, sizeof sentence));
  cs_report_json_text(&j, "event", cs_report_event_name(f->event));
  cs_report_json_number(&j, "count", f->count);
  cs_report_json_number(&j, "pid", options && options->pid ? (cs_u64)options->pid : (cs_u64)getpid());
  cs_report_json_origin(&j, options ? options->origin : NULL);
  access_fields(&j, f);
  if (own)
    frame_field(&j, "place", own, view);
  stack_field(&j, "stack", &f->where, view);
  cs_report_json_text(&j, "directory", f->directory && *f->directory ? f->directory : NULL);
  kernel_fields(&j, f, view);
  memory_fields(&j, f, view);
  omitted_field(&j, f, view->detail);
  cs_report_json_close(&j, '}');
  fputs("\n", out);
}

/* Writes the line if it fits, or if it is the shortest. Returns 0, or -1 if it is too long. */
static int render_if_it_fits(const struct cs_finding *f, const struct view *view, FILE *out) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *line = open_memstream(&text, &bytes);
  if (!line)
    return -1;
  render_view(f, view, line);
  int fits = fclose(line) == 0 && (bytes <= view->options->line_max || view->detail == &details[DETAILS - 1]);
  if (fits)
    fwrite(text, 1, bytes, out);
  free(text);
  return fits ? 0 : -1;
}

static void render(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  if (!options || !options->line_max) {
    render_view(f, &(struct view){options, details}, out);
    return;
  }
  for (size_t i = 0; i < DETAILS; i++)
    if (!render_if_it_fits(f, &(struct view){options, &details[i]}, out))
      return;
}

static void degraded_field(struct cs_report_json *j, const struct cs_run *run) {
  if (!cs_report_is_degraded(run->degraded))
    return;
  cs_report_json_open(j, "degraded", '{');
  for (int i = 0; i < CS_DEGRADED_COUNT; i++)
    if (run->degraded[i])
      cs_report_json_number(j, cs_report_degraded_key((enum cs_degraded)i), run->degraded[i]);
  cs_report_json_close(j, '}');
}

/* The path of a program may be as long as a line for a socket (host/findings/sink.h) once it is escaped. */
static void render_run(const struct cs_run *run, FILE *out) {
  struct cs_report_json j = {.out = out, .text_max = 4096};
  cs_report_json_open(&j, NULL, '{');
  cs_report_json_text(&j, "type", "run");
  cs_report_json_number(&j, "version", 2);
  cs_report_json_text(&j, "program", run->program);
  cs_report_json_number(&j, "pid", (cs_u64)run->pid);
  cs_report_json_origin(&j, run->origin);
  cs_report_json_number(&j, "seconds", run->milliseconds / 1000);
  cs_report_json_number(&j, "milliseconds", run->milliseconds);
  cs_report_json_number(&j, "launches", run->launches);
  cs_report_json_number(&j, "kernels", run->kernels);
  cs_report_json_number(&j, "buffers", run->buffers);
  cs_report_json_number(&j, "bytes", run->bytes);
  cs_report_json_number(&j, "most_bytes", run->most_bytes);
  cs_report_json_number(&j, "untagged", run->untagged);
  if (run->counting)
    cs_report_json_number(&j, "checks", run->checks);
  cs_report_json_number(&j, "modules", run->modules); /* none: nothing was checked in kernels */
  if (run->counting)
    cs_report_json_number(&j, "counting", run->counting);
  cs_report_json_number(&j, "errors", run->errors);
  cs_report_json_number(&j, "findings", run->findings);
  cs_report_json_number(&j, "hidden", run->hidden);
  degraded_field(&j, run);
  cs_report_json_close(&j, '}');
  fputs("\n", out);
}

const struct cs_format cs_format_json = {.name = "json", .finding = render, .run = render_run};
