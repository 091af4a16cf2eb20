/* opaque.c: skips what has no structure for those who search a source: comments, literals, identifiers. */
#include "cli/cc/opaque.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *skip_literal(const char *at) {
  char quote = *at;
  for (at++; *at && *at != quote && *at != '\n'; at++)
    if (*at == '\\' && at[1])
      at++;
  return *at ? at + 1 : at;
}

/* R"name( ... )name" */
static const char *skip_raw(const char *at) {
  char end[24];
  size_t length = strcspn(at + 2, "(\n");
  if (length > 16)
    return at + 2;
  snprintf(end, sizeof end, ")%.*s\"", (int)length, at + 2);
  const char *found = strstr(at, end);
  return found ? found + strlen(end) : at + strlen(at);
}

static const char *skip_comment(const char *at) {
  const char *end = at[1] == '/' ? at + strcspn(at, "\n") : strstr(at + 2, "*/");
  return !end ? at + strlen(at) : at[1] == '/' ? end : end + 2;
}

const char *cs_cli_skip_opaque(const char *at) {
  if (*at == '/' && (at[1] == '/' || at[1] == '*'))
    return skip_comment(at);
  if (*at == 'R' && at[1] == '"')
    return skip_raw(at);
  if (*at == '"' || *at == '\'')
    return skip_literal(at);
  while (isalnum((unsigned char)*at) || *at == '_' || (*at == '\'' && isalnum((unsigned char)at[1])))
    at++;
  return at;
}
