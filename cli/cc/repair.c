/* repair.c: reads clang's messages, and replaces the texts of the files that they name. */
#include "cli/cc/repair.h"
#include "cli/cc/asm_names.h"
#include "cli/cc/launch_lists.h"
#include "cli/cc/shared_objects.h"
#include "cli/cc/spellings.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text in which the construct around the offset is as clang accepts it: malloc'ed, or NULL. */
typedef char *rewrite(const char *text, size_t at);

/* A launch's braced list, or a macro that is a pragma. */
static char *name_expression(const char *text, size_t at) {
  return text[at] == '#' ? cs_cli_spellings_pragma(text, at) : cs_cli_launch_lists_name(text, at);
}

static const struct {
  const char *message;
  rewrite *rewrite;
} kinds[] = {
    {": error: initialization is not supported for __shared__ variables", cs_cli_shared_objects_wrap},
    {": error: invalid % escape in inline assembly string", cs_cli_asm_names_escape},
    {": note: jump bypasses variable initialization", cs_cli_shared_objects_keep},
    {": error: expected expression", name_expression},
    {": error: use 'template' keyword to treat", cs_cli_spellings_template},
    {": error: no function template matches function template specialization", cs_cli_spellings_both},
};

struct place {
  char file[PATH_MAX], name[PATH_MAX]; /* its real path, and the path that clang opened */
  size_t line, column;
  rewrite *rewrite;
};

/* --- clang's messages --- */

/* Without the codes for colours. Returns the next line, or NULL at the end. */
static const char *plain_line(const char *from, char *to, size_t room) {
  size_t used = 0;
  for (; *from && *from != '\n'; from++) {
    if (*from == '\033' && from[1] == '[')
      from += strcspn(from, "mK\n");
    else if (used + 1 < room)
      to[used++] = *from;
    if (!*from || *from == '\n')
      break;
  }
  to[used] = 0;
  return *from ? from + 1 : NULL;
}

/* PATH:LINE:COLUMN at the start of the line, before `end`. */
static int read_place(char *line, char *end, struct place *to) {
  char *colon;
  *end = 0;
  if (!(colon = strrchr(line, ':')))
    return 0;
  *colon = 0;
  to->column = strtoul(colon + 1, NULL, 10);
  if (!(colon = strrchr(line, ':')))
    return 0;
  *colon = 0;
  to->line = strtoul(colon + 1, NULL, 10);
  snprintf(to->name, sizeof to->name, "%s", line);
  return to->line && realpath(line, to->file);
}

/* `found`: after the place. */
static rewrite *kind_of(char *line, char **found) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if ((*found = strstr(line, kinds[i].message)))
      return kinds[i].rewrite;
  return NULL;
}

/* Where the construct of an error is: in the macro that it comes from, not in that of a template's instantiation, which
 * later notes name. Returns how many places there are. */
static size_t read_places(const char *messages, struct place *places, size_t room) {
  static const char error[] = ": error: ", note[] = ": note: ", macro[] = ": note: expanded from macro ";
  char line[PATH_MAX + 256], *found;
  size_t count = 0;
  int is_known = 0;
  while (messages && count < room) {
    messages = plain_line(messages, line, sizeof line);
    struct place *place = &places[count];
    if ((place->rewrite = kind_of(line, &found))) {
      is_known = read_place(line, found, place);
      count += (size_t)is_known;
    } else if ((found = strstr(line, macro))) {
      if (is_known)
        read_place(line, found, &places[count - 1]);
    } else if (strstr(line, error) || strstr(line, note)) {
      is_known = 0;
    }
  }
  return count;
}

/* The last place of a file first, so that the others stay where they are. */
static int compare(const void *left, const void *right) {
  const struct place *a = left, *b = right;
  int order = strcmp(a->file, b->file);
  if (!order)
    order = (a->line < b->line) - (a->line > b->line);
  return order ? order : (a->column < b->column) - (a->column > b->column);
}

/* --- Texts --- */

static size_t offset_of(const char *text, size_t line, size_t column) {
  const char *at = text;
  while (--line && (at = strchr(at, '\n')))
    at++;
  return at && column && column <= strcspn(at, "\n") ? (size_t)(at - text) + column - 1 : SIZE_MAX;
}

/* Returns whether clang reads another text now. */
static int repair(const struct cs_cli_build *b, const struct place *place) {
  char *text = cs_cli_overlay_text(b->overlay, place->file), *repaired = NULL;
  size_t at = text ? offset_of(text, place->line, place->column) : SIZE_MAX;
  if (at != SIZE_MAX)
    repaired = place->rewrite(text, at);
  int done = repaired && cs_cli_overlay_replace(b->overlay, b->temp, place->file, repaired) == 0;
  free(repaired);
  free(text);
  return cs_cli_overlay_name(b->overlay, place->file, place->name) > 0 || done;
}

int cs_cli_repair(const struct cs_cli_build *b, const char *messages) {
  enum { MAX_PLACES = 64 }; /* clang stops after 20 errors */
  struct place *places = calloc(MAX_PLACES, sizeof *places);
  size_t count = places ? read_places(messages, places, MAX_PLACES) : 0;
  int repaired = 0;
  if (count)
    qsort(places, count, sizeof *places, compare);
  for (size_t i = 0; i < count; i++)
    repaired += repair(b, &places[i]); /* 0 for one that an earlier message has named */
  free(places);
  return repaired;
}
