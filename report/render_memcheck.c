/* render_memcheck.c: a finding in the output format of compute-sanitizer's memcheck. Findings that memcheck does not
 * have follow its style. */
#include "report/arena.h"
#include "report/format.h"
#include "report/page.h"
#include "report/printable.h"
#include "report/words.h"

#define MARK "========= "
#define DEEP MARK "    "

/* With thousands separators, as newer versions print. Returns to. */
static const char *grouped(cs_u64 number, char *to, size_t room) {
  char digits[32];
  int count = snprintf(digits, sizeof digits, "%llu", number);
  size_t used = 0;
  for (int i = 0; i < count && used + 2 < room; i++) {
    if (i && (count - i) % 3 == 0)
      to[used++] = ',';
    to[used++] = digits[i];
  }
  to[used] = 0;
  return to;
}

static const char *space_name(const struct cs_finding *f) {
  switch (f->memory_kind) {
  case CS_MEMORY_LOCAL:
    return "__local__";
  case CS_MEMORY_SHARED:
  case CS_MEMORY_DYNAMIC_SHARED:
    return "__shared__";
  case CS_MEMORY_CONSTANT:
    return "__constant__";
  default:
    return "__global__";
  }
}

static void print_frame(const struct cs_report_page *p, const char *word, const struct cs_source *s) {
  fprintf(p->out, DEEP "%s%s", word, s->function ? s->function : "<unknown>");
  if (s->file && s->line)
    fprintf(p->out, " in %s:%u", cs_report_shown_path(p->options, s->file), s->line);
  fputs("\n", p->out);
}

static void print_host_stack(const struct cs_report_page *p, const char *moment, const struct cs_stack *stack) {
  if (!stack->count)
    return;
  fprintf(p->out, DEEP "Saved host backtrace up to driver entry point at %s time\n", moment);
  for (size_t i = 0; i < stack->count; i++) {
    const struct cs_source *s = &stack->frames[i];
    fprintf(p->out, DEEP "    Host Frame:");
    if (s->function)
      fprintf(p->out, " %s", s->function);
    if (s->file && s->line)
      fprintf(p->out, " in %s:%u", cs_report_shown_path(p->options, s->file), s->line);
    if (!s->is_python)
      fprintf(p->out, " [0x%llx]", s->pc);
    if (!s->file && s->module)
      fprintf(p->out, " in %s", cs_report_shown_path(p->options, s->module));
    fputs("\n", p->out);
  }
}

static void print_access(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const char *access = cs_report_access_name(f->access);
  fprintf(p->out, MARK "Invalid %s %s of size %llu bytes\n", space_name(f), access ? access : "access", f->size);
}

static void print_stack(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const struct cs_source kernel_only = {.function = f->kernel};
  print_frame(p, "at ", f->where.count ? &f->where.frames[0] : &kernel_only);
  fprintf(p->out, DEEP "by thread (%u,%u,%u) in block (%u,%u,%u)\n", f->thread[0], f->thread[1], f->thread[2],
          f->block[0], f->block[1], f->block[2]);
}

/* memcheck counts from the last byte of the allocation: the first one after it is 1 byte after. */
static void print_nearest(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  char distance[48], size[48], at[48];
  cs_u64 start = f->own ? f->own->start : f->object_start, bytes = f->own ? f->own->size : f->object_bytes;
  const char *freed = f->own && f->own->is_pool       ? "pool, outside every sub-allocation"
                      : f->own && f->own->is_poisoned ? "poisoned range"
                                                      : "freed allocation";
  const char *what = f->own && f->own->freed ? freed : f->own ? "nearest allocation" : "variable";
  if (!f->own && !f->object_bytes)
    return;
  if (f->placeless)
    at[0] = 0;
  else
    snprintf(at, sizeof at, " at 0x%llx", start);
  if (f->outside && !f->before && f->address - start < bytes)
    fprintf(p->out, DEEP "and reaches %s bytes past the %s%s of size %s bytes\n",
            grouped(f->size - (bytes - (f->address - start)), distance, sizeof distance), what, at,
            grouped(bytes, size, sizeof size));
  else if (f->outside)
    fprintf(p->out, DEEP "and is %s bytes %s the %s%s of size %s bytes\n",
            grouped(f->distance + (f->before ? 0 : 1), distance, sizeof distance), f->before ? "before" : "after", what,
            at, grouped(bytes, size, sizeof size));
  else if (bytes == 0)
    fprintf(p->out, DEEP "and is inside the %s%s\n", what, at);
  else
    fprintf(p->out, DEEP "and is inside the %s%s of size %s bytes\n", what, at, grouped(bytes, size, sizeof size));
}

