/* lines.c: writes and reads results as lines of JSON. */
#include "cli/survey/lines.h"
#include "cli/base/message.h"
#include "cli/findings/line.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Logs may contain any bytes; non-ASCII bytes are escaped, so that the file is always valid JSON. */
void cs_cli_survey_put_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++)
    if (*p == '"' || *p == '\\')
      fprintf(out, "\\%c", *p);
    else if (*p < 0x20 || *p >= 0x7f)
      fprintf(out, "\\u%04x", *p);
    else
      fputc(*p, out);
  fputc('"', out);
}

void cs_cli_survey_put_members(FILE *out, const char *name, const struct cs_cli_result *r) {
  static const char *const truth[] = {"false", "true"};
  fputs("\"folder\": ", out);
  cs_cli_survey_put_string(out, name);
  fprintf(out, ", \"built\": %s, \"ran\": %s, \"passed\": %s, \"findings\": %d, \"exit_code\": %d", truth[r->built],
          truth[r->ran], truth[r->passed], r->findings, r->exit_code);
  fprintf(out, ", \"accepted_by_clang\": %s, \"build_seconds\": %.2f, \"run_seconds\": %.2f",
          r->clang < 0 ? "null" : truth[r->clang], r->build_time, r->run_time);
  fprintf(out, ", \"run_processor_seconds\": %.2f, \"reason\": ", r->run_processor_time);
  cs_cli_survey_put_string(out, r->reason);
  fputs(", \"detail\": ", out);
  cs_cli_survey_put_string(out, r->detail);
}

/* --bare and --nvcc exclude each other. */
const char *cs_cli_survey_options(const struct cs_cli_survey *s, char to[CS_CLI_SURVEY_OPTIONS_MAX]) {
  const char *how = s->nvcc ? " --nvcc" : s->bare ? " --bare" : "";
  snprintf(to, CS_CLI_SURVEY_OPTIONS_MAX, "%s%s%s%s", how, s->build_only ? " --build-only" : "",
           *s->detect ? " --detect=" : "", s->detect);
  if (*to)
    memmove(to, to + 1, strlen(to)); /* the blank */
  return to;
}

void cs_cli_survey_put_line(FILE *out, const struct cs_cli_survey *s, const char *name, const struct cs_cli_result *r) {
  char options[CS_CLI_SURVEY_OPTIONS_MAX];
  fputc('{', out);
  cs_cli_survey_put_members(out, name, r);
  fprintf(out, ", \"options\": \"%s\"}\n", cs_cli_survey_options(s, options));
}

int cs_cli_lines_open(struct cs_cli_lines_out *out, const char *path) {
  char last = '\n';
  *out = (struct cs_cli_lines_out){.path = path, .file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
  if (out->file < 0)
    return cs_cli_fail("cannot write %s: %s.", path, strerror(errno)), -1;
  off_t size = lseek(out->file, 0, SEEK_END); /* -1 for a pipe */
  out->torn = size > 0 && pread(out->file, &last, 1, size - 1) == 1 && last != '\n';
  return 0;
}

/* A failure is reported once: the survey continues, and its table has the result. */
static void write_line(struct cs_cli_lines_out *out, const char *text, size_t size) {
  ssize_t written = write(out->file, text, size);
  int is_whole = written == (ssize_t)size;
  if (!is_whole && !out->failed++)
    cs_cli_fail("cannot write %s: %s.", out->path, written < 0 ? strerror(errno) : "the disk is full");
  if (written > 0)
    out->torn = !is_whole;
  (void)fdatasync(out->file); /* a node may lose its power; folders take seconds, and pipes refuse it */
}

void cs_cli_lines_append(struct cs_cli_lines_out *out, const struct cs_cli_survey *s, const char *name,
                         const struct cs_cli_result *r) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (memory) {
    if (out->torn)
      fputc('\n', memory);
    cs_cli_survey_put_line(memory, s, name, r);
    fclose(memory);
  }
  if (text)
    write_line(out, text, size);
  free(text);
}

void cs_cli_lines_close(struct cs_cli_lines_out *out) {
  if (out->file >= 0)
    close(out->file);
  out->file = -1;
}

/* Undoes cs_cli_survey_put_string(), also for \u00XX of other writers. Truncates to `room`. */
static void unescape(struct cs_cli_part from, char *to, size_t room) {
  size_t length = 0;
  for (size_t i = 0; i < from.bytes && length + 1 < room; i++) {
    char c = from.text[i];
    if (c == '\\' && i + 5 < from.bytes && from.text[i + 1] == 'u') {
      char digits[5] = {0};
      memcpy(digits, from.text + i + 2, 4);
      c = (char)strtoul(digits, NULL, 16);
      i += 5;
    } else if (c == '\\' && i + 1 < from.bytes)
      c = from.text[++i];
    to[length++] = c;
  }
  to[length] = 0;
}

static int is_true(struct cs_cli_part object, const char *key) {
  return cs_cli_part_is(cs_cli_part_of(object, key), "true");
}

static int integer(struct cs_cli_part object, const char *key) {
  struct cs_cli_part p = cs_cli_part_of(object, key);
  return p.text ? (int)strtol(p.text, NULL, 10) : 0;
}

