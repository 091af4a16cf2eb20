/* text.c: a finding as text for people, in the order that AddressSanitizer's users know. */
#include "report/excerpt.h"
#include "report/finding.h"
#include "report/paint.h"
#include <string.h>
#include <unistd.h>

#define COLUMNS 100
#define RULE "================================================================="

struct page {
  const struct cs_finding *f;
  const struct cs_text_options *options;
  FILE *out;
};

static const struct {
  const char *name, *title;
} kinds[] = {
#define CS_KIND(id, name, title) [CS_KIND_##id] = {name, title},
#include "report/kinds.inc"
};

static const char *access_noun(enum cs_access access) {
  static const char *const nouns[] = {
      [CS_ACCESS_READ] = "read", [CS_ACCESS_WRITE] = "write", [CS_ACCESS_ATOMIC] = "atomic access"};
  return access < CS_ACCESS_COUNT ? nouns[access] : "reading or writing";
}

static const char *plural(cs_u64 n) {
  return n == 1 ? "" : "s";
}

static const char *shown_path(const struct page *p, const char *path) {
  const char *prefix = p->options ? p->options->strip_path_prefix : NULL;
  size_t length = prefix ? strlen(prefix) : 0;
  return length && strncmp(path, prefix, length) == 0 && path[length] ? path + length : path;
}

/* "file:line:column", as much as is known; "" when nothing is. Returns to. */
static const char *place(const struct page *p, const struct cs_source *s, char *to, size_t room) {
  if (s->file && s->line && s->column)
    snprintf(to, room, "%s:%u:%u", shown_path(p, s->file), s->line, s->column);
  else if (s->file && s->line)
    snprintf(to, room, "%s:%u", shown_path(p, s->file), s->line);
  else if (s->file)
    snprintf(to, room, "%s", shown_path(p, s->file));
  else if (s->module)
    snprintf(to, room, "(%s)", shown_path(p, s->module));
  else
    snprintf(to, room, "%s", "");
  return to;
}

/* One line a frame; a place that does not fit any more goes to a line of its own. */
static void print_frame(const struct page *p, size_t number, const struct cs_source *s, const char *note) {
  char where[4096];
  const char *function = s->function ? s->function : "<unknown function>";
  place(p, s, where, sizeof where);
  int used = fprintf(p->out, "    #%zu ", number);
  if (s->pc)
    used += fprintf(p->out, "0x%012llx ", s->pc);
  used += fprintf(p->out, "in %s", function);
  if (*where && used + 1 + strlen(where) + strlen(note) > COLUMNS)
    fprintf(p->out, "\n       at %s%s\n", where, note);
  else
    fprintf(p->out, "%s%s%s\n", *where ? " " : "", where, note);
}

static void print_host_stack(const struct page *p, const struct cs_stack *stack) {
  for (size_t i = 0; i < stack->count; i++)
    print_frame(p, i, &stack->frames[i], "");
}

static void print_device_stack(const struct page *p) {
  const struct cs_stack *stack = &p->f->where;
  for (size_t i = 0; i < stack->count; i++)
    print_frame(p, i, &stack->frames[i], i + 1 < stack->count ? " (inlined)" : "");
  if (stack->count == 0)
    fprintf(p->out, "    #0 <no source line: the module's %s>\n",
            p->f->access == CS_ACCESS_COUNT ? "site table cannot be read" : "device code has no debug information");
}

static void print_error(const struct page *p) {
  const struct cs_finding *f = p->f;
  int pid = p->options && p->options->pid ? p->options->pid : (int)getpid();
  fprintf(p->out, RULE "\n%s==%d==ERROR: CuSafe: %s", cs_paint(p->options, CS_PAINT_ERROR), pid, kinds[f->kind].title);
  if (f->event == CS_EVENT_ACCESS)
    fprintf(p->out, " (%s of %llu byte%s)", access_noun(f->access), f->size, plural(f->size));
  else if (f->free_call)
    fprintf(p->out, " (%s)", f->free_call);
  fprintf(p->out, " at 0x%012llx%s\n", f->address, cs_paint(p->options, CS_PAINT_PLAIN));
}

static void print_thread(const struct page *p) {
  const struct cs_finding *f = p->f;
  const cs_u32 *b = f->block, *t = f->thread;
  if (f->kernel)
    fprintf(p->out, "in kernel %s%s%s,\n   by", cs_paint(p->options, CS_PAINT_STRONG), f->kernel,
            cs_paint(p->options, CS_PAINT_PLAIN));
  else
    fprintf(p->out, "by");
  fprintf(p->out, " thread (%u,%u,%u) of block (%u,%u,%u)", t[0], t[1], t[2], b[0], b[1], b[2]);
  if (f->count > 1)
    fprintf(p->out, "; %llu errors at this place so far", f->count);
  fputs("\n", p->out);
}

