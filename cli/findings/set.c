/* set.c: reads lines of JSON (docs/schema/finding.schema.json), one finding for each fingerprint. */
#include "cli/findings/set.h"
#include "cli/base/message.h"
#include "report/fingerprint.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The slot that has the fingerprint, or the empty one where it belongs. */
static size_t *find(const struct cs_cli_found_set *s, struct cs_cli_part print) {
  for (size_t i = cs_report_hash(print.text, print.bytes);; i++) {
    size_t *slot = &s->slots[i & (s->slot_count - 1)];
    if (!*slot)
      return slot;
    struct cs_cli_part other = s->all[*slot - 1].fingerprint;
    if (!cs_cli_part_compare(other, print))
      return slot;
  }
}

static int grow(struct cs_cli_found_set *s) {
  size_t capacity = s->capacity ? 2 * s->capacity : 256;
  struct cs_cli_found *all = realloc(s->all, capacity * sizeof *all);
  size_t *slots = calloc(2 * capacity, sizeof *slots);
  s->all = all ? all : s->all;
  if (!all || !slots) {
    free(slots);
    return -1;
  }
  free(s->slots);
  s->slots = slots;
  s->capacity = capacity;
  s->slot_count = 2 * capacity;
  for (size_t i = 0; i < s->count; i++)
    *find(s, s->all[i].fingerprint) = i + 1;
  return 0;
}

static void note_time(struct cs_cli_found *f, struct cs_cli_part first, struct cs_cli_part last) {
  char text[32];
  snprintf(text, sizeof text, "%.*s", (int)first.bytes, first.text ? first.text : "");
  if (*text && (!*f->first || strcmp(text, f->first) < 0))
    memcpy(f->first, text, sizeof text);
  snprintf(text, sizeof text, "%.*s", (int)last.bytes, last.text ? last.text : "");
  if (*text && strcmp(text, f->last) > 0)
    memcpy(f->last, text, sizeof text);
}

/* A line that was merged before counts as often as its lines. */
static void count(struct cs_cli_found *f, struct cs_cli_part finding) {
  struct cs_cli_part merged = cs_cli_part_of(finding, "merged"), time = cs_cli_part_of(finding, "time");
  if (merged.text) {
    f->lines += cs_cli_part_number(cs_cli_part_of(merged, "lines"));
    f->errors += cs_cli_part_number(cs_cli_part_of(merged, "errors"));
    note_time(f, cs_cli_part_of(merged, "first"), cs_cli_part_of(merged, "last"));
  } else {
    f->lines++;
    f->errors += cs_cli_part_number(cs_cli_part_of(finding, "count"));
    note_time(f, time, time);
  }
}

/* Returns 0, or -1 when out of memory. */
static int add(struct cs_cli_found_set *s, const char *line) {
  struct cs_cli_part finding = {line, strlen(line)}, print = cs_cli_part_of(finding, "fingerprint");
  if (s->count == s->capacity && grow(s))
    return -1;
  size_t *slot = find(s, print);
  if (!*slot) {
    char *copy = strdup(line);
    if (!copy)
      return -1;
    finding.text = copy;
    s->all[s->count] = (struct cs_cli_found){.line = copy,
                                             .finding = finding,
                                             .place = cs_cli_part_of(finding, "place"),
                                             .fingerprint = cs_cli_part_of(finding, "fingerprint"),
                                             .group = cs_cli_part_of(finding, "group")};
    *slot = ++s->count;
  }
  count(&s->all[*slot - 1], finding);
  return 0;
}

/* Strings of JSON have none. */
static int has_control(const char *line) {
  while (*line && ((unsigned char)*line >= ' ' || *line == '\t'))
    line++;
  return *line != 0;
}

/* NULL, or what is wrong. Lines on runs are not findings. */
static const char *add_line(struct cs_cli_found_set *s, const char *line) {
  if (!line[strspn(line, " \t\r\n")])
    return NULL;
  struct cs_cli_part all = {line, strlen(line)}, type = cs_cli_part_of(all, "type");
  if (!cs_cli_is_object(line) || !type.text || has_control(line))
    return "this is not a line that the option json= writes";
  if (!cs_cli_part_is(type, "finding"))
    return NULL;
  if (!cs_cli_part_of(all, "fingerprint").bytes || !cs_cli_part_of(all, "kind").bytes)
    return "this finding has no kind or fingerprint";
  return add(s, line) ? "out of memory" : NULL;
}

static int read_lines(struct cs_cli_found_set *s, FILE *in, const char *path) {
  char *line = NULL;
  const char *wrong = NULL;
  size_t capacity = 0, number = 0;
  ssize_t bytes;
  while (!wrong && (bytes = getline(&line, &capacity, in)) >= 0) {
    number++;
    while (bytes > 0 && (line[bytes - 1] == '\n' || line[bytes - 1] == '\r'))
      line[--bytes] = 0;
    wrong = strlen(line) != (size_t)bytes ? "this is not a text file: it contains a null byte" : add_line(s, line);
  }
  if (wrong)
    cs_cli_fail("%s:%zu: %s", path, number, wrong);
  else if (ferror(in))
    cs_cli_fail("cannot read '%s': %s", path, strerror(errno));
  free(line);
  return wrong || ferror(in) ? -1 : 0;
}

int cs_cli_found_read(struct cs_cli_found_set *s, const char *path) {
  if (strcmp(path, "-") == 0)
    return read_lines(s, stdin, path);
  FILE *in = fopen(path, "re");
  if (!in) {
    cs_cli_fail("cannot read '%s': %s", path, strerror(errno));
    return -1;
  }
  int result = read_lines(s, in, path);
  fclose(in);
  return result;
}

void cs_cli_found_release(struct cs_cli_found_set *s) {
  for (size_t i = 0; i < s->count; i++)
    free(s->all[i].line);
  free(s->all);
  free(s->slots);
  *s = (struct cs_cli_found_set){0};
}

int cs_cli_found_has(const struct cs_cli_found_set *s, struct cs_cli_part print) {
  return s->count && *find(s, print);
}

static int badness(const struct cs_cli_found *f) {
  static const char *const kinds[] = {"double-free", "invalid-free", "memory-corruption"};
  struct cs_cli_part kind = cs_cli_part_of(f->finding, "kind"), access = cs_cli_part_of(f->finding, "access");
  if (cs_cli_part_is(access, "write") || cs_cli_part_is(access, "atomic"))
    return 2;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (cs_cli_part_is(kind, kinds[i]))
      return 2;
  return !cs_cli_part_is(kind, "leak");
}

static int worse_first(const void *a, const void *b) {
  const struct cs_cli_found *x = a, *y = b;
  int difference = badness(y) - badness(x);
  if (difference)
    return difference;
  if (x->lines != y->lines)
    return x->lines > y->lines ? -1 : 1;
  return cs_cli_part_compare(x->fingerprint, y->fingerprint);
}

void cs_cli_found_sort(struct cs_cli_found_set *s) {
  if (s->count)
    qsort(s->all, s->count, sizeof *s->all, worse_first);
}
