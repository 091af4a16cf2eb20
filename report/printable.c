/* printable.c: escapes the names of a finding for the renderers of text. */
#include "report/printable.h"
#include "report/arena.h"
#include "report/print.h"
#include <string.h>

static int is_printable(const char *text) {
  for (size_t length; text && *text; text += length)
    if (!(length = cs_report_printable_length(text)))
      return 0;
  return 1;
}

static const char *escape(void **arena, const char *text) {
  if (is_printable(text))
    return text;
  char *escaped = cs_report_arena_new(arena, 4 * strlen(text) + 1), *to = escaped;
  for (size_t length; escaped && *text; text += length ? length : 1) {
    length = cs_report_printable_length(text);
    if (length)
      memcpy(to, text, length);
    else
      sprintf(to, "\\x%02x", (unsigned char)*text);
    to += length ? length : 4;
  }
  return escaped ? escaped : "?"; /* out of memory */
}

static int is_printable_stack(const struct cs_stack *stack) {
  for (size_t i = 0; i < stack->count; i++)
    if (!is_printable(stack->frames[i].function) || !is_printable(stack->frames[i].file) ||
        !is_printable(stack->frames[i].module))
      return 0;
  return 1;
}

static struct cs_stack escape_stack(void **arena, struct cs_stack stack) {
  if (is_printable_stack(&stack))
    return stack;
  struct cs_source *frames = cs_report_arena_new(arena, stack.count * sizeof *frames);
  for (size_t i = 0; frames && i < stack.count; i++) {
    frames[i] = stack.frames[i];
    frames[i].function = escape(arena, frames[i].function);
    frames[i].file = escape(arena, frames[i].file);
    frames[i].module = escape(arena, frames[i].module);
  }
  return (struct cs_stack){frames, frames ? stack.count : 0};
}

static int is_printable_buffer(const struct cs_buffer *b) {
  return is_printable(b->name) && is_printable_stack(&b->allocated_by) && is_printable_stack(&b->freed_by) &&
         (!b->whole || is_printable_buffer(b->whole));
}

/* Only names in stacks, and those of sub-allocations, can be foreign: an allocator is a driver call. */
static const struct cs_buffer *escape_buffer(void **arena, const struct cs_buffer *buffer) {
  if (!buffer || is_printable_buffer(buffer))
    return buffer;
  struct cs_buffer *escaped = cs_report_arena_new(arena, sizeof *escaped);
  if (!escaped)
    return NULL;
  *escaped = *buffer;
  escaped->allocated_by = escape_stack(arena, buffer->allocated_by);
  escaped->freed_by = escape_stack(arena, buffer->freed_by);
  escaped->name = escape(arena, buffer->name);
  escaped->whole = escape_buffer(arena, buffer->whole);
  return escaped;
}

static int is_printable_launch(const struct cs_report_launch *l) {
  int printable = is_printable_stack(&l->stack);
  for (size_t i = 0; i < l->place_count; i++)
    printable &= is_printable_stack(&l->places[i].stack) && is_printable_stack(&l->places[i].node);
  return printable;
}

static const struct cs_report_launch *escape_launch(void **arena, const struct cs_report_launch *launch) {
  if (!launch || is_printable_launch(launch))
    return launch;
  struct cs_report_launch *escaped = cs_report_arena_new(arena, sizeof *escaped);
  struct cs_launch_place *places = cs_report_arena_new(arena, (launch->place_count + 1) * sizeof *places);
  if (!escaped || !places)
    return NULL;
  *escaped = *launch;
  escaped->stack = escape_stack(arena, launch->stack);
  for (size_t i = 0; i < launch->place_count; i++) {
    places[i] = launch->places[i];
    places[i].stack = escape_stack(arena, places[i].stack);
    places[i].node = escape_stack(arena, places[i].node);
  }
  escaped->places = places;
  return escaped;
}

static void escape_kernels(void **arena, struct cs_finding *f) {
  const char **names = cs_report_arena_new(arena, (f->kernel_count + 1) * sizeof *names);
  for (size_t i = 0; names && i < f->kernel_count; i++)
    names[i] = escape(arena, f->kernels[i]);
  f->kernel_count = names ? f->kernel_count : 0;
  f->kernels = names;
}

static const struct cs_other_access *escape_other(void **arena, const struct cs_other_access *other) {
  if (!other || is_printable_stack(&other->where))
    return other;
  struct cs_other_access *escaped = cs_report_arena_new(arena, sizeof *escaped);
  if (!escaped)
    return NULL;
  *escaped = *other;
  escaped->where = escape_stack(arena, other->where);
  return escaped;
}

struct cs_finding cs_report_printable(const struct cs_finding *finding, void **arena) {
  struct cs_finding f = *finding;
  f.kernel = escape(arena, f.kernel);
  f.object = escape(arena, f.object);
  f.use = escape(arena, f.use);
  f.where = escape_stack(arena, f.where);
  f.other = escape_other(arena, f.other);
  f.own = escape_buffer(arena, f.own);
  f.touched = escape_buffer(arena, f.touched);
  f.launch = escape_launch(arena, f.launch);
  escape_kernels(arena, &f);
  return f;
}