static const char *verdict(const struct cs_finding *f) {
  switch (f->kind) {
  case CS_KIND_MISALIGNED:
    return "misaligned";
  case CS_KIND_USE_AFTER_FREE:
    return "to freed memory";
  case CS_KIND_USE_AFTER_POISON:
    return f->own && f->own->is_pool ? "to pool memory outside every sub-allocation" : "to poisoned memory";
  case CS_KIND_USE_AFTER_SCOPE:
    return "to a variable whose scope has ended";
  default:
    return "out of bounds";
  }
}

/* Of a race: racecheck has one block, as it knows shared memory only. */
static void print_threads(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const cs_u32 *b = f->block, *t = f->thread, *ob = f->other->block, *ot = f->other->thread;
  if (f->is_same_block)
    fprintf(p->out, DEEP "by threads (%u,%u,%u) and (%u,%u,%u) in block (%u,%u,%u)", t[0], t[1], t[2], ot[0], ot[1],
            ot[2], b[0], b[1], b[2]);
  else
    fprintf(p->out, DEEP "by thread (%u,%u,%u) in block (%u,%u,%u) and thread (%u,%u,%u) in block (%u,%u,%u)", t[0],
            t[1], t[2], b[0], b[1], b[2], ot[0], ot[1], ot[2], ob[0], ob[1], ob[2]);
  fprintf(p->out, " [%llu hazard%s]\n", f->count, cs_report_plural(f->count));
}

/* As its racecheck: both accesses in one message. */
static void print_race(const struct cs_report_page *p) {
  static const char *const names[] = {[CS_ACCESS_READ] = "Read",
                                      [CS_ACCESS_WRITE] = "Write",
                                      [CS_ACCESS_ATOMIC] = "Atomic",
                                      [CS_ACCESS_COUNT] = "Unknown"};
  const struct cs_finding *f = p->f;
  const struct cs_source kernel_only = {.function = f->kernel};
  char words[64];
  fprintf(p->out, MARK "Error: Race reported between %s access at\n", names[f->access]);
  print_frame(p, "", f->where.count ? &f->where.frames[0] : &kernel_only);
  snprintf(words, sizeof words, "and %s access at ", names[f->other->access]);
  print_frame(p, words, f->other->where.count ? &f->other->where.frames[0] : &kernel_only);
  print_threads(p);
  if (f->launch)
    print_host_stack(p, "kernel launch", &f->launch->stack);
}

/* As its synccheck. */
static void print_barrier(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const struct cs_source kernel_only = {.function = f->kernel};
  fprintf(p->out, MARK "Barrier error detected. %s.\n",
          f->kind == CS_KIND_DEADLOCK ? "No thread of the block can continue"
          : f->kind == CS_KIND_INVALID_MASK || f->kind == CS_KIND_MBARRIER_MISUSE ? "Invalid arguments"
                                                                                  : "Divergent thread(s) in warp");
  print_frame(p, "at ", f->where.count ? &f->where.frames[0] : &kernel_only);
  if (f->other)
    print_frame(p, "and at ", f->other->where.count ? &f->other->where.frames[0] : &kernel_only);
  fprintf(p->out, DEEP "by thread (%u,%u,%u) in block (%u,%u,%u)\n", f->thread[0], f->thread[1], f->thread[2],
          f->block[0], f->block[1], f->block[2]);
  if (f->launch)
    print_host_stack(p, "kernel launch", &f->launch->stack);
}

/* As its initcheck, which reports the load. */
static void print_init(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const struct cs_source kernel_only = {.function = f->kernel};
  const struct cs_stack *loaded = f->other ? &f->other->where : &f->where;
  fprintf(p->out, MARK "Uninitialized %s memory read of size %llu bytes\n", space_name(f), f->size);
  print_frame(p, "at ", loaded->count ? &loaded->frames[0] : &kernel_only);
  fprintf(p->out, DEEP "by thread (%u,%u,%u) in block (%u,%u,%u)\n", f->thread[0], f->thread[1], f->thread[2],
          f->block[0], f->block[1], f->block[2]);
  if (f->address)
    fprintf(p->out, DEEP "Address 0x%llx\n", f->address);
  print_frame(p, "used at ", f->where.count ? &f->where.frames[0] : &kernel_only);
  if (f->launch)
    print_host_stack(p, "kernel launch", &f->launch->stack);
}

