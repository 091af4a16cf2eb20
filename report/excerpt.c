/* excerpt.c: finds, shortens and prints the source line under a finding. */
#include "report/excerpt.h"
#include "report/paint.h"
#include "report/print.h"
#include "report/printable.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_COLUMNS 88 /* with the margin, 100 */
#define TAB_COLUMNS 4
#define DOTS 3

/* Only regular files: a path from a damaged table must not make the report wait for a pipe. */
static FILE *open_regular(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "r") : NULL;
}

FILE *cs_report_open_source(const char *file, const char *directory) {
  char path[PATH_MAX];
  if (*file != '/' && directory && *directory &&
      snprintf(path, sizeof path, "%s/%s", directory, file) < (int)sizeof path) {
    FILE *in = open_regular(path);
    if (in)
      return in;
  }
  return open_regular(file);
}

/* The line (from 1) in malloc'ed memory, or NULL. */
static char *read_line(FILE *in, cs_u32 number) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length = -1;
  for (cs_u32 i = 0; i < number; i++)
    if ((length = getline(&line, &room, in)) < 0)
      break;
  if (length < 0) {
    free(line);
    return NULL;
  }
  line[strcspn(line, "\r\n")] = 0;
  return line;
}

static int continues_character(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* Expands tabs, and replaces what cannot be printed by spaces. Returns the screen column (from 0) of the byte at
 * `caret`, or -1. */
static int expand(const char *line, size_t caret, char *to, size_t room) {
  int at = -1, column = 0;
  size_t used = 0, length;
  for (size_t i = 0; line[i] && used + TAB_COLUMNS + 1 < room; i += length ? length : 1) {
    int width = line[i] == '\t' ? TAB_COLUMNS - column % TAB_COLUMNS : 1;
    length = cs_report_printable_length(line + i);
    if (i <= caret && caret < i + (length ? length : 1))
      at = column;
    if (length)
      memcpy(to + used, line + i, length);
    else
      memset(to + used, ' ', (size_t)width);
    used += length ? length : (size_t)width;
    column += width;
  }
  to[used] = 0;
  return at;
}

/* Skips `columns` characters of a string. */
static const char *skip_columns(const char *text, int columns) {
  for (; *text && columns > 0; columns--)
    do
      text++;
    while (continues_character(*text));
  return text;
}

static int columns_of(const char *line) {
  int columns = 0;
  for (; *line; line = skip_columns(line, 1))
    columns++;
  return columns;
}

/* The first column shown: of a long line the part around the caret. */
static int first_column(const char *line, int caret, int start) {
  int last = columns_of(line) - LINE_COLUMNS;
  if (last <= start || caret < start + LINE_COLUMNS - DOTS - 1)
    return start;
  return caret - LINE_COLUMNS / 2 < last ? caret - LINE_COLUMNS / 2 : last;
}

static void print_line(const char *line, cs_u32 number, int caret, const struct cs_text_options *options, FILE *out) {
  int indent = (int)strspn(line, " "), start = indent > 8 && indent <= caret ? indent - 2 : 0;
  int first = first_column(line, caret, start), is_cut = columns_of(line) - first > LINE_COLUMNS;
  const char *before = first > start ? "..." : "", *after = is_cut ? "..." : "";
  const char *from = skip_columns(line, first + (int)strlen(before));
  int length = (int)(skip_columns(from, LINE_COLUMNS - (int)strlen(before) - (int)strlen(after)) - from);
  fprintf(out, "%8u | %s%.*s%s\n", number, before, length, from, after);
  if (caret >= 0)
    fprintf(out, "%8s | %*s%s^%s\n", "", caret - first, "", cs_report_paint(options, CS_REPORT_PAINT_CARET),
            cs_report_paint(options, CS_REPORT_PAINT_PLAIN));
}

int cs_report_print_excerpt(const struct cs_source *source, const char *directory,
                            const struct cs_text_options *options, FILE *out) {
  if (!source->file || !source->line)
    return -1;
  FILE *in = cs_report_open_source(source->file, directory);
  char *line = in ? read_line(in, source->line) : NULL;
  if (line) {
    char text[4096];
    int caret = expand(line, source->column ? source->column - 1 : (size_t)-1, text, sizeof text);
    print_line(text, source->line, caret, options, out);
  }
  if (in)
    fclose(in);
  free(line);
  return line ? 0 : -1;
}
