/* render_html.c: a self-contained page: a section for each finding, and one for each run at its end.
 *
 * Findings are appended one by one, possibly by several processes, and what is written never changes. So the index at
 * the top is not one part of the file: each finding writes its own row, and the style sheet moves the rows to the top,
 * hides them while there are few, and numbers rows and sections. */
#include "report/call.h"
#include "report/excerpt.h"
#include "report/format.h"
#include "report/html.h"
#include "report/json.h"
#include "report/page.h"
#include "report/print.h"
#include "report/shorten.h"
#include "report/words.h"
#include <stdlib.h>
#include <string.h>

enum { LINES_BEFORE = 4, LINES_AFTER = 3 };

void cs_report_html_text(FILE *out, const char *text) {
  for (size_t length; *text; text += length ? length : 1) {
    length = cs_report_utf8_length(text);
    if (!length || ((unsigned char)*text < ' ' && *text != '\n' && *text != '\t'))
      fputs("\xef\xbf\xbd", out);
    else if (*text == '<')
      fputs("&lt;", out);
    else if (*text == '&')
      fputs("&amp;", out);
    else if (*text == '"')
      fputs("&quot;", out);
    else
      fwrite(text, 1, length, out);
  }
}

static void head(FILE *out) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>CuSafe report</title>\n<style>"
#include "report/html_style.inc"
        "</style></head>\n<body><main><h1>CuSafe report</h1>\n"
        "<div class=\"row names\"><span>kind</span><span>location</span><span>kernel or "
        "function</span><span>errors</span></div>\n",
        out);
}

/* ---- source ---- */

static void code(FILE *out, const char *text) {
  fputs("<code>", out);
  cs_report_html_text(out, text);
  fputs("</code>", out);
}

static void caret(FILE *out, const char *line, cs_u32 column) {
  if (!column)
    return;
  fputs("      <span class=\"caret\">", out);
  for (cs_u32 i = 0; i + 1 < column && line[i]; i++)
    if ((line[i] & 0xc0) != 0x80)
      fputc(line[i] == '\t' ? '\t' : ' ', out);
  fputs("^</span>\n", out);
}

static void source(const struct cs_source *s, const char *directory, FILE *out) {
  FILE *in = s->file && s->line ? cs_report_open_source(s->file, directory) : NULL;
  char *line = NULL;
  size_t room = 0;
  cs_u32 first = s->line > LINES_BEFORE ? s->line - LINES_BEFORE : 1;
  if (!in)
    return;
  fputs("<pre>", out);
  for (cs_u32 number = 1; number <= s->line + LINES_AFTER && getline(&line, &room, in) >= 0; number++) {
    if (number < first)
      continue;
    line[strcspn(line, "\r\n")] = 0;
    fputs(number == s->line ? "<mark>" : "", out);
    fprintf(out, "%5u ", number);
    cs_report_html_text(out, line);
    fputs(number == s->line ? "</mark>\n" : "\n", out);
    if (number == s->line)
      caret(out, line, s->column);
  }
  fputs("</pre>\n", out);
  free(line);
  fclose(in);
}

/* ---- stacks ---- */

/* Template names can fill a screen: long names unfold. */
static void name(FILE *out, const char *text) {
  enum { NAME_COLUMNS = 110 };
  char buffer[NAME_COLUMNS + 1];
  const char *shown = cs_report_short_name(text, NAME_COLUMNS, buffer);
  if (shown == text) {
    code(out, text);
    return;
  }
  fputs("<details><summary>", out);
  code(out, shown);
  fputs("</summary>", out);
  code(out, text);
  fputs("</details>", out);
}

static void location(const struct cs_source *s, const struct cs_text_options *options, FILE *out) {
  char text[CS_REPORT_LOCATION_MAX];
  const struct cs_report_page page = {NULL, options, out};
  name(out, s->function ? s->function : "<unknown function>");
  if (*cs_report_page_location(&page, s, sizeof text, text, sizeof text)) {
    fputs(" <span class=\"soft\">", out);
    cs_report_html_text(out, text);
    fputs("</span>", out);
  }
}

static void stack(const char *title, const char *call, const struct cs_stack *s, const struct cs_text_options *options,
                  FILE *out) {
  if (!s->count)
    return;
  fprintf(out, "<details><summary>%s", title);
  if (call) {
    fputs(" by ", out);
    cs_report_html_text(out, call);
  }
  fputs("</summary><ol start=\"0\">\n", out);
  for (size_t i = 0; i < s->count; i++) {
    fputs("<li>", out);
    location(&s->frames[i], options, out);
    fputs("</li>\n", out);
  }
  fputs("</ol></details>\n", out);
}

