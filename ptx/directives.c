/* directives.c: splits the text of a module at its directives. */
#include "ptx/directives.h"
#include <stdlib.h>
#include <string.h>

static int is(const struct cs_ptx_token *t, const char *word) {
  return t->kind == CS_PTX_TOKEN_WORD && strlen(word) == t->length && memcmp(word, t->text, t->length) == 0;
}
static int is_any(const struct cs_ptx_token *t, const char *const *words) {
  while (*words && !is(t, *words))
    words++;
  return *words != NULL;
}
static int is_mark(const struct cs_ptx_token *t, char mark) {
  return t->kind == CS_PTX_TOKEN_MARK && *t->text == mark;
}

int cs_ptx_is_name(const struct cs_ptx_token *t) {
  return t->kind == CS_PTX_TOKEN_WORD && *t->text != '.';
}

/* The last character of a comment or string that begins here, or `at`; NULL if it is not closed. */
static const char *end_of_quoted(const char *at) {
  if (at[0] == '/' && at[1] == '/')
    return at + strcspn(at, "\n") - 1;
  if (at[0] == '"')
    return at[1 + strcspn(at + 1, "\"\n")] == '"' ? strchr(at + 1, '"') : NULL;
  if (at[0] != '/' || at[1] != '*')
    return at;
  const char *end = strstr(at + 2, "*/");
  return end ? end + 1 : NULL;
}

/* The end of a body, after its '{'; NULL if it is not closed. */
static const char *end_of_body(const char *at) {
  unsigned depth = 1;
  for (; *at; at++) {
    const char *end = end_of_quoted(at);
    depth += end == at && *at == '{';
    if (end == at && *at == '}' && --depth == 0)
      return at + 1;
    if (!end)
      return NULL;
    at = end;
  }
  return NULL;
}

/* ".version 9.0" and ".file 1 "name"" end with their line. */
static int read_line(struct cs_ptx_lexer *l, struct cs_ptx_directive *item) {
  item->kind = CS_PTX_IS_HEAD;
  l->at += strcspn(l->at, "\n{");
  return *l->at == '{' ? -1 : 0;
}

static int read_section(struct cs_ptx_lexer *l, struct cs_ptx_directive *item) {
  struct cs_ptx_token name = cs_ptx_next(l), open = cs_ptx_next(l);
  const char *end = is_mark(&open, '{') ? end_of_body(l->at) : NULL;
  item->kind = CS_PTX_IS_SECTION;
  item->name = name.text;
  item->length = name.length;
  l->at = end;
  return end ? 0 : -1;
}

/* After .entry or .func: attributes, results, name, parameters; then a body, or a semicolon. */
static int read_function(struct cs_ptx_lexer *l, struct cs_ptx_directive *item) {
  int depth = 0;
  for (;;) {
    struct cs_ptx_token t = cs_ptx_next(l);
    depth += is_mark(&t, '(') - is_mark(&t, ')');
    if (t.kind == CS_PTX_TOKEN_END)
      return -1;
    if (depth == 0 && cs_ptx_is_name(&t) && !item->length) {
      item->name = t.text;
      item->length = t.length;
    }
    if (depth == 0 && is_mark(&t, ';'))
      return item->length ? 0 : -1;
    if (is_mark(&t, '{')) {
      item->is_defined = 1;
      return (l->at = end_of_body(l->at)) && item->length ? 0 : -1;
    }
  }
}

/* After the state space. One name only; the length of an array is not left to its initialiser. */
static int read_variable(struct cs_ptx_lexer *l, struct cs_ptx_directive *item) {
  int depth = 0, is_open = 0;
  struct cs_ptx_token t = {0};
  for (;;) {
    int was_bracket = is_mark(&t, '[');
    t = cs_ptx_next(l);
    is_open |= was_bracket && is_mark(&t, ']');
    depth += is_mark(&t, '(') - is_mark(&t, ')') + is_mark(&t, '{') - is_mark(&t, '}');
    if (t.kind == CS_PTX_TOKEN_END || (depth == 0 && is_mark(&t, ',')))
      return -1;
    if (depth == 0 && cs_ptx_is_name(&t) && !item->length) {
      item->name = t.text;
      item->length = t.length;
    }
    if (depth == 0 && is_mark(&t, '=') && !item->value)
      item->value = t.text;
    if (depth == 0 && is_mark(&t, ';'))
      return item->length && !(is_open && item->value) ? 0 : -1;
  }
}

static int read_declaration(struct cs_ptx_lexer *l, struct cs_ptx_token t, struct cs_ptx_directive *item) {
  static const char *const linkages[] = {".visible", ".extern", ".weak", ".common", NULL};
  static const char *const spaces[] = {".global", ".const", ".shared", NULL};
  int is_external = is(&t, ".extern");
  item->is_own = !is_any(&t, linkages);
  item->is_weak = is(&t, ".weak");
  if (!item->is_own)
    t = cs_ptx_next(l);
  item->declared = t.text;
  if (is(&t, ".entry") || is(&t, ".func")) {
    item->kind = is(&t, ".entry") ? CS_PTX_IS_KERNEL : CS_PTX_IS_FUNCTION;
    return read_function(l, item);
  }
  item->kind = CS_PTX_IS_VARIABLE;
  item->is_shared = is(&t, ".shared");
  item->is_defined = !is_external;
  return is_any(&t, spaces) ? read_variable(l, item) : -1;
}

static int read_item(struct cs_ptx_lexer *l, struct cs_ptx_token first, size_t module, struct cs_ptx_directive *item) {
  static const char *const lines[] = {".version", ".target", ".address_size", ".file", ".pragma", NULL};
  *item = (struct cs_ptx_directive){.module = module, .start = first.text};
  int failed = is_any(&first, lines)    ? read_line(l, item)
               : is(&first, ".section") ? read_section(l, item)
                                        : read_declaration(l, first, item);
  item->end = l->at;
  return failed;
}

int cs_ptx_read_directives(struct cs_ptx_directives *d, const char *text, size_t module) {
  struct cs_ptx_lexer l = {text, 1};
  for (;;) {
    struct cs_ptx_token first = cs_ptx_next(&l);
    if (first.kind == CS_PTX_TOKEN_END)
      return 0;
    if (d->count == d->room) {
      size_t room = 2 * d->room + 64;
      struct cs_ptx_directive *grown = realloc(d->list, room * sizeof *grown);
      if (!grown)
        return -1;
      d->list = grown;
      d->room = room;
    }
    if (read_item(&l, first, module, &d->list[d->count++]))
      return -1;
  }
}