static void print_where(const struct page *p) {
  const struct cs_finding *f = p->f;
  if (f->event == CS_EVENT_FREE) {
    print_host_stack(p, &f->where);
    return;
  }
  print_device_stack(p);
  if (f->where.count)
    cs_print_excerpt(&f->where.frames[0], f->directory, p->options, p->out);
  print_thread(p);
}

static void print_range(const struct page *p, const struct cs_buffer *b) {
  fprintf(p->out, "%llu-byte buffer [0x%012llx, 0x%012llx)\n", b->size, b->start, b->start + b->size);
}

/* Where the access lies relative to the buffer, without the buffer: "... 4 bytes past the end of". */
static void print_position(const struct page *p, const struct cs_buffer *b) {
  const struct cs_finding *f = p->f;
  cs_u64 offset = f->address - b->start, tail = offset + f->size - b->size;
  int straddles = f->outside && !f->before && offset < b->size;
  if (straddles) {
    fprintf(p->out, "the last %llu byte%s accessed %s past the end of", tail, plural(tail), tail == 1 ? "is" : "are");
    return;
  }
  fprintf(p->out, "0x%012llx is ", f->address);
  if (f->outside)
    fprintf(p->out, "%llu byte%s %s of", f->distance, plural(f->distance),
            f->before ? "before the start" : "past the end");
  else if (offset == 0)
    fprintf(p->out, "the start of");
  else
    fprintf(p->out, "%llu byte%s inside of", offset, plural(offset));
}

static void print_event(const struct page *p, const char *verb, const char *call, const struct cs_stack *stack) {
  fprintf(p->out, "%s%s%s%s%s%s\n", cs_paint(p->options, CS_PAINT_ACCESS), verb, call ? " by " : "", call ? call : "",
          stack->count ? " here:" : "; where is not known", cs_paint(p->options, CS_PAINT_PLAIN));
  print_host_stack(p, stack);
}

static void print_history(const struct page *p, const struct cs_buffer *b) {
  if (b->freed)
    print_event(p, "freed", NULL, &b->freed_by);
  if (b->allocator || b->allocated_by.count)
    print_event(p, b->freed ? "previously allocated" : "allocated", b->allocator, &b->allocated_by);
}

static void print_own(const struct page *p) {
  const struct cs_finding *f = p->f;
  print_position(p, f->own);
  fprintf(p->out, " a %s", f->own->freed ? "freed " : "");
  print_range(p, f->own);
  if (f->kind == CS_KIND_USE_AFTER_FREE && !f->own->freed)
    fprintf(p->out, "which is alive now, but was not when the access was checked\n");
  if (f->kind == CS_KIND_INVALID_FREE && !f->own->freed && f->address == f->own->start)
    fprintf(p->out, "which %s cannot free\n", f->free_call ? f->free_call : "this call");
  print_history(p, f->own);
}

static void print_no_own(const struct page *p) {
  const struct cs_finding *f = p->f;
  if (f->event == CS_EVENT_FREE)
    fprintf(p->out, "0x%012llx is not the address of a buffer that a CUDA call has allocated\n", f->address);
  else if (cs_is_marked(f->root) && !cs_marked_root(f->root))
    fprintf(p->out, "its pointer has moved so far from its buffer that the buffer is not known any more\n");
  else
    fprintf(p->out, "its pointer, 0x%012llx, belongs to no buffer that a CUDA call has allocated\n", cs_strip(f->root));
}

static void print_touched(const struct page *p) {
  const struct cs_finding *f = p->f;
  cs_u64 offset = f->address - f->touched->start;
  fprintf(p->out, "0x%012llx is %llu byte%s inside of another live %llu-byte buffer [0x%012llx, 0x%012llx)\n",
          f->address, offset, plural(offset), f->touched->size, f->touched->start,
          f->touched->start + f->touched->size);
  print_history(p, f->touched);
}

/* The first frame with a line: a bad free starts in code that has none. */
static const struct cs_source *summary_frame(const struct cs_stack *stack) {
  for (size_t i = 0; i < stack->count; i++)
    if (stack->frames[i].line)
      return &stack->frames[i];
  return stack->count ? &stack->frames[0] : NULL;
}

static void print_summary(const struct page *p) {
  const struct cs_finding *f = p->f;
  const struct cs_source *frame = summary_frame(&f->where);
  char where[4096];
  fprintf(p->out, "\nSUMMARY: CuSafe: %s", kinds[f->kind].name);
  if (frame && *place(p, frame, where, sizeof where))
    fprintf(p->out, " %s", where);
  if (frame && frame->function)
    fprintf(p->out, " in %s", frame->function);
  else if (f->kernel)
    fprintf(p->out, " in kernel %s", f->kernel);
  fprintf(p->out, "\n" RULE "\n");
}

void cs_render_text(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out) {
  const struct page page = {finding, options, out};
  print_error(&page);
  print_where(&page);
  fputs("\n", out);
  if (finding->own)
    print_own(&page);
  else
    print_no_own(&page);
  if (finding->touched)
    print_touched(&page);
  print_summary(&page);
  fflush(out);
}