static void launches(const struct cs_report_launch *l, const struct cs_text_options *options, FILE *out) {
  char title[CS_REPORT_PLACE_ROOM];
  if (l && !l->place_count)
    stack("Launched", NULL, &l->stack, options, out);
  for (size_t i = 0; l && i < l->place_count; i++) {
    const struct cs_launch_place *place = &l->places[i];
    const char *what = place->is_graph ? "Graph launched" : "Launched";
    stack(cs_report_place_text(l, place, what, title, sizeof title), NULL, &place->stack, options, out);
    stack("Added to the graph", NULL, &place->node, options, out);
  }
}

static void stacks(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  char call[CS_REPORT_CALL_ROOM];
  stack("Where it happened", NULL, &f->where, options, out);
  if (f->other)
    stack(cs_report_is_race(f)                   ? "The other access"
          : f->kind == CS_KIND_UNINITIALISED_USE ? "Loaded"
          : f->kind == CS_KIND_DEADLOCK          ? "The other place"
          : f->kind == CS_KIND_INVALID_MASK      ? "The other lane"
          : f->kind == CS_KIND_MBARRIER_MISUSE   ? "The operation before"
                                                 : "The other barrier",
          NULL, &f->other->where, options, out);
  launches(f->launch, options, out);
  if (f->own) {
    stack(f->own->is_pool       ? "Pool declared"
          : f->own->is_poisoned ? "Poisoned"
                                : "Freed",
          NULL, &f->own->freed_by, options, out);
    stack("Allocated", cs_report_allocator(f->own, call, sizeof call), &f->own->allocated_by, options, out);
  }
  if (f->touched)
    stack("Other buffer allocated", cs_report_allocator(f->touched, call, sizeof call), &f->touched->allocated_by,
          options, out);
}

/* ---- findings and runs ---- */

static void fact(FILE *out, const char *what, const char *value) {
  if (!value)
    return;
  fprintf(out, "<tr><td>%s</td><td>", what);
  name(out, value);
  fputs("</td></tr>\n", out);
}

static void number_fact(FILE *out, const char *what, cs_u64 value) {
  char text[32];
  snprintf(text, sizeof text, "%llu", value);
  fact(out, what, text);
}

static void facts(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  char text[64], kernel[4096];
  fputs("<table>\n", out);
  fact(out, "kernel", f->kernel);
  if (!f->kernel && f->kernel_count)
    fact(out, "one of", cs_report_kernel_text(f, kernel, sizeof kernel));
  snprintf(text, sizeof text, "0x%012llx", f->address);
  fact(out, "address", cs_report_has_address(f) ? text : NULL);
  number_fact(out, f->event == CS_EVENT_LEAK ? "buffers" : "errors at this site", f->count);
  fact(out, "fingerprint", f->fingerprint);
  if (options && options->pid)
    number_fact(out, "process", (cs_u64)options->pid);
  fputs("</table>\n", out);
}

/* Text in backquotes is code. */
static void advice(const char *text, FILE *out) {
  for (int code = 0; *text; code = !code) {
    size_t length = strcspn(text, "`");
    char *part = strndup(text, length);
    fputs(code ? "<code>" : "", out);
    cs_report_html_text(out, part ? part : "");
    fputs(code ? "</code>" : "", out);
    free(part);
    text += length + (text[length] == '`');
  }
}

/* When several processes hit one bug, each has its own section. */
static void anchor(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  fprintf(out, "p%d-%s", options ? options->pid : 0, f->fingerprint);
}

static void index_row(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  enum { LOCATION_COLUMNS = 36, NAME_COLUMNS = 46 }; /* a line, on a wide screen */
  const struct cs_source *own = cs_report_own_frame(&f->where);
  const struct cs_report_page page = {f, options, out};
  const char *function = f->kernel ? f->kernel : own && own->function ? own->function : "";
  char where[LOCATION_COLUMNS + 1] = "", shown[NAME_COLUMNS + 1];
  fputs("<a class=\"row\" href=\"#", out);
  anchor(f, options, out);
  fprintf(out, "\"><b>%s</b> ", cs_report_kind_name(f->kind));
  code(out, own ? cs_report_page_location(&page, own, LOCATION_COLUMNS, where, sizeof where) : "");
  fputs(" ", out);
  code(out, cs_report_short_name(function, NAME_COLUMNS, shown));
  fprintf(out, " <span>%llu</span></a>\n", f->count);
}

