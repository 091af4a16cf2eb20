/* module.c: parses the directives of a module, outside functions. */
#include "ptx/module.h"
#include "ptx/declarations.h"
#include "ptx/functions.h"
#include "ptx/operands.h"
#include <stdio.h>
#include <string.h>

/* ".version 9.0", ".target sm_90, debug" */
static int parse_head(struct cs_ptx_parser *p, struct cs_ptx_item *item) {
  enum { MAX_TEXT = 256 }; /* longer than all values of a directive together */
  char text[MAX_TEXT] = "";
  size_t length = 0;
  item->kind = CS_PTX_HEAD;
  item->name = cs_ptx_take(p);
  do {
    if (p->now.kind != CS_PTX_TOKEN_NUMBER && (p->now.kind != CS_PTX_TOKEN_WORD || *p->now.text == '.'))
      return cs_ptx_expected(p, "a value");
    if (length + p->now.length + sizeof ", " > MAX_TEXT)
      return cs_ptx_expected(p, "fewer values");
    length += (size_t)snprintf(text + length, MAX_TEXT - length, "%s%.*s", length ? ", " : "", (int)p->now.length,
                               p->now.text);
    cs_ptx_advance(p);
  } while (cs_ptx_accept(p, ','));
  item->text = cs_ptx_copy(&p->module->arena, text, length);
  return 0;
}

/* .file 1 "name"{, time, length} */
static int parse_file(struct cs_ptx_parser *p, struct cs_ptx_item *item) {
  unsigned long long number = 0;
  item->kind = CS_PTX_FILE;
  cs_ptx_advance(p);
  if (cs_ptx_number(p, &number))
    return -1;
  item->number = (unsigned)number;
  if (p->now.kind != CS_PTX_TOKEN_STRING)
    return cs_ptx_expected(p, "a file name");
  item->text = cs_ptx_take(p);
  if (!cs_ptx_accept(p, ','))
    return 0;
  return cs_ptx_number(p, &item->time) || cs_ptx_expect(p, ',') || cs_ptx_number(p, &item->length) ? -1 : 0;
}

/* The end of a section's text, after its '{'; NULL if it is not closed. A section holds no braces but in comments. */
static const char *end_of_section(struct cs_ptx_lexer *l) {
  for (; *l->at; l->at++) {
    if (l->at[0] == '/' && l->at[1] == '/')
      l->at += strcspn(l->at, "\n");
    if (*l->at == '}')
      return l->at;
    if (*l->at == '\0')
      return NULL;
    l->line += *l->at == '\n';
  }
  return NULL;
}

static int parse_section(struct cs_ptx_parser *p, struct cs_ptx_item *item) {
  item->kind = CS_PTX_SECTION;
  cs_ptx_advance(p);
  if (p->now.kind != CS_PTX_TOKEN_WORD)
    return cs_ptx_expected(p, "the name of a section");
  item->name = cs_ptx_take(p);
  if (!cs_ptx_is_mark(p, '{'))
    return cs_ptx_expected(p, "'{'");
  const char *start = p->lexer.at, *end = end_of_section(&p->lexer);
  if (end == NULL) {
    cs_ptx_advance(p);
    return cs_ptx_expected(p, "'}'");
  }
  item->text = cs_ptx_copy(&p->module->arena, start, (size_t)(end - start));
  p->lexer.at = end + 1;
  cs_ptx_advance(p);
  return 0;
}

/* .alias name, target; */
static int parse_alias(struct cs_ptx_parser *p, struct cs_ptx_item *item) {
  item->kind = CS_PTX_ALIAS;
  cs_ptx_advance(p);
  return (item->name = cs_ptx_name(p, "a name")) == NULL || cs_ptx_expect(p, ',') ||
                 (item->text = cs_ptx_name(p, "a function")) == NULL || cs_ptx_expect(p, ';')
             ? -1
             : 0;
}

static int parse_pragma(struct cs_ptx_parser *p, struct cs_ptx_item *item) {
  item->kind = CS_PTX_MODULE_PRAGMA;
  cs_ptx_advance(p);
  if (p->now.kind != CS_PTX_TOKEN_STRING)
    return cs_ptx_expected(p, "a string");
  item->text = cs_ptx_take(p);
  return cs_ptx_expect(p, ';');
}

static struct cs_ptx_item *add_item(struct cs_ptx_module *m) {
  m->items = cs_ptx_grow(&m->arena, m->items, m->item_count, sizeof *m->items);
  struct cs_ptx_item *item = &m->items[m->item_count++];
  memset(item, 0, sizeof *item);
  return item;
}

/* ".global .b32 a, b = 1;" */
static int parse_variables(struct cs_ptx_parser *p, struct cs_ptx_item *item, const char *linkage) {
  struct cs_ptx_variable whole = {.linkage = linkage};
  if (cs_ptx_declaration(p, &whole))
    return -1;
  for (;;) {
    struct cs_ptx_variable *one = cs_ptx_allocate(&p->module->arena, sizeof *one);
    *one = whole;
    item->kind = CS_PTX_VARIABLE;
    item->variable = one;
    if (!cs_ptx_accept(p, ','))
      return cs_ptx_expect(p, ';');
    item = add_item(p->module);
    if (cs_ptx_declared_name(p, &whole))
      return -1;
  }
}

static int parse_function(struct cs_ptx_parser *p, struct cs_ptx_item *item, const char *linkage) {
  item->kind = CS_PTX_FUNCTION;
  item->function = cs_ptx_allocate(&p->module->arena, sizeof *item->function);
  item->function->linkage = linkage;
  return cs_ptx_parse_function(p, item->function);
}

static const char *take_linkage(struct cs_ptx_parser *p) {
  static const char *const words[] = {".visible", ".extern", ".weak", ".common"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (cs_ptx_accept_word(p, words[i]))
      return words[i];
  return NULL;
}

static int parse_item(struct cs_ptx_parser *p) {
  static const struct {
    const char *word;
    int (*parse)(struct cs_ptx_parser *, struct cs_ptx_item *);
  } directives[] = {{".version", parse_head}, {".target", parse_head},     {".address_size", parse_head},
                    {".file", parse_file},    {".section", parse_section}, {".alias", parse_alias},
                    {".pragma", parse_pragma}};
  struct cs_ptx_item *item = add_item(p->module);
  for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
    if (cs_ptx_is_word(p, directives[i].word)) {
      p->construct = directives[i].word;
      return directives[i].parse(p, item);
    }
  p->construct = "the module";
  const char *linkage = take_linkage(p);
  if (cs_ptx_is_word(p, ".entry") || cs_ptx_is_word(p, ".func"))
    return parse_function(p, item, linkage);
  if (cs_ptx_is_space(p))
    return parse_variables(p, item, linkage);
  return cs_ptx_expected(p, "a directive");
}

int cs_ptx_parse_module(struct cs_ptx_module *module, const char *text, struct cs_ptx_error *error) {
  struct cs_ptx_parser p = {.lexer = {text, 1}, .module = module, .error = error, .construct = "the module"};
  memset(module, 0, sizeof *module);
  cs_ptx_advance(&p);
  while (p.now.kind != CS_PTX_TOKEN_END)
    if (parse_item(&p))
      return -1;
  return 0;
}

void cs_ptx_module_free(struct cs_ptx_module *module) {
  cs_ptx_release(&module->arena);
}
