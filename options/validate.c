/* validate.c: validates the files and the expression that options name, and starts the report files. */
#include "options/validate.h"
#include "options/baseline.h"
#include "options/inherit.h"
#include "options/socket.h"
#include "options/suppress.h"
#include "report/formats.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum id {
#define CS_OPTIONS_FILE(name, kind) FILE_##name,
#include "options/files.inc"
  FILE_COUNT
};

struct file {
  const char *name, *option;
  enum cs_options_file_kind kind;
  char path[CS_OPTIONS_TEXT_MAX + 64];
};

static int fail(char *error, size_t size, const struct file *f, const char *what) {
  snprintf(error, size, "%s: cannot write to '%s': %s", f->name, f->path, what);
  return -1;
}

/* Whether the name contains %p; in %%p the percent sign is escaped. */
static int names_process(const char *option) {
  for (const char *p = strchr(option, '%'); p; p = strchr(p + 2, '%'))
    if (p[1] != '%')
      return 1;
  return 0;
}

static int expand(struct file *files, const struct cs_options *o, char *error, size_t size) {
  const struct file given[] = {
#define CS_OPTIONS_FILE(name, kind) {#name, o->name, CS_OPTIONS_FILE_##kind, ""},
#include "options/files.inc"
  };
  for (int i = 0; i < FILE_COUNT; i++) {
    struct file *f = &files[i];
    *f = given[i];
    if (f->kind == CS_OPTIONS_FILE_READ)
      snprintf(f->path, sizeof f->path, "%s", f->option);
    else if (cs_options_path(f->option, f->path, sizeof f->path)) {
      snprintf(error, size, "%s: the path is too long", f->name);
      return -1;
    }
  }
  return 0;
}

/* ---- two names for one file ---- */

