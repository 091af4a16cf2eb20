/* declarations.c: parses declarations of registers, variables and parameters. */
#include "ptx/declarations.h"
#include "ptx/opcode.h"
#include "ptx/operands.h"
#include <string.h>

static const char *const spaces[] = {".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex"};

static const char *space_of(const struct cs_ptx_parser *p) {
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (cs_ptx_is_word(p, spaces[i]))
      return spaces[i];
  return NULL;
}

int cs_ptx_is_space(const struct cs_ptx_parser *p) {
  return space_of(p) != NULL;
}

static int parse_align(struct cs_ptx_parser *p, unsigned *align) {
  unsigned long long value = 0;
  if (cs_ptx_number(p, &value))
    return -1;
  if (value == 0 || value > 1u << 16 || (value & (value - 1)) != 0)
    return cs_ptx_expected(p, "an alignment that is a power of two");
  *align = (unsigned)value;
  return 0;
}

/* .attribute(.managed) */
static int parse_attribute(struct cs_ptx_parser *p, const char **attribute) {
  if (cs_ptx_expect(p, '('))
    return -1;
  const char *start = p->now.text, *end = start;
  while (p->now.kind != CS_PTX_TOKEN_END && !cs_ptx_is_mark(p, ')')) {
    if (cs_ptx_is_mark(p, '(')) /* .unified(0, 1) */
      while (p->now.kind != CS_PTX_TOKEN_END && !cs_ptx_is_mark(p, ')'))
        cs_ptx_advance(p);
    end = p->now.text + p->now.length;
    cs_ptx_advance(p);
  }
  *attribute = cs_ptx_copy(&p->module->arena, start, (size_t)(end - start));
  return cs_ptx_expect(p, ')');
}

/* .ptr{.space}{.align 16} of a kernel's parameter */
static int parse_pointer(struct cs_ptx_parser *p, struct cs_ptx_variable *to) {
  to->pointer_space = "";
  const char *space = space_of(p);
  if (space) {
    to->pointer_space = space;
    cs_ptx_advance(p);
  }
  return cs_ptx_accept_word(p, ".align") ? parse_align(p, &to->pointer_align) : 0;
}

static int is_opaque(const char *type) {
  return strcmp(type, ".texref") == 0 || strcmp(type, ".samplerref") == 0 || strcmp(type, ".surfref") == 0;
}

/* Everything between the space and the name. */
static int parse_type(struct cs_ptx_parser *p, struct cs_ptx_variable *to) {
  struct cs_ptx_type type;
  to->lanes = 1;
  while (p->now.kind == CS_PTX_TOKEN_WORD && *p->now.text == '.') {
    char *word = cs_ptx_take(p);
    int failed = 0;
    if (strcmp(word, ".align") == 0)
      failed = parse_align(p, &to->align);
    else if (strcmp(word, ".attribute") == 0)
      failed = parse_attribute(p, &to->attribute);
    else if (strcmp(word, ".ptr") == 0)
      failed = parse_pointer(p, to);
    else if (strcmp(word, ".v2") == 0 || strcmp(word, ".v4") == 0 || strcmp(word, ".v8") == 0)
      to->lanes = (unsigned)(word[2] - '0');
    else if (!to->type && (cs_ptx_type(word + 1, &type) || is_opaque(word)))
      to->type = word;
    else
      failed = cs_ptx_expected(p, "a type or a name");
    if (failed)
      return -1;
  }
  return to->type ? 0 : cs_ptx_expected(p, "a type");
}

static int parse_dimensions(struct cs_ptx_parser *p, struct cs_ptx_variable *to) {
  to->dimension_count = 0;
  to->dimensions = NULL;
  while (cs_ptx_accept(p, '[')) {
    unsigned long long extent = 0;
    if (!cs_ptx_is_mark(p, ']') && cs_ptx_number(p, &extent))
      return -1;
    to->dimensions = cs_ptx_grow(&p->module->arena, to->dimensions, to->dimension_count, sizeof *to->dimensions);
    to->dimensions[to->dimension_count++] = extent;
    if (cs_ptx_expect(p, ']'))
      return -1;
  }
  return 0;
}

/* "name<count>" is text of any size in few bytes: readers need not expand it, but count in 32 bits. ptxas accepts
 * 2^24. */
enum { MAX_REGISTERS = 1 << 24 };

int cs_ptx_declared_name(struct cs_ptx_parser *p, struct cs_ptx_variable *to) {
  unsigned long long registers = 0;
  to->initial = NULL;
  to->name = cs_ptx_name(p, "a name");
  if (to->name == NULL)
    return -1;
  if (cs_ptx_accept(p, '<') && (cs_ptx_number(p, &registers) || cs_ptx_expect(p, '>')))
    return -1;
  if (registers > MAX_REGISTERS)
    return cs_ptx_expected(p, "fewer registers");
  to->registers = (unsigned)registers;
  if (parse_dimensions(p, to))
    return -1;
  if (!cs_ptx_accept(p, '='))
    return 0;
  to->initial = cs_ptx_allocate(&p->module->arena, sizeof *to->initial);
  return cs_ptx_operand(p, to->initial);
}

int cs_ptx_declaration(struct cs_ptx_parser *p, struct cs_ptx_variable *to) {
  to->line = p->now.line;
  to->space = space_of(p);
  if (to->space == NULL)
    return cs_ptx_expected(p, "a state space");
  p->construct = to->space;
  cs_ptx_advance(p);
  return parse_type(p, to) || cs_ptx_declared_name(p, to) ? -1 : 0;
}

int cs_ptx_parameters(struct cs_ptx_parser *p, struct cs_ptx_variable **items, unsigned *count) {
  if (cs_ptx_expect(p, '('))
    return -1;
  if (cs_ptx_accept(p, ')'))
    return 0;
  do {
    *items = cs_ptx_grow(&p->module->arena, *items, *count, sizeof **items);
    struct cs_ptx_variable *to = &(*items)[(*count)++];
    memset(to, 0, sizeof *to);
    if (cs_ptx_declaration(p, to))
      return -1;
  } while (cs_ptx_accept(p, ','));
  return cs_ptx_expect(p, ')');
}
