/* lexer.c: splits PTX text into tokens. */
#include "ptx/lexer.h"
#include <string.h>

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' || c == '%';
}

/* In inline assembly "%=" is ${:uid}, a number for each copy of the statement: labels are local to it anyway. */
static size_t unique_length(const char *at) {
  static const char unique[] = "${:uid}";
  return strncmp(at, unique, strlen(unique)) == 0 ? strlen(unique) : 0;
}

static void skip_comment(struct cs_ptx_lexer *l) {
  const char *end = strstr(l->at + 2, "*/");
  end = end ? end + 2 : l->at + strlen(l->at);
  for (; l->at < end; l->at++)
    l->line += *l->at == '\n';
}

static void skip_blank(struct cs_ptx_lexer *l) {
  for (;;) {
    if (*l->at == '\n')
      l->line++;
    else if (l->at[0] == '/' && l->at[1] == '/') {
      l->at += strcspn(l->at, "\n");
      continue;
    } else if (l->at[0] == '/' && l->at[1] == '*') {
      skip_comment(l);
      continue;
    } else if (*l->at != ' ' && *l->at != '\t' && *l->at != '\r' && *l->at != '\f' && *l->at != '\v')
      return;
    l->at++;
  }
}

/* "ld.global.L2::128B": a colon alone ends a label. ".reg.b32", as CUDA's headers write it, is two words. */
static const char *end_of_word(const char *at) {
  int directive = *at == '.';
  at += directive;
  while (is_name(*at) || (*at == '.' && !directive) || (at[0] == ':' && at[1] == ':' && is_name(at[2])))
    at += unique_length(at) ? unique_length(at) : *at == ':' ? 2 : 1;
  return at;
}

/* The sign of an exponent belongs to a decimal number: hexadecimal digits include e. */
static const char *end_of_number(const char *at) {
  int decimal = !(at[0] == '0' && at[1] != '\0' && strchr("xXfFdD", at[1]) != NULL);
  const char *start = at;
  while (is_name(*at) || *at == '.' ||
         (decimal && at > start && (*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E')))
    at++;
  return at;
}

static struct cs_ptx_token string(struct cs_ptx_lexer *l) {
  size_t length = strcspn(l->at + 1, "\"\n");
  struct cs_ptx_token token = {CS_PTX_TOKEN_STRING, l->at + 1, length, l->line};
  if (l->at[1 + length] != '"')
    token = (struct cs_ptx_token){CS_PTX_TOKEN_MARK, l->at++, 1, l->line}; /* not closed: an error for any reader */
  else
    l->at += length + 2;
  return token;
}

struct cs_ptx_token cs_ptx_next(struct cs_ptx_lexer *l) {
  skip_blank(l);
  struct cs_ptx_token token = {CS_PTX_TOKEN_END, l->at, 0, l->line};
  if (*l->at == '\0')
    return token;
  if (*l->at == '"')
    return string(l);
  if (is_digit(*l->at)) {
    token.kind = CS_PTX_TOKEN_NUMBER;
    l->at = end_of_number(l->at);
  } else if (is_name(*l->at) || *l->at == '.') {
    token.kind = CS_PTX_TOKEN_WORD;
    l->at = end_of_word(l->at);
  } else {
    token.kind = CS_PTX_TOKEN_MARK;
    l->at++;
  }
  token.length = (size_t)(l->at - token.text);
  return token;
}
