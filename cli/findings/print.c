/* print.c: formats of merged findings. Strings of the lines are escaped already, and are written as they are. */
#include "cli/findings/print.h"
#include "report/formats.h"
#include "report/print.h"
#include "report/words.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct cs_cli_part part) {
  if (part.text)
    fwrite(part.text, 1, part.bytes, stdout);
}

/* On a terminal: without its control characters. */
static void put_text(struct cs_cli_part part) {
  if (part.text)
    cs_report_print(stdout, "%.*s", (int)part.bytes, part.text);
}

static struct cs_cli_part field(const struct cs_cli_found *f, const char *key) {
  return cs_cli_part_of(f->finding, key);
}

/* ---- merge ---- */

/* The line without its closing brace, and without what it was merged from. */
static size_t body_bytes(const struct cs_cli_found *f) {
  static const char key[] = ",\"merged\":";
  struct cs_cli_part merged = field(f, "merged");
  const char *end = strrchr(f->line, '}'), *before = merged.text ? merged.text - strlen(key) : NULL;
  if (before && strncmp(before, key, strlen(key)) == 0)
    end = before;
  return (size_t)(end - f->line);
}

void cs_cli_print_merged(const struct cs_cli_found_set *s) {
  for (size_t i = 0; i < s->count; i++) {
    const struct cs_cli_found *f = &s->all[i];
    printf("%.*s,\"merged\":{\"lines\":%llu,\"errors\":%llu", (int)body_bytes(f), f->line, f->lines, f->errors);
    if (*f->first)
      printf(",\"first\":\"%s\",\"last\":\"%s\"", f->first, f->last);
    puts("}}");
  }
}

/* ---- text ---- */

static void put_place(const struct cs_cli_found *f) {
  struct cs_cli_part file = cs_cli_part_of(f->place, "file"), line = cs_cli_part_of(f->place, "line"),
                     function = cs_cli_part_of(f->place, "function");
  if (file.text) {
    putchar(' ');
    put_text(file);
  }
  if (file.text && line.text) {
    putchar(':');
    put_text(line);
  }
  if (function.text) {
    putchar(' ');
    put_text(function);
  }
}

void cs_cli_print_known(const struct cs_cli_found *f) {
  put_text(f->fingerprint);
  putchar(' ');
  put_text(field(f, "kind"));
  put_place(f);
  putchar('\n');
}

/* ---- top ---- */

struct group {
  const struct cs_cli_found *worst;
  unsigned long long findings, lines, errors;
};

static int by_group(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  int order = cs_cli_part_compare(x->worst->group, y->worst->group);
  return order ? order : (x->worst > y->worst) - (x->worst < y->worst); /* the set is sorted, worst first */
}

static int by_lines(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  if (x->lines != y->lines)
    return x->lines > y->lines ? -1 : 1;
  return (x->worst > y->worst) - (x->worst < y->worst);
}

int cs_cli_print_top(struct cs_cli_found_set *s, size_t limit) {
  cs_cli_found_sort(s);
  struct group *groups = calloc(s->count + 1, sizeof *groups);
  size_t count = 0;
  if (!groups)
    return -1;
  for (size_t i = 0; i < s->count; i++)
    groups[i] = (struct group){&s->all[i], 1, s->all[i].lines, s->all[i].errors};
  qsort(groups, s->count, sizeof *groups, by_group);
  for (size_t i = 0; i < s->count; i++) {
    if (count && !cs_cli_part_compare(groups[count - 1].worst->group, groups[i].worst->group)) {
      groups[count - 1].findings++;
      groups[count - 1].lines += groups[i].lines;
      groups[count - 1].errors += groups[i].errors;
    } else
      groups[count++] = groups[i];
  }
  qsort(groups, count, sizeof *groups, by_lines);
  printf("%8s %8s %12s  %s\n", "lines", "findings", "errors", "group, kind, and the worst finding's place");
  for (size_t i = 0; i < count && i < limit; i++) {
    printf("%8llu %8llu %12llu  ", groups[i].lines, groups[i].findings, groups[i].errors);
    put_text(groups[i].worst->group);
    putchar(' ');
    put_text(field(groups[i].worst, "kind"));
    put_place(groups[i].worst);
    putchar('\n');
  }
  free(groups);
  return 0;
}

/* ---- SARIF ---- */

/* An absolute file is file:///..., a relative one is relative to the root of the sources. */
static void put_uri(struct cs_cli_part file) {
  if (file.bytes && *file.text == '/')
    fputs("file://", stdout);
  for (size_t i = 0; i < file.bytes; i++)
    if (isalnum((unsigned char)file.text[i]) || strchr("/-._~+", file.text[i]))
      putchar(file.text[i]);
    else
      printf("%%%02X", (unsigned char)file.text[i]);
}

