/* line.c: a scanner for JSON on one line. */
#include "cli/findings/line.h"
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *at) {
  return at + strspn(at, " \t\r\n");
}

/* Past the closing quote of the string that starts here; NULL if it has none. */
static const char *skip_string(const char *at) {
  for (at++; *at && *at != '"'; at++)
    if (*at == '\\' && at[1])
      at++;
  return *at ? at + 1 : NULL;
}

/* Past the bracket that closes the one that starts here; NULL if there is none. */
static const char *skip_brackets(const char *at) {
  size_t depth = 0;
  while (at && *at) {
    if (*at == '"') {
      at = skip_string(at);
      continue;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    at++;
    if (!depth)
      return at;
  }
  return NULL;
}

static const char *skip_value(const char *at) {
  if (*at == '"')
    return skip_string(at);
  if (*at == '{' || *at == '[')
    return skip_brackets(at);
  size_t bytes = strcspn(at, ",]} \t\r\n");
  return bytes ? at + bytes : NULL;
}

int cs_cli_is_object(const char *line) {
  line = skip_spaces(line);
  const char *end = *line == '{' ? skip_brackets(line) : NULL;
  return end && !*skip_spaces(end);
}

static struct cs_cli_part part(const char *start, const char *end) {
  int is_string = *start == '"';
  return (struct cs_cli_part){start + is_string, (size_t)(end - start) - (is_string ? 2 : 0)};
}

struct cs_cli_part cs_cli_part_of(struct cs_cli_part object, const char *key) {
  const struct cs_cli_part none = {NULL, 0};
  const char *at = object.text && *object.text == '{' ? skip_spaces(object.text + 1) : NULL;
  while (at && *at == '"') {
    const char *name = at, *end = skip_string(at);
    at = end ? skip_spaces(end) : NULL;
    if (!at || *at != ':')
      return none;
    const char *value = skip_spaces(at + 1);
    at = skip_value(value);
    if (!at)
      return none;
    if (cs_cli_part_is(part(name, end), key))
      return part(value, at);
    at = skip_spaces(at);
    at = *at == ',' ? skip_spaces(at + 1) : NULL;
  }
  return none;
}

int cs_cli_part_next(const char **at, struct cs_cli_part *key, struct cs_cli_part *value) {
  const char *item = *at ? skip_spaces(*at + 1) : "", *end; /* after the bracket, or after a comma */
  *at = NULL;
  *key = (struct cs_cli_part){NULL, 0};
  if (!*item || *item == '}' || *item == ']' || !(end = skip_value(item)))
    return 0;
  if (*item == '"' && *skip_spaces(end) == ':') {
    *key = part(item, end);
    item = skip_spaces(skip_spaces(end) + 1);
    if (!*item || !(end = skip_value(item)))
      return 0;
  }
  *value = (struct cs_cli_part){item, (size_t)(end - item)};
  *at = *skip_spaces(end) == ',' ? skip_spaces(end) : NULL;
  return 1;
}

int cs_cli_part_is(struct cs_cli_part p, const char *text) {
  return p.text && p.bytes == strlen(text) && memcmp(p.text, text, p.bytes) == 0;
}

int cs_cli_part_compare(struct cs_cli_part a, struct cs_cli_part b) {
  size_t common = a.bytes < b.bytes ? a.bytes : b.bytes;
  int order = common ? memcmp(a.text, b.text, common) : 0;
  return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

unsigned long long cs_cli_part_number(struct cs_cli_part p) {
  return p.text ? strtoull(p.text, NULL, 10) : 0;
}