/* Terminals, pipes and /dev/null may be named twice. */
static int is_same(const struct file *a, const struct file *b) {
  struct stat first, second;
  int there = stat(a->path, &first) == 0;
  if (there && !S_ISREG(first.st_mode))
    return 0;
  if (strcmp(a->path, b->path) == 0)
    return 1;
  return there && stat(b->path, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* A file that is only read may be named twice, and a baseline may be extended in place. */
static int may_be_same(const struct file *files, int i, int j) {
  return (files[i].kind == CS_OPTIONS_FILE_READ && files[j].kind == CS_OPTIONS_FILE_READ) ||
         (i == FILE_baseline_write && j == FILE_baseline);
}

static int are_different(const struct file *files, char *error, size_t size) {
  for (int i = 0; i < FILE_COUNT; i++)
    for (int j = i + 1; j < FILE_COUNT; j++)
      if (*files[i].path && *files[j].path && !may_be_same(files, i, j) && is_same(&files[i], &files[j])) {
        snprintf(error, size, "%s and %s name the same file '%s'; give each its own", files[i].name, files[j].name,
                 files[i].path);
        return -1;
      }
  return 0;
}

/* ---- writing ---- */

/* Whether the file could be opened for writing, without creating it. Returns 0, or -1 with errno. */
static int may_write(const char *path) {
  struct stat about;
  if (stat(path, &about) == 0) {
    errno = EISDIR;
    return S_ISDIR(about.st_mode) ? -1 : access(path, W_OK);
  }
  if (errno != ENOENT)
    return -1;
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int result = folder ? access(folder, W_OK | X_OK) : -1;
  free(folder);
  return result;
}

static int is_special(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static int begin_lines(const struct file *f, int append, enum cs_options_validation_time when, char *error,
                       size_t size) {
  if (when == CS_OPTIONS_BEFORE_RUN && is_special(f->path)) /* closing a pipe would end it for its reader */
    return may_write(f->path) ? fail(error, size, f, strerror(errno)) : 0;
  int file = open(f->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (append ? O_APPEND : O_TRUNC), 0666);
  if (file < 0 && !(errno == ENXIO && is_special(f->path))) /* a pipe whose reader may still come */
    return fail(error, size, f, strerror(errno));
  if (file >= 0)
    close(file);
  return 0;
}

static int begin_document(const struct file *f, const struct cs_format *format, int append, char *error, size_t size) {
  char why[CS_OPTIONS_TEXT_MAX + 256];
  if (!cs_document_begin(f->path, format, append, why, sizeof why))
    return 0;
  snprintf(error, size, "%s: %s", f->name, why);
  return -1;
}

/* Creates the file, so that a run without findings has a baseline, too. */
static int begin_baseline(const struct file *f, char *error, size_t size) {
  struct cs_options_baseline check = {0};
  struct stat about;
  if (stat(f->path, &about) == 0 && S_ISFIFO(about.st_mode)) /* it is read before it is extended */
    return fail(error, size, f, "it is a pipe");
  FILE *file = fopen(f->path, "ae");
  if (!file)
    return fail(error, size, f, strerror(errno));
  fclose(file);
  int result = cs_options_baseline_read(&check, f->path, error, size);
  cs_options_baseline_close(&check);
  return result;
}

/* Its reader may still come. */
static int check_socket(const struct file *f, char *error, size_t size) {
  struct sockaddr_un address;
  char why[CS_OPTIONS_TEXT_MAX + 256];
  int result = cs_options_socket_address(cs_options_socket(f->path), &address, why, sizeof why);
  if (f->kind != CS_OPTIONS_FILE_BEGUN || cs_format(f->name)->tail) {
    snprintf(why, sizeof why, "only json writes to a socket, not to '%s'", f->path);
    result = -1;
  }
  if (result)
    snprintf(error, size, "%s: %s", f->name, why);
  return result;
}

static int begin(const struct file *f, enum id id, int append, enum cs_options_validation_time when, char *error,
                 size_t size) {
  if (!*f->path || f->kind == CS_OPTIONS_FILE_READ)
    return 0;
  if (cs_options_socket(f->path))
    return check_socket(f, error, size);
  if (id == FILE_log_path || (when == CS_OPTIONS_BEFORE_RUN && names_process(f->option)))
    return may_write(f->path) ? fail(error, size, f, strerror(errno)) : 0;
  if (id == FILE_baseline_write)
    return begin_baseline(f, error, size);
  append |= cs_options_is_begun(f->path);
  const struct cs_format *format = cs_format(f->name);
  int result =
      format->tail ? begin_document(f, format, append, error, size) : begin_lines(f, append, when, error, size);
  if (result == 0 && !is_special(f->path) && !names_process(f->option))
    cs_options_set_begun(f->path);
  return result;
}

int cs_options_validate_outputs(const struct cs_options *o, enum cs_options_validation_time when, char *error,
                                size_t size) {
  struct file files[FILE_COUNT];
  if (expand(files, o, error, size) || are_different(files, error, size))
    return -1;
  for (enum id i = 0; i < FILE_COUNT; i++)
    if (begin(&files[i], i, o->append, when, error, size))
      return -1;
  return are_different(files, error, size); /* again: two names of a new file are known to be the same only now */
}

/* ---- filters ---- */

int cs_options_compile_regex(const struct cs_options *o, regex_t *to, char *error, size_t size) {
  char why[256];
  int wrong = regcomp(to, o->kernel_regex, REG_EXTENDED | REG_NOSUB);
  if (!wrong)
    return 0;
  regerror(wrong, to, why, sizeof why);
  snprintf(error, size, "kernel_regex: '%s' is not a regular expression: %s", o->kernel_regex, why);
  return -1;
}

int cs_options_validate_filters(const struct cs_options *o, char *error, size_t size) {
  regex_t expression;
  struct cs_options_baseline baseline = {0};
  if (*o->kernel_regex) {
    if (cs_options_compile_regex(o, &expression, error, size))
      return -1;
    regfree(&expression);
  }
  if (*o->suppressions) {
    struct cs_options_suppressions *list = cs_options_suppressions_read(o->suppressions, error, size);
    if (!list)
      return -1;
    cs_options_suppressions_free(list);
  }
  int result = *o->baseline ? cs_options_baseline_read(&baseline, o->baseline, error, size) : 0;
  cs_options_baseline_close(&baseline);
  return result;
}
