/* plain.c: removes template arguments, parameters and return types from demangled names. */
#include "report/plain.h"
#include <ctype.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"
#define OPERATOR "operator"

static int starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static int is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of an operator's name, if one starts here: "operator()", "operator<<", "operator new[]". A conversion,
 * "operator float*", ends at its parameters. */
static size_t operator_length(const char *name, const char *at) {
  size_t length = strlen(OPERATOR);
  if (!starts_with(at, OPERATOR) || is_word(at[length]) || (at > name && is_word(at[-1])))
    return 0;
  if (starts_with(at + length, "()"))
    return length + 2;
  if (at[length] == ' ')
    return length + strcspn(at + length, "(<");
  return length + strspn(at + length, "<>=!+-*/%^&|~,[]");
}

/* After the closing bracket of the one that opens here, or the end. The arrow of "decltype(x->y)" closes nothing. */
static const char *skip_brackets(const char *at) {
  size_t depth = 0;
  do {
    int is_arrow = *at == '>' && at[-1] == '-';
    depth += *at == '<' || *at == '(';
    depth -= (*at == '>' && !is_arrow) || *at == ')';
    at++;
  } while (*at && depth);
  return at;
}

/* A space: a return type ends, or qualifiers follow the parameters, or template arguments an operator. Returns where
 * the name continues; used: what has been copied, which a return type empties. */
static const char *pass_space(const char *at, const char *to, size_t *used) {
  int is_decltype = *used == strlen("decltype") && starts_with(to, "decltype");
  if (at[1] == '<')
    return at + 1;
  if (*used && at[-1] == ')' && !is_decltype)
    return at + strcspn(at, ":");
  *used = 0;
  return at + 1;
}

const char *cs_report_plain_function(const char *name, char *to, size_t room) {
  size_t used = 0;
  for (const char *at = name; *at && used + 1 < room;) {
    size_t literal = starts_with(at, ANONYMOUS) ? strlen(ANONYMOUS) : operator_length(name, at);
    if (!literal && *name != '<' && (*at == '<' || *at == '('))
      at = skip_brackets(at);
    else if (!literal && *at == ' ')
      at = pass_space(at, to, &used);
    else {
      size_t kept = literal ? literal : 1;
      kept = kept < room - 1 - used ? kept : room - 1 - used;
      memcpy(to + used, at, kept);
      used += kept;
      at += kept;
    }
  }
  to[used] = 0;
  return to;
}
