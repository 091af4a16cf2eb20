/* inherit.c: options and report files for the programs that a process executes. */
#include "options/inherit.h"
#include "cusafe/environment.h"
#include "options/ancestor.h"
#include "options/socket.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Quoted, because colons separate options. */
void cs_options_add(const char *name, const char *value) {
  const char *before = cs_environment("CUSAFE_OPTIONS"), *quote = strchr(value, '\'') ? "\"" : "'";
  char *all = NULL;
  if (asprintf(&all, "%s%s%s=%s%s%s", before ? before : "", before && *before ? ":" : "", name, quote, value, quote) <
      0)
    return;
  setenv("CUSAFE_OPTIONS", all, 1);
  free(all);
}

/* The path of a file in the folder. Names of files to write are formats, so percent signs of the folder are doubled.
 * Returns 0, or -1 when it is too long. */
static int in_folder(const char *folder, const char *file, int is_written, char path[CS_OPTIONS_TEXT_MAX]) {
  size_t used = 0;
  for (const char *p = folder; *p && used + 2 < CS_OPTIONS_TEXT_MAX; p++) {
    path[used++] = *p;
    if (*p == '%' && is_written)
      path[used++] = '%';
  }
  int length = snprintf(path + used, CS_OPTIONS_TEXT_MAX - used, "/%s", file);
  return length > 0 && (size_t)length < CS_OPTIONS_TEXT_MAX - used ? 0 : -1;
}

static void make_absolute(const char *name, const char *value, const char *folder, int is_written) {
  char path[CS_OPTIONS_TEXT_MAX];
  if (*value && *value != '/' && !cs_options_socket(value) && in_folder(folder, value, is_written, path) == 0 &&
      !(strchr(path, '\'') && strchr(path, '"')))
    cs_options_add(name, path);
}

void cs_options_make_absolute(const struct cs_options *o) {
  char folder[PATH_MAX];
  if (!getcwd(folder, sizeof folder))
    return;
#define CS_OPTIONS_FILE(name, kind)                                                                                    \
  make_absolute(#name, o->name, folder, CS_OPTIONS_FILE_##kind != CS_OPTIONS_FILE_READ);
#include "options/files.inc"
}

/* ---- begun files ---- */

/* Absolute paths, each followed by a newline. */
#define BEGUN "CUSAFE_BEGUN"

static int is_in_environment(const char *whole) {
  const char *list = cs_environment(BEGUN);
  size_t length = strlen(whole);
  for (const char *end; list && (end = strchr(list, '\n')); list = end + 1)
    if ((size_t)(end - list) == length && memcmp(list, whole, length) == 0)
      return 1;
  return 0;
}

int cs_options_is_begun(const char *path) {
  char whole[PATH_MAX];
  return realpath(path, whole) && (is_in_environment(whole) || cs_options_find_name(whole));
}

void cs_options_set_begun(const char *path) {
  char whole[PATH_MAX], *longer = NULL;
  if (!realpath(path, whole))
    return;
  cs_options_leave_name(whole);
  const char *list = cs_environment(BEGUN);
  if (is_in_environment(whole) || asprintf(&longer, "%s%s\n", list ? list : "", whole) < 0)
    return;
  setenv(BEGUN, longer, 1);
  free(longer);
}