static void put_locations(const struct cs_cli_found *f) {
  struct cs_cli_part file = cs_cli_part_of(f->place, "file"), line = cs_cli_part_of(f->place, "line"),
                     column = cs_cli_part_of(f->place, "column");
  fputs("\"locations\":[", stdout);
  if (file.text) {
    fputs("{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"", stdout);
    put_uri(file);
    fputs("\"}", stdout);
    if (line.text) {
      fputs(",\"region\":{\"startLine\":", stdout);
      put(line);
      if (column.text) {
        fputs(",\"startColumn\":", stdout);
        put(column);
      }
      putchar('}');
    }
    fputs("}}", stdout);
  }
  putchar(']');
}

/* The kind's number, or CS_KIND_COUNT if another version of CuSafe wrote the line. */
static int kind_of(const struct cs_cli_found *f) {
  int kind = 0;
  while (kind < CS_KIND_COUNT && !cs_cli_part_is(field(f, "kind"), cs_report_kind_name((enum cs_kind)kind)))
    kind++;
  return kind;
}

static void put_message(const struct cs_cli_found *f) {
  int kind = kind_of(f);
  struct cs_cli_part message = field(f, "message"), kernel = field(f, "kernel");
  if (kind < CS_KIND_COUNT)
    fputs(cs_report_kind_title((enum cs_kind)kind), stdout);
  else
    put(field(f, "kind"));
  fputs(": ", stdout);
  put(message);
  if (kernel.text) {
    fputs(", in kernel ", stdout);
    put(kernel);
  }
}

static void put_result(const struct cs_cli_found *f) {
  fputs("{\"ruleId\":\"", stdout);
  put(field(f, "kind"));
  putchar('"');
  if (kind_of(f) < CS_KIND_COUNT)
    printf(",\"ruleIndex\":%d", kind_of(f));
  fputs(",\"level\":\"error\",\"message\":{\"text\":\"", stdout);
  put_message(f);
  fputs("\"},", stdout);
  put_locations(f);
  fputs(",\"partialFingerprints\":{\"cusafe/v1\":\"", stdout);
  put(f->fingerprint);
  printf("\"},\"occurrenceCount\":%llu,\"properties\":{\"group\":\"", f->lines > INT_MAX ? INT_MAX : f->lines);
  put(f->group);
  printf("\",\"errors\":%llu", f->errors);
  if (*f->first)
    printf(",\"firstSeen\":\"%s\",\"lastSeen\":\"%s\"", f->first, f->last);
  fputs("}}\n", stdout);
}

/* The location is the first one's: tools reject a result without one. */
static void put_rest(const struct cs_cli_found_set *s, size_t from) {
  unsigned long long lines = 0;
  for (size_t i = from; i < s->count; i++)
    lines += s->all[i].lines;
  printf(
      "{\"ruleId\":\"more-findings\",\"level\":\"warning\",\"message\":{\"text\":\"%zu more findings, seen %llu times, "
      "are not listed: `cusafe findings top` counts all\"},",
      s->count - from, lines);
  put_locations(&s->all[from]);
  fputs("}\n", stdout);
}

void cs_cli_print_sarif(struct cs_cli_found_set *s, size_t limit) {
  cs_cli_found_sort(s);
  size_t listed = s->count <= limit ? s->count : limit - 1;
  cs_format_sarif.head(stdout);
  for (size_t i = 0; i < listed; i++) {
    if (i)
      putchar(',');
    put_result(&s->all[i]);
  }
  if (listed < s->count) {
    if (listed)
      putchar(',');
    put_rest(s, listed);
  }
  fputs("],\"automationDetails\":{\"id\":\"cusafe/\"}}]}\n", stdout);
}

/* ---- GitLab ---- */

void cs_cli_print_gitlab(struct cs_cli_found_set *s) {
  cs_cli_found_sort(s);
  puts("[");
  for (size_t i = 0; i < s->count; i++) {
    const struct cs_cli_found *f = &s->all[i];
    struct cs_cli_part file = cs_cli_part_of(f->place, "file"), line = cs_cli_part_of(f->place, "line");
    fputs(i ? ",{\"description\":\"" : "{\"description\":\"", stdout);
    put_message(f);
    fputs("\",\"check_name\":\"", stdout);
    put(field(f, "kind"));
    fputs("\",\"fingerprint\":\"", stdout);
    put(f->fingerprint);
    printf("\",\"severity\":\"%s\",\"location\":{\"path\":\"",
           cs_cli_part_is(field(f, "kind"), "leak") ? "minor" : "critical");
    put(file.text ? file : (struct cs_cli_part){"unknown", strlen("unknown")});
    printf("\",\"lines\":{\"begin\":%llu}}}\n", line.text ? cs_cli_part_number(line) : 1);
  }
  puts("]");
}
