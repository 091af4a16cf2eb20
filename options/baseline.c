/* baseline.c: sets of fingerprints, in files and in memory. They are small, so searches are linear. */
#include "options/baseline.h"
#include "report/fingerprint.h"
#include "report/words.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

struct cs_options_ledger_entry {
  struct cs_report_fingerprint print;
  unsigned number;
};

/* Room for one more entry of this many bytes. Returns the array, moved or not, or NULL. */
static void *grow(void *array, size_t count, size_t *capacity, size_t bytes) {
  if (count < *capacity)
    return array;
  size_t larger = *capacity ? 2 * *capacity : 64;
  void *grown = realloc(array, larger * bytes);
  if (grown)
    *capacity = larger;
  return grown;
}

int cs_options_baseline_has(const struct cs_options_baseline *b, const char *fingerprint) {
  for (size_t i = 0; i < b->count; i++)
    if (strcmp(b->prints[i], fingerprint) == 0)
      return 1;
  return 0;
}

void cs_options_baseline_close(struct cs_options_baseline *b) {
  free(b->prints);
  *b = (struct cs_options_baseline){0};
}

/* A fingerprint is 16 hexadecimal digits, optionally followed by a dash and a number. Returns its length, or 0. */
static size_t fingerprint_length(const char *text) {
  size_t digits = strspn(text, "0123456789abcdef"), length = digits;
  if (text[length] == '-')
    length += 1 + strspn(text + length + 1, "0123456789");
  int ends = !text[length] || strchr(" \t\r\n", text[length]);
  return digits == 16 && ends && text[length - 1] != '-' && length < CS_FINGERPRINT_MAX ? length : 0;
}

static const char *read_line(struct cs_options_baseline *b, const char *line) {
  line += strspn(line, " \t\r\n");
  if (!*line || *line == '#')
    return NULL;
  size_t length = fingerprint_length(line);
  if (!length)
    return "a line begins with a fingerprint of 16 hexadecimal digits";
  void *grown = grow(b->prints, b->count, &b->capacity, sizeof *b->prints);
  if (!grown)
    return "out of memory";
  b->prints = grown;
  snprintf(b->prints[b->count++], CS_FINGERPRINT_MAX, "%.*s", (int)length, line);
  return NULL;
}

static int read_file(struct cs_options_baseline *b, FILE *in, const char *path, char *error, size_t error_size) {
  char *line = NULL;
  const char *wrong = NULL;
  size_t capacity = 0, number = 0;
  ssize_t bytes;
  while (!wrong && (bytes = getline(&line, &capacity, in)) >= 0) {
    number++;
    wrong = memchr(line, 0, (size_t)bytes) ? "this is not a text file: it contains a null byte" : read_line(b, line);
  }
  if (!wrong && ferror(in)) {
    wrong = strerror(errno);
    snprintf(error, error_size, "baseline: cannot read '%s': %s", path, wrong);
  } else if (wrong)
    snprintf(error, error_size, "baseline: %s:%zu: %s", path, number, wrong);
  free(line);
  return wrong ? -1 : 0;
}

int cs_options_baseline_read(struct cs_options_baseline *b, const char *path, char *error, size_t error_size) {
  FILE *in = fopen(path, "re");
  if (!in) {
    snprintf(error, error_size, "baseline: cannot read '%s': %s%s%s", path, strerror(errno),
             errno == ENOENT ? "; write it with baseline_write=" : "", errno == ENOENT ? path : "");
    return -1;
  }
  int result = read_file(b, in, path, error, error_size);
  fclose(in);
  return result;
}

static void print_line(const struct cs_finding *f, const struct cs_text_options *options, FILE *out) {
  const struct cs_source *site = cs_report_own_frame(&f->where);
  fprintf(out, "%s %s", f->fingerprint, cs_report_kind_name(f->kind));
  if (site && site->file)
    fprintf(out, " %s:%u", cs_report_shown_path(options, site->file), site->line);
  if (site && site->function)
    fprintf(out, " %s", site->function);
  fputs("\n", out);
}

/* Goes to the end of the file, and starts a line there: editors may leave the last one without its end. Returns 0, or
 * -1. */
static int start_line(FILE *file) {
  int last = fseek(file, -1, SEEK_END) ? '\n' : getc(file); /* an empty file has no last byte */
  if (fseek(file, 0, SEEK_END))                             /* ISO C requires a seek between reading and writing */
    return -1;
  return last == '\n' || putc('\n', file) == '\n' ? 0 : -1;
}

int cs_options_baseline_write(const char *path, const struct cs_finding *f, const struct cs_text_options *options) {
  char error[256];
  struct cs_options_baseline known = {0};
  FILE *file = fopen(path, "a+e");
  if (!file || flock(fileno(file), LOCK_EX)) {
    if (file)
      fclose(file);
    return -1;
  }
  rewind(file);
  int result = read_file(&known, file, path, error, sizeof error);
  errno = result ? EINVAL : 0;
  if (!result && !cs_options_baseline_has(&known, f->fingerprint)) {
    result = start_line(file);
    if (!result)
      print_line(f, options, file);
  }
  cs_options_baseline_close(&known);
  return fclose(file) || result ? -1 : 0;
}

/* ---- the ledger ---- */

static int is_taken(const struct cs_options_ledger *l, cs_u64 bug, unsigned number) {
  for (size_t i = 0; i < l->count; i++)
    if (l->entries[i].print.bug == bug && l->entries[i].number == number)
      return 1;
  return 0;
}

/* first: the number to take, or the next that is free. */
static unsigned number_of(struct cs_options_ledger *l, struct cs_report_fingerprint print, unsigned first) {
  for (size_t i = 0; i < l->count; i++)
    if (l->entries[i].print.bug == print.bug && l->entries[i].print.lines == print.lines)
      return l->entries[i].number;
  unsigned number = first;
  while (is_taken(l, print.bug, number))
    number++;
  void *grown = grow(l->entries, l->count, &l->capacity, sizeof *l->entries);
  if (grown) {
    l->entries = grown;
    l->entries[l->count++] = (struct cs_options_ledger_entry){print, number};
  }
  return number;
}

void cs_options_ledger_number(struct cs_options_ledger *l, struct cs_finding *f) {
  struct cs_report_fingerprint print = cs_report_fingerprint(f);
  unsigned number = number_of(l, print, f->ordinal ? f->ordinal : 1);
  if (number > 1)
    snprintf(f->fingerprint, sizeof f->fingerprint, "%016llx-%u", print.bug, number);
}

void cs_options_ledger_close(struct cs_options_ledger *l) {
  free(l->entries);
  *l = (struct cs_options_ledger){0};
}
