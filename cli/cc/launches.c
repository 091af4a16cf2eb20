/* launches.c: launches whose <<< or >>> contains blanks, `k << <g, b>> >(x)`: nvcc accepts them, clang does not.
 *
 * clang reads a text in which the characters of each bracket are adjacent (overlay.h). No other character moves, so
 * that the columns in messages are those of the source. */
#include "cli/cc/launches.h"
#include "cli/base/argv.h"
#include "cli/cc/opaque.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONFIGURATION = 4096 }; /* characters; a source of brackets without an end takes linear time */

/* After three characters `c` that only blanks separate; NULL if there are fewer. */
static char *three(char *at, char c) {
  for (int i = 0; i < 3; i++, at++) {
    if (i)
      at += strspn(at, " \t");
    if (*at != c)
      return NULL;
  }
  return at;
}

/* Moves the three together, the blanks after them. Returns whether there were any. */
static int join(char *from, const char *to) {
  int moved = to - from > 3;
  char c = *from;
  memset(from, ' ', (size_t)(to - from));
  memset(from, c, 3);
  return moved;
}

/* The last >>> before the arguments, outside parentheses: template arguments in the configuration end in > as well. */
static char *find_close(char *at) {
  char *close = NULL, *start = at;
  for (int depth = 0; *at && *at != ';' && *at != '{' && depth >= 0 && at - start < MAX_CONFIGURATION;) {
    char *after = (char *)cs_cli_skip_opaque(at), *end;
    if (after != at) {
      at = after;
      continue;
    }
    depth += *at == '(' || *at == '[';
    depth -= *at == ')' || *at == ']';
    if (depth == 0 && *at == '>' && (end = three(at, '>')) && end[strspn(end, " \t\r\n")] == '(')
      close = at;
    at++;
  }
  return close;
}

/* `operator<< <T>` is a name. */
static int follows_operator(const char *text, const char *at) {
  static const char word[] = "operator";
  size_t length = sizeof word - 1;
  while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
    at--;
  return (size_t)(at - text) >= length && !strncmp(at - length, word, length);
}

int cs_cli_launches_join(char *text) {
  int count = 0;
  for (char *at = text; *at;) {
    char *after = (char *)cs_cli_skip_opaque(at), *open, *close;
    if (after != at) {
      at = after;
      continue;
    }
    if (*at == '<' && (open = three(at, '<')) && !follows_operator(text, at) && (close = find_close(open))) {
      int moved = join(at, open);
      moved |= join(close, three(close, '>'));
      count += moved;
      at = open;
      continue;
    }
    at++;
  }
  return count;
}

/* clang opens a source by its path in the command. */
static int name_sources(const struct cs_cli_build *b) {
  char real[PATH_MAX];
  for (size_t i = 0; i < b->cc.source_count; i++)
    if (realpath(b->cc.sources[i].path, real) && cs_cli_overlay_name(b->overlay, real, b->cc.sources[i].path) < 0)
      return -1;
  return 0;
}

/* Once each, by its real path. */
static void push_file(struct cs_cli_argv *files, const char *path) {
  char real[PATH_MAX];
  if (!realpath(path, real) || !cs_cli_is_file(real))
    return;
  for (size_t i = 0; i < files->count; i++)
    if (!strcmp(files->items[i], real))
      return;
  cs_cli_argv_push(files, real);
}

/* The headers that a file includes from its own folder. */
static void push_includes(struct cs_cli_argv *files, const char *path, const char *text) {
  int folder = (int)(cs_cli_file_name(path) - path);
  for (const char *line = text; (line = strchr(line, '#'));) {
    line += 1 + strspn(line + 1, " \t");
    if (strncmp(line, "include", 7) != 0)
      continue;
    line += 7 + strspn(line + 7, " \t");
    if (*line++ != '"')
      continue;
    char *name = cs_cli_format("%.*s%.*s", folder, path, (int)strcspn(line, "\"\n"), line);
    push_file(files, name);
    free(name);
  }
}

int cs_cli_launches_prepare(const struct cs_cli_build *b) {
  struct cs_cli_argv files = {0};
  int bad = 0;
  for (size_t i = 0; i < b->cc.source_count; i++)
    if (b->cc.sources[i].language == CS_CLI_LANGUAGE_CUDA)
      push_file(&files, b->cc.sources[i].path);
  for (size_t i = 0; i < files.count && !bad; i++) {
    const char *path = files.items[i];
    char *text = cs_cli_overlay_text(b->overlay, path);
    if (text && cs_cli_launches_join(text) != 0)
      bad = cs_cli_overlay_replace(b->overlay, b->temp, path, text);
    if (text)
      push_includes(&files, path, text);
    free(text);
  }
  cs_cli_argv_free(&files);
  bad = bad || name_sources(b);
  return bad;
}