static void other_threads(const struct cs_finding *f, FILE *out) {
  const struct cs_other_access *o = f->other;
  int is_race = cs_report_is_race(f);
  fprintf(out, "<p>%s by thread (%u,%u,%u) of block (%u,%u,%u), and %s by thread (%u,%u,%u) of block (%u,%u,%u):</p>\n",
          is_race ? cs_report_access_with_article(f->access) : "a wait", f->thread[0], f->thread[1], f->thread[2],
          f->block[0], f->block[1], f->block[2], is_race ? cs_report_access_with_article(o->access) : "a wait",
          o->thread[0], o->thread[1], o->thread[2], o->block[0], o->block[1], o->block[2]);
}

/* The access that a race is with, the place where another thread waits, or the load of the value. */
static void other_access(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  const struct cs_source *own = cs_report_own_frame(&f->other->where);
  if (f->kind == CS_KIND_UNINITIALISED_USE)
    fputs("<p>The value was loaded here:</p>\n", out);
  else
    other_threads(f, out);
  if (!own)
    return;
  fputs("<div>", out);
  location(own, options, out);
  fputs("</div>\n", out);
  source(own, f->directory, out);
}

static void finding(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  char sentence[4096];
  const struct cs_source *own = cs_report_own_frame(&f->where);
  index_row(f, options, out);
  fprintf(out, "<section id=\"%s\"><h2 id=\"", f->fingerprint);
  anchor(f, options, out);
  fprintf(out, "\">%s</h2>\n<p>", cs_report_title(f));
  cs_report_html_text(out, cs_report_sentence(f, sentence, sizeof sentence));
  fputs("</p>\n", out);
  if (own) {
    fputs("<div>", out);
    location(own, options, out);
    fputs("</div>\n", out);
    source(own, f->directory, out);
  }
  if (f->other)
    other_access(f, options, out);
  facts(f, options, out);
  cs_report_html_heap(f, out);
  cs_report_html_grid(f, out);
  fputs("<h3>Stacks</h3>\n", out);
  stacks(f, options, out);
  fputs("<p class=\"soft\">", out);
  advice(cs_report_kind_help(f->kind), out);
  fputs("</p></section>\n", out);
}

static void degraded(const struct cs_run *run, FILE *out) {
  char text[256];
  if (!cs_report_is_degraded(run->degraded))
    return;
  fputs("<p>" CS_DEGRADED_TITLE ":</p>\n<ul>\n", out);
  for (int i = 0; i < CS_DEGRADED_COUNT; i++)
    if (run->degraded[i])
      fprintf(out, "<li>%s</li>\n",
              cs_report_degraded_sentence((enum cs_degraded)i, run->degraded[i], text, sizeof text));
  fputs("</ul>\n", out);
}

static void run_section(const struct cs_run *run, FILE *out) {
  fprintf(out, "<section class=\"run%s\"><h2>Run</h2>\n<table>\n",
          run->errors || cs_report_is_degraded(run->degraded) ? " failed" : "");
  fact(out, "program", run->program);
  number_fact(out, "process", (cs_u64)run->pid);
  number_fact(out, "milliseconds", run->milliseconds);
  number_fact(out, "kernel launches", run->launches);
  number_fact(out, "distinct kernels", run->kernels);
  number_fact(out, "tracked buffers", run->buffers);
  number_fact(out, "tracked bytes", run->bytes);
  number_fact(out, "peak bytes", run->most_bytes);
  if (run->untagged)
    number_fact(out, "untracked buffers", run->untagged);
  if (run->counting)
    number_fact(out, "checks executed", run->checks);
  number_fact(out, "errors", run->errors);
  number_fact(out, "findings", run->findings);
  if (run->hidden)
    number_fact(out, "suppressed or in the baseline", run->hidden);
  fputs("</table>\n", out);
  degraded(run, out);
  fputs("</section>\n", out);
}

const struct cs_format cs_format_html = {.name = "html",
                                         .is_relative = 1,
                                         .head = head,
                                         .finding = finding,
                                         .run = run_section,
                                         .separator = "",
                                         .tail = "</main></body></html>\n"};
