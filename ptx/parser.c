/* parser.c: the state of the parser: the current token, and the error. */
#include "ptx/parser.h"
#include <stdio.h>
#include <string.h>

void cs_ptx_advance(struct cs_ptx_parser *p) {
  p->now = cs_ptx_next(&p->lexer);
}

char *cs_ptx_take(struct cs_ptx_parser *p) {
  char *text = cs_ptx_copy(&p->module->arena, p->now.text, p->now.length);
  cs_ptx_advance(p);
  return text;
}

int cs_ptx_is_mark(const struct cs_ptx_parser *p, char mark) {
  return p->now.kind == CS_PTX_TOKEN_MARK && *p->now.text == mark;
}

int cs_ptx_is_word(const struct cs_ptx_parser *p, const char *word) {
  return p->now.kind == CS_PTX_TOKEN_WORD && p->now.length == strlen(word) &&
         memcmp(p->now.text, word, p->now.length) == 0;
}

int cs_ptx_accept(struct cs_ptx_parser *p, char mark) {
  if (!cs_ptx_is_mark(p, mark))
    return 0;
  cs_ptx_advance(p);
  return 1;
}

int cs_ptx_accept_word(struct cs_ptx_parser *p, const char *word) {
  if (!cs_ptx_is_word(p, word))
    return 0;
  cs_ptx_advance(p);
  return 1;
}

int cs_ptx_expected(struct cs_ptx_parser *p, const char *what) {
  if (p->failed)
    return -1;
  p->failed = 1;
  p->error->line = p->now.line;
  if (p->now.kind == CS_PTX_TOKEN_END)
    snprintf(p->error->text, sizeof p->error->text, "expected %s in %s, found the end of the text", what, p->construct);
  else
    snprintf(p->error->text, sizeof p->error->text, "expected %s in %s, found '%.*s'", what, p->construct,
             (int)(p->now.length < 60 ? p->now.length : 60), p->now.text);
  return -1;
}

int cs_ptx_expect(struct cs_ptx_parser *p, char mark) {
  char what[] = {'\'', mark, '\'', 0};
  return cs_ptx_accept(p, mark) ? 0 : cs_ptx_expected(p, what);
}

const char *cs_ptx_name(struct cs_ptx_parser *p, const char *what) {
  if (p->now.kind != CS_PTX_TOKEN_WORD || *p->now.text == '.') {
    cs_ptx_expected(p, what);
    return NULL;
  }
  return cs_ptx_take(p);
}
