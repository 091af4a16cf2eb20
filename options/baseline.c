/* baseline.c: sets of fingerprints, in files and in memory. */
#include "options/baseline.h"
#include "options/read.h"
#include "report/lock.h"
#include "report/words.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A slot of the set, which is a hash table with open addressing: the digits of a fingerprint are its hash. */
struct cs_options_known {
  cs_u64 hash;
  cs_u64 number; /* after the dash; 0: there is none */
  int is_used;
};

/* The slot that has the fingerprint, or the empty one where it belongs. */
static struct cs_options_known *find(const struct cs_options_baseline *b, cs_u64 hash, cs_u64 number) {
  size_t i = (hash ^ number) & (b->capacity - 1);
  while (b->slots[i].is_used && (b->slots[i].hash != hash || b->slots[i].number != number))
    i = (i + 1) & (b->capacity - 1);
  return &b->slots[i];
}

/* Returns 0, or -1 when out of memory. */
static int grow(struct cs_options_baseline *b) {
  struct cs_options_baseline larger = *b;
  larger.capacity = b->capacity ? 2 * b->capacity : 64;
  larger.slots = calloc(larger.capacity, sizeof *larger.slots);
  if (!larger.slots)
    return -1;
  for (size_t i = 0; i < b->capacity; i++)
    if (b->slots[i].is_used)
      *find(&larger, b->slots[i].hash, b->slots[i].number) = b->slots[i];
  free(b->slots);
  *b = larger;
  return 0;
}

/* A fingerprint is 16 hexadecimal digits, optionally followed by a dash and a number. Returns 0, or -1. */
static int parse(const char *text, cs_u64 *hash, cs_u64 *number) {
  size_t digits = strspn(text, "0123456789abcdef"), length = digits;
  if (text[length] == '-')
    length += 1 + strspn(text + length + 1, "0123456789");
  int ends = !text[length] || strchr(" \t\r\n", text[length]);
  if (digits != 16 || !ends || text[length - 1] == '-' || length >= CS_FINGERPRINT_MAX)
    return -1;
  *hash = strtoull(text, NULL, 16);
  *number = length > digits ? strtoull(text + digits + 1, NULL, 10) : 0;
  return 0;
}

static int add(struct cs_options_baseline *b, cs_u64 hash, cs_u64 number) {
  if (2 * (b->count + 1) > b->capacity && grow(b))
    return -1;
  struct cs_options_known *slot = find(b, hash, number);
  b->count += !slot->is_used;
  *slot = (struct cs_options_known){hash, number, 1};
  return 0;
}

int cs_options_baseline_has(const struct cs_options_baseline *b, const char *fingerprint) {
  cs_u64 hash, number;
  return b->count && parse(fingerprint, &hash, &number) == 0 && find(b, hash, number)->is_used;
}

void cs_options_baseline_close(struct cs_options_baseline *b) {
  free(b->slots);
  *b = (struct cs_options_baseline){0};
}

static const char *read_line(struct cs_options_baseline *b, const char *line) {
  cs_u64 hash, number;
  line += strspn(line, " \t\r\n");
  if (!*line || *line == '#')
    return NULL;
  if (parse(line, &hash, &number))
    return "a line begins with a fingerprint of 16 hexadecimal digits";
  return add(b, hash, number) ? "out of memory" : NULL;
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
  FILE *in;
  const char *wrong = cs_options_read_open(path, &in);
  if (wrong) {
    snprintf(error, error_size, "baseline: cannot read '%s': %s%s%s", path, wrong,
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

/* Reads what the file has gained since the last call; all of it, if it was replaced. */
static int read_rest(struct cs_options_baseline *b, FILE *file, const char *path) {
  char error[256];
  struct stat about;
  if (fstat(fileno(file), &about))
    return -1;
  if (about.st_size < (off_t)b->bytes_read || about.st_ino != b->file)
    cs_options_baseline_close(b);
  b->file = about.st_ino;
  int result = fseek(file, (long)b->bytes_read, SEEK_SET) ? -1 : read_file(b, file, path, error, sizeof error);
  errno = result ? EINVAL : 0;
  return result;
}

/* Returns 0, or -1. */
static int append(struct cs_options_baseline *b, FILE *file, const struct cs_finding *f,
                  const struct cs_text_options *options) {
  cs_u64 hash, number;
  if (cs_options_baseline_has(b, f->fingerprint))
    return 0;
  if (parse(f->fingerprint, &hash, &number) || start_line(file))
    return -1;
  print_line(f, options, file);
  return fflush(file) ? -1 : add(b, hash, number);
}

int cs_options_baseline_write(struct cs_options_baseline *b, const char *path, const struct cs_finding *f,
                              const struct cs_text_options *options) {
  FILE *file = fopen(path, "a+e");
  if (!file || cs_report_lock_file(fileno(file))) {
    if (file)
      fclose(file);
    return -1;
  }
  int result = read_rest(b, file, path);
  if (!result)
    result = append(b, file, f, options);
  struct stat about;
  b->bytes_read = !result && fstat(fileno(file), &about) == 0 ? (cs_u64)about.st_size : 0;
  return fclose(file) || result ? -1 : 0;
}
