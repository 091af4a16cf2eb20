/* suppress.c: reads suppressions and matches them. */
#include "options/suppress.h"
#include "options/nearest.h"
#include "options/read.h"
#include "report/words.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rule {
  struct rule *next;
  int kind; /* CS_KIND_COUNT: any */
  char pattern[];
};

struct cs_options_suppressions {
  struct rule *first;
};

static const char *const kind_names[] = {
#define CS_KIND(id, name, title, help) name,
#include "report/kinds.inc"
};

/* ---- patterns ---- */

/* If what follows the last * is not found, an earlier * that matches more text does not help: only the last one is
 * tried again. So the time is at most the product of both lengths. A pattern without ^ starts as if it had a *. */
int cs_options_pattern_found(const char *pattern, const char *text) {
  const char *after_star = *pattern == '^' ? NULL : pattern, *retry = text;
  pattern += *pattern == '^';
  while (*pattern && !(pattern[0] == '$' && !pattern[1] && !*text)) {
    if (*pattern == '*') {
      after_star = ++pattern;
      retry = text;
    } else if (*text && *pattern == *text) {
      pattern++;
      text++;
    } else if (after_star && *retry) {
      pattern = after_star;
      text = ++retry;
    } else
      return 0;
  }
  return 1;
}

static int found_in(const char *pattern, const char *text) {
  return text && cs_options_pattern_found(pattern, text);
}

static int rule_matches(const struct rule *rule, const struct cs_finding *f) {
  if (rule->kind != CS_KIND_COUNT && rule->kind != (int)f->kind)
    return 0;
  if (found_in(rule->pattern, f->kernel))
    return 1;
  for (size_t i = 0; i < f->where.count; i++)
    if (found_in(rule->pattern, f->where.frames[i].function) || found_in(rule->pattern, f->where.frames[i].file) ||
        found_in(rule->pattern, f->where.frames[i].module))
      return 1;
  return 0;
}

int cs_options_suppressions_match(const struct cs_options_suppressions *list, const struct cs_finding *f) {
  for (const struct rule *rule = list ? list->first : NULL; rule; rule = rule->next)
    if (rule_matches(rule, f))
      return 1;
  return 0;
}

/* ---- reading ---- */

static int kind_of(const char *name) {
  for (int i = 0; i < CS_KIND_COUNT; i++)
    if (strcmp(kind_names[i], name) == 0)
      return i;
  return strcmp(name, "*") == 0 ? CS_KIND_COUNT : -1;
}

static char *trim(char *text) {
  text += strspn(text, " \t");
  for (size_t length = strlen(text); length && strchr(" \t\r\n", text[length - 1]);)
    text[--length] = 0;
  return text;
}

static int add_rule(struct cs_options_suppressions *list, int kind, const char *pattern) {
  struct rule *rule = malloc(sizeof *rule + strlen(pattern) + 1);
  if (!rule)
    return -1;
  rule->kind = kind;
  strcpy(rule->pattern, pattern);
  rule->next = list->first;
  list->first = rule;
  return 0;
}

/* Returns NULL, or what is wrong with the line, in static memory or in room. */
static const char *read_line(struct cs_options_suppressions *list, char *line, char *room, size_t size) {
  char *text = trim(line);
  if (!*text || *text == '#')
    return NULL;
  char *colon = strchr(text, ':');
  if (!colon)
    return "a suppression has the form kind:pattern";
  *colon = 0;
  char *kind = trim(text), *pattern = trim(colon + 1);
  if (kind_of(kind) < 0) {
    const char *meant = cs_options_nearest(kind, kind_names, CS_KIND_COUNT);
    snprintf(room, size, "there is no kind '%.64s'%s%s%s", kind, meant ? "; did you mean '" : "; * matches every kind",
             meant ? meant : "", meant ? "'?" : "");
    return room;
  }
  if (!*pattern)
    return "the pattern is missing; * matches anything";
  return add_rule(list, kind_of(kind), pattern) ? "out of memory" : NULL;
}

void cs_options_suppressions_free(struct cs_options_suppressions *list) {
  for (struct rule *next, *rule = list ? list->first : NULL; rule; rule = next) {
    next = rule->next;
    free(rule);
  }
  free(list);
}

/* Returns NULL, or what is wrong, in line *number. */
static const char *read_lines(struct cs_options_suppressions *list, FILE *in, size_t *number, char *room, size_t size) {
  char *line = NULL;
  const char *wrong = NULL;
  size_t capacity = 0;
  ssize_t bytes;
  while (!wrong && (bytes = getline(&line, &capacity, in)) >= 0) {
    ++*number;
    wrong = memchr(line, 0, (size_t)bytes) ? "this is not a text file: it contains a null byte"
                                           : read_line(list, line, room, size);
  }
  free(line);
  return wrong || !ferror(in) ? wrong : strerror(errno);
}

struct cs_options_suppressions *cs_options_suppressions_read(const char *path, char *error, size_t error_size) {
  char room[256];
  size_t number = 0;
  FILE *in;
  const char *wrong = cs_options_read_open(path, &in);
  struct cs_options_suppressions *list = in ? calloc(1, sizeof *list) : NULL;
  if (!wrong)
    wrong = list ? read_lines(list, in, &number, room, sizeof room) : strerror(errno);
  if (in)
    fclose(in);
  if (list && !wrong)
    return list;
  if (number)
    snprintf(error, error_size, "suppressions: %s:%zu: %s", path, number, wrong);
  else
    snprintf(error, error_size, "suppressions: cannot read '%s': %s", path, wrong);
  cs_options_suppressions_free(list);
  return NULL;
}
