/* trace.c: resolves the frames of a stack, and writes them as CuSafe does. */
#include "cli/symbolize/trace.h"
#include "cli/symbolize/images.h"
#include "host/stacks/address.h"
#include "host/stacks/view.h"
#include "report/arena.h"
#include "report/toolkit.h"
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 512 };

static void *new(void **arena, size_t bytes) {
  void *room = cs_report_arena_new(arena, bytes);
  if (!room)
    abort();
  return room;
}

static const char *copy(void **arena, const char *text) {
  return text ? strcpy(new(arena, strlen(text) + 1), text) : NULL;
}

/* Of the escapes, those that CuSafe writes. */
const char *cs_cli_trace_text(void **arena, struct cs_cli_part part) {
  if (!part.text)
    return NULL;
  char *text = new(arena, part.bytes + 1), *to = text;
  for (size_t i = 0; i < part.bytes; i++) {
    char code[5] = "";
    if (part.text[i] != '\\' || i + 1 == part.bytes)
      *to++ = part.text[i];
    else if (part.text[++i] == 'u' && i + 4 < part.bytes) {
      memcpy(code, part.text + i + 1, 4);
      *to++ = (char)strtoul(code, NULL, 16);
      i += 4;
    } else
      *to++ = part.text[i];
  }
  return text;
}

static cs_u64 number(struct cs_cli_part part) {
  return part.text ? strtoull(part.text, NULL, 0) : 0;
}

/* Adds what the address resolves to. */
static size_t add_resolved(struct cs_cli_trace *t, struct cs_source *frames, cs_u64 address) {
  const struct cs_source *found;
  size_t count = cs_host_address_frames(address, &found);
  for (size_t i = 0; i < count; i++) {
    frames[i] = found[i];
    frames[i].function = copy(&t->arena, found[i].function);
    frames[i].file = copy(&t->arena, found[i].file);
    frames[i].build = copy(&t->arena, found[i].build);
    frames[i].module = copy(&t->arena, found[i].module);
  }
  return count;
}

static size_t add(struct cs_cli_trace *t, struct cs_source *frames, struct cs_cli_part item) {
  const char *module = cs_cli_trace_text(&t->arena, cs_cli_part_of(item, "module"));
  const char *build = cs_cli_trace_text(&t->arena, cs_cli_part_of(item, "build_id"));
  cs_u64 offset = number(cs_cli_part_of(item, "offset"));
  cs_u64 address = module && offset ? cs_cli_images_address(module, build ? build : "", offset) : 0;
  size_t count = address ? add_resolved(t, frames, address) : 0;
  if (count)
    return count;
  *frames = (struct cs_source){.function = cs_cli_trace_text(&t->arena, cs_cli_part_of(item, "function")),
                               .file = cs_cli_trace_text(&t->arena, cs_cli_part_of(item, "file")),
                               .line = (cs_u32)number(cs_cli_part_of(item, "line")),
                               .module = module,
                               .build = build,
                               .offset = offset,
                               .pc = number(cs_cli_part_of(item, "pc"))};
  frames->is_python = !frames->pc;
  frames->is_toolkit = frames->is_python && frames->file && cs_report_is_python_package(frames->file);
  t->has_python |= frames->is_python;
  return 1;
}

/* Whether it is a host stack none of whose native frames has a line. */
static int is_unresolved(struct cs_cli_part frames) {
  const char *at = frames.text;
  struct cs_cli_part key, item;
  int native = 0;
  while (cs_cli_part_next(&at, &key, &item))
    if (cs_cli_part_of(item, "pc").text) {
      native = 1;
      if (cs_cli_part_of(item, "line").text)
        return 0;
    }
  return native;
}

void cs_cli_trace_resolve(struct cs_cli_trace *t, struct cs_cli_part frames, const char *kernel) {
  t->all = frames;
  if (!frames.text || *frames.text != '[' || !is_unresolved(frames))
    return;
  struct cs_source *all = new(&t->arena, (FRAMES_MAX + 16) * sizeof *all);
  struct cs_cli_part key, item;
  size_t count = 0;
  for (const char *at = frames.text; count < FRAMES_MAX && cs_cli_part_next(&at, &key, &item);)
    count += add(t, all + count, item);
  t->stack = cs_host_view(all, count);
  cs_host_view_drop_stub(&t->stack, kernel);
  t->is_host = 1;
}

void cs_cli_trace_release(struct cs_cli_trace *t) {
  cs_report_arena_release(&t->arena);
}

/* The address in the process that wrote the line. */
static cs_u64 original(const struct cs_cli_trace *t, const struct cs_source *frame) {
  struct cs_cli_part key, item;
  for (const char *at = t->all.text; cs_cli_part_next(&at, &key, &item);) {
    struct cs_cli_part build = cs_cli_part_of(item, "build_id");
    if (number(cs_cli_part_of(item, "offset")) == frame->offset &&
        (frame->build ? cs_cli_part_is(build, frame->build) : !build.text))
      return number(cs_cli_part_of(item, "pc"));
  }
  return frame->pc;
}

void cs_cli_trace_frame(struct cs_report_json *j, const char *key, const struct cs_cli_trace *t,
                        const struct cs_source *frame) {
  struct cs_source written = *frame;
  if (frame->pc && frame->module)
    written.pc = original(t, frame);
  cs_report_json_frame(j, key, &written);
}

void cs_cli_trace_write(struct cs_report_json *j, const char *key, const struct cs_cli_trace *t) {
  cs_report_json_open(j, key, '[');
  for (size_t i = 0; i < t->stack.count; i++)
    cs_cli_trace_frame(j, NULL, t, &t->stack.frames[i]);
  cs_report_json_close(j, ']');
}
