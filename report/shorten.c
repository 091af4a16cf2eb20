/* shorten.c: shortens long names and paths. Columns are counted in bytes: a name with non-ASCII characters is truncated
 * a little early, but never inside a character. */
#include "report/shorten.h"
#include <string.h>

enum { DOTS = 3, GROUPS = 32, BARE_MAX = 1024 };

static int is_inside_character(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* The first `head` and the last `tail` bytes of a text, with dots in between. Returns the bytes written. */
static size_t cut(const char *text, size_t length, size_t head, size_t tail, char *to) {
  while (head && is_inside_character(text[head]))
    head--;
  while (tail && is_inside_character(text[length - tail]))
    tail--;
  memcpy(to, text, head);
  memset(to + head, '.', DOTS);
  memcpy(to + head + DOTS, text + length - tail, tail);
  return head + DOTS + tail;
}

/* A text in `keep` bytes: all of it, or without its middle. */
static size_t fit(const char *text, size_t length, size_t keep, char *to) {
  size_t dots = keep < DOTS ? keep : DOTS;
  if (length > keep && keep > DOTS)
    return cut(text, length, (keep - DOTS + 1) / 2, (keep - DOTS) / 2, to);
  if (length > keep)
    memset(to, '.', dots);
  else
    memcpy(to, text, length);
  return length > keep ? dots : length;
}

/* ---- names ---- */

/* The text between outermost brackets. */
struct group {
  const char *text;
  size_t length, keep;
};

/* Returns the number of groups. The brackets of `operator<` and similar have no match, so what follows them is not a
 * group. */
static size_t find_groups(const char *name, struct group *groups) {
  size_t count = 0, depth = 0;
  const char *open = name;
  for (const char *c = name; *c && count < GROUPS; c++) {
    if (*c == '<' || *c == '(') {
      if (depth++ == 0)
        open = c + 1;
    } else if (depth && (*c == ')' || (*c == '>' && c[-1] != '-')) && --depth == 0)
      groups[count++] = (struct group){open, (size_t)(c - open), (size_t)(c - open)};
  }
  return count;
}

/* Removes `excess` bytes from as few groups as possible. Returns the remaining excess. */
static size_t shrink(struct group *groups, size_t count, size_t excess) {
  while (excess) {
    struct group *longest = NULL;
    for (size_t i = 0; i < count; i++)
      if (groups[i].keep > DOTS && (!longest || groups[i].keep > longest->keep))
        longest = &groups[i];
    if (!longest)
      return excess;
    size_t give = longest->keep - DOTS < excess ? longest->keep - DOTS : excess;
    longest->keep -= give;
    excess -= give;
  }
  return 0;
}

/* Writes the name with its shortened groups. */
static void write_groups(const char *name, const struct group *groups, size_t count, char *to) {
  size_t used = 0;
  const char *from = name;
  for (size_t i = 0; i < count; i++) {
    size_t between = (size_t)(groups[i].text - from);
    memcpy(to + used, from, between);
    used += between;
    used += fit(groups[i].text, groups[i].length, groups[i].keep, to + used);
    from = groups[i].text + groups[i].length;
  }
  strcpy(to + used, from);
}

/* The start of the name without return type and namespaces that has at most `keep` bytes; NULL: none. */
static const char *inner_name(const char *name, size_t length, size_t keep) {
  const char *parameters = strrchr(name, '(');
  for (const char *c = name + length - (keep < length ? keep : length); parameters && c < parameters; c++)
    if (c > name && (c[-1] == ' ' || (c[-1] == ':' && *c != ':')))
      return c;
  return NULL;
}

/* For a name that is too long even without arguments and parameters. */
static void shorten_more(const char *name, size_t columns, char *to) {
  size_t length = strlen(name);
  const char *inner = columns > DOTS ? inner_name(name, length, columns - DOTS) : NULL;
  size_t used = inner ? cut(inner, strlen(inner), 0, strlen(inner), to) : fit(name, length, columns, to);
  to[used] = 0;
}

const char *cs_report_short_name(const char *name, size_t columns, char *to) {
  struct group groups[GROUPS];
  char bare[BARE_MAX];
  size_t length = strlen(name);
  if (length <= columns)
    return name;
  size_t count = find_groups(name, groups), excess = shrink(groups, count, length - columns);
  if (!excess)
    write_groups(name, groups, count, to);
  else if (columns + excess < sizeof bare) {
    write_groups(name, groups, count, bare);
    shorten_more(bare, columns, to);
  } else
    to[fit(name, length, columns, to)] = 0;
  return to;
}

/* ---- paths ---- */

const char *cs_report_short_path(const char *path, size_t columns, char *to) {
  size_t length = strlen(path);
  const char *last = strrchr(path, '/');
  if (length <= columns)
    return path;
  const char *from = columns > DOTS ? strchr(path + length - (columns - DOTS), '/') : NULL;
  if (from)
    to[cut(from, strlen(from), 0, strlen(from), to)] = 0;
  else
    to[fit(last ? last + 1 : path, strlen(last ? last + 1 : path), columns, to)] = 0;
  return to;
}