static void print_device(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  char sentence[4096];
  if (cs_report_is_wait(f)) {
    print_barrier(p);
    return;
  }
  if (f->kind == CS_KIND_UNINITIALISED_USE) {
    print_init(p);
    return;
  }
  if (f->other) {
    print_race(p);
    return;
  }
  if (cs_report_is_free(f) || f->kind == CS_KIND_FIELD_OVERFLOW)
    fprintf(p->out, MARK "%s: %s\n", cs_report_is_free(f) ? "Malloc/Free Error encountered" : "Invalid index",
            cs_report_sentence(f, sentence, sizeof sentence));
  else
    print_access(p);
  print_stack(p);
  if (f->placeless)
    fprintf(p->out, DEEP "Access is %s\n", verdict(f));
  else if (f->kind != CS_KIND_FIELD_OVERFLOW && !cs_report_is_free(f))
    fprintf(p->out, DEEP "Access to 0x%llx is %s\n", f->address, verdict(f));
  if (f->kind != CS_KIND_FIELD_OVERFLOW)
    print_nearest(p);
  for (size_t i = 1; i < f->where.count; i++)
    print_frame(p, "Device Frame: ", &f->where.frames[i]);
  if (f->launch)
    print_host_stack(p, "kernel launch", &f->launch->stack);
}

static void print_leak(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  char size[48];
  fprintf(p->out, MARK "Leaked %s bytes at 0x%llx\n", grouped(f->size, size, sizeof size), f->address);
  print_host_stack(p, "allocation", &f->where);
}

static const char *host_title(const struct cs_finding *f) {
  if (f->event == CS_EVENT_FAULT || f->event == CS_EVENT_CANARY)
    return "Invalid access";
  return f->event == CS_EVENT_FREE ? "Invalid free" : "Invalid call";
}

static void print_host(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  char sentence[4096];
  fprintf(p->out, MARK "%s: %s\n", host_title(f), cs_report_sentence(f, sentence, sizeof sentence));
  if (f->kernel)
    fprintf(p->out, DEEP "kernel %s\n", f->kernel);
  if (cs_report_has_address(f)) {
    fprintf(p->out, DEEP "Address 0x%llx was %s\n", f->address, f->event == CS_EVENT_CANARY ? "overwritten" : "passed");
    print_nearest(p);
  }
  int is_launch = f->event == CS_EVENT_ARGUMENT || (f->event == CS_EVENT_CANARY && f->launches == 1);
  print_host_stack(p, is_launch ? "kernel launch" : "call", &f->where);
  if (!is_launch && f->launch)
    print_host_stack(p, "kernel launch", &f->launch->stack);
}

static void render(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out) {
  void *arena = NULL;
  const struct cs_finding printable = cs_report_printable(finding, &arena), *f = &printable;
  const struct cs_report_page page = {f, options, out};
  if (f->event == CS_EVENT_LEAK)
    print_leak(&page);
  else if (f->event == CS_EVENT_ACCESS)
    print_device(&page);
  else
    print_host(&page);
  if (f->event != CS_EVENT_LEAK && f->own) {
    print_host_stack(&page, "allocation", &f->own->allocated_by);
    print_host_stack(&page, "free", &f->own->freed_by);
  }
  fputs("=========\n", out);
  cs_report_arena_release(&arena);
}

/* The first line is compute-sanitizer's own, because scripts match it. CuSafe's name is on a line without the prefix,
 * which they ignore. */
static void head(FILE *out) {
  fputs(MARK "COMPUTE-SANITIZER\ncusafe: CuSafe " CUSAFE_VERSION ", in the output format of compute-sanitizer\n", out);
}

static void leaks(cs_u64 buffers, cs_u64 bytes, FILE *out) {
  fprintf(out, MARK "LEAK SUMMARY: %llu bytes leaked in %llu allocations\n", bytes, buffers);
}

static void total(const struct cs_run *run, FILE *out) {
  fprintf(out, MARK "ERROR SUMMARY: %llu error%s\n", run->errors, cs_report_plural(run->errors));
}

const struct cs_format cs_format_memcheck = {
    .name = "compute-sanitizer", .is_relative = 1, .head = head, .finding = render, .leaks = leaks, .run = total};