static double seconds(struct cs_cli_part object, const char *key) {
  struct cs_cli_part p = cs_cli_part_of(object, key);
  return p.text ? strtod(p.text, NULL) : 0;
}

static void read_result(struct cs_cli_part object, struct cs_cli_result *r) {
  struct cs_cli_part clang = cs_cli_part_of(object, "accepted_by_clang");
  *r = (struct cs_cli_result){
      .done = 1,
      .built = is_true(object, "built"),
      .ran = is_true(object, "ran"),
      .passed = is_true(object, "passed"),
      .findings = integer(object, "findings"),
      .exit_code = integer(object, "exit_code"),
      .clang = cs_cli_part_is(clang, "true") ? 1 : cs_cli_part_is(clang, "false") - 1,
      .build_time = seconds(object, "build_seconds"),
      .run_time = seconds(object, "run_seconds"),
      .run_processor_time = seconds(object, "run_processor_seconds"),
  };
  unescape(cs_cli_part_of(object, "reason"), r->reason, sizeof r->reason);
  unescape(cs_cli_part_of(object, "detail"), r->detail, sizeof r->detail);
  r->done = strcmp(r->reason, CS_CLI_WORKER_DIED) != 0;
}

static struct cs_cli_line *new_line(struct cs_cli_lines *lines) {
  if (lines->count == lines->room) {
    lines->room = lines->room ? 2 * lines->room : 64;
    struct cs_cli_line *grown = realloc(lines->items, lines->room * sizeof *grown);
    if (!grown) {
      cs_cli_fail("out of memory.");
      exit(1);
    }
    lines->items = grown;
  }
  lines->items[lines->count].number = lines->count;
  return &lines->items[lines->count++];
}

/* Returns 1 if the line is a result, 0 if not, or -1 with a message if it has other options than those before. */
static int read_line(struct cs_cli_lines *lines, const char *path, const char *text) {
  struct cs_cli_part object = {text, strlen(text)};
  struct cs_cli_part name = cs_cli_part_of(object, "folder"), given = cs_cli_part_of(object, "options");
  char options[sizeof lines->options];
  if (!cs_cli_is_object(text) || !name.text || !given.text)
    return 0;
  unescape(given, options, sizeof options);
  if (!lines->count)
    memcpy(lines->options, options, sizeof options);
  if (strcmp(lines->options, options) != 0)
    return cs_cli_fail("%s has results with the options '%s' and with '%s', which make separate tables.", path,
                       lines->options, options),
           -1;
  struct cs_cli_line *line = new_line(lines);
  line->name = cs_cli_format("%.*s", (int)name.bytes, name.text); /* no escape is shorter than its byte */
  unescape(name, line->name, name.bytes + 1);
  read_result(object, &line->result);
  return 1;
}

static int read_lines(struct cs_cli_lines *lines, const char *path, FILE *in) {
  char *text = NULL;
  size_t room = 0;
  int status = 0, good = 0, bad = 0;
  while (status >= 0 && getline(&text, &room, in) >= 0) {
    if (!text[strspn(text, " \t\r\n")])
      continue;
    status = read_line(lines, path, text);
    good += status > 0;
    bad += status == 0;
  }
  if (status >= 0 && ferror(in))
    status = (cs_cli_fail("cannot read %s: %s.", path, strerror(errno)), -1);
  else if (status >= 0 && bad && !good)
    status = (cs_cli_fail("%s has no results of a survey; expected a file of --results.", path), -1);
  else if (bad)
    cs_cli_fail("%s: skipped incomplete lines: %d.", path, bad);
  free(text);
  return status < 0 ? -1 : 0;
}

int cs_cli_lines_read(struct cs_cli_lines *lines, const char *path) {
  FILE *in = fopen(path, "re");
  if (!in)
    return cs_cli_fail("cannot read %s: %s.", path, strerror(errno)), -1;
  int status = read_lines(lines, path, in);
  fclose(in);
  return status;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct cs_cli_line *)a)->name, ((const struct cs_cli_line *)b)->name);
}

static int by_name_and_number(const void *a, const void *b) {
  const struct cs_cli_line *x = a, *y = b;
  int order = by_name(a, b);
  return order ? order : (x->number > y->number) - (x->number < y->number);
}

void cs_cli_lines_sort(struct cs_cli_lines *lines) {
  size_t kept = 0;
  if (lines->count)
    qsort(lines->items, lines->count, sizeof *lines->items, by_name_and_number);
  for (size_t i = 0; i < lines->count; i++)
    if (i + 1 < lines->count && by_name(&lines->items[i], &lines->items[i + 1]) == 0)
      free(lines->items[i].name);
    else
      lines->items[kept++] = lines->items[i];
  lines->count = kept;
}

const struct cs_cli_line *cs_cli_lines_find(const struct cs_cli_lines *lines, const char *name) {
  size_t low = 0, high = lines->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(name, lines->items[middle].name);
    if (order == 0)
      return &lines->items[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

void cs_cli_lines_free(struct cs_cli_lines *lines) {
  for (size_t i = 0; i < lines->count; i++)
    free(lines->items[i].name);
  free(lines->items);
  *lines = (struct cs_cli_lines){0};
}
