/* functions.c: parses functions: their heads, directives and statements. */
#include "ptx/functions.h"
#include "ptx/declarations.h"
#include "ptx/opcode.h"
#include "ptx/operands.h"
#include <string.h>

/* --- Statements --- */

static struct cs_ptx_node *add_node(struct cs_ptx_parser *p, struct cs_ptx_function *f, enum cs_ptx_node_kind kind) {
  f->nodes = cs_ptx_grow(&p->module->arena, f->nodes, f->node_count, sizeof *f->nodes);
  struct cs_ptx_node *node = &f->nodes[f->node_count++];
  memset(node, 0, sizeof *node);
  node->kind = kind;
  node->line = p->now.line;
  return node;
}

static void split_opcode(struct cs_ptx_parser *p, struct cs_ptx_instruction *i) {
  char *copy = cs_ptx_copy(&p->module->arena, i->opcode, strlen(i->opcode));
  for (char *at = copy, *dot; at; at = dot) {
    dot = strchr(at, '.');
    if (dot)
      *dot++ = 0;
    i->parts = cs_ptx_grow(&p->module->arena, i->parts, i->part_count, sizeof *i->parts);
    i->parts[i->part_count++] = at;
  }
  i->code = cs_ptx_code(i->parts[0]);
}

/* Inline assembly may end a block, or its text, without a semicolon. */
static int is_end(const struct cs_ptx_parser *p) {
  return cs_ptx_is_mark(p, '}') || (p->is_inline && p->now.kind == CS_PTX_TOKEN_END);
}

static int parse_instruction(struct cs_ptx_parser *p, struct cs_ptx_instruction *i) {
  i->opcode = cs_ptx_name(p, "an instruction");
  if (i->opcode == NULL)
    return -1;
  p->construct = i->opcode;
  split_opcode(p, i);
  if (cs_ptx_accept(p, ';') || (p->is_inline && is_end(p)))
    return 0;
  if (cs_ptx_operands(p, &i->operands, &i->operand_count))
    return -1;
  return is_end(p) ? 0 : cs_ptx_expect(p, ';');
}

static int parse_predicated(struct cs_ptx_parser *p, struct cs_ptx_instruction *i) {
  cs_ptx_advance(p);
  p->construct = "a predicate";
  i->negated = cs_ptx_accept(p, '!');
  i->predicate = cs_ptx_name(p, "a register");
  return i->predicate == NULL ? -1 : parse_instruction(p, i);
}

static int small_number(struct cs_ptx_parser *p, unsigned *to) {
  unsigned long long value = 0;
  if (cs_ptx_number(p, &value))
    return -1;
  *to = (unsigned)value;
  return 0;
}

/* .loc file line column{, function_name label{+offset}, inlined_at file line column} */
static int parse_loc(struct cs_ptx_parser *p, struct cs_ptx_loc *loc) {
  p->construct = ".loc";
  cs_ptx_advance(p);
  if (small_number(p, &loc->file) || small_number(p, &loc->line) || small_number(p, &loc->column))
    return -1;
  if (!cs_ptx_accept(p, ','))
    return 0;
  if (!cs_ptx_accept_word(p, "function_name"))
    return cs_ptx_expected(p, "function_name");
  loc->function = cs_ptx_name(p, "a label");
  if (loc->function == NULL || (cs_ptx_accept(p, '+') && small_number(p, &loc->function_offset)) ||
      cs_ptx_expect(p, ','))
    return -1;
  if (!cs_ptx_accept_word(p, "inlined_at"))
    return cs_ptx_expected(p, "inlined_at");
  return small_number(p, &loc->at_file) || small_number(p, &loc->at_line) || small_number(p, &loc->at_column) ? -1 : 0;
}

/* ".reg .b32 a, b<4>;" is a node for each name. */
static int parse_declarations(struct cs_ptx_parser *p, struct cs_ptx_function *f) {
  struct cs_ptx_variable whole = {0};
  if (cs_ptx_declaration(p, &whole))
    return -1;
  for (;;) {
    struct cs_ptx_variable *one = cs_ptx_allocate(&p->module->arena, sizeof *one);
    *one = whole;
    add_node(p, f, CS_PTX_DECLARATION)->variable = one;
    if (!cs_ptx_accept(p, ','))
      return cs_ptx_expect(p, ';');
    if (cs_ptx_declared_name(p, &whole))
      return -1;
  }
}

static int parse_pragma(struct cs_ptx_parser *p, struct cs_ptx_function *f) {
  struct cs_ptx_node *node = add_node(p, f, CS_PTX_PRAGMA);
  cs_ptx_advance(p);
  if (p->now.kind != CS_PTX_TOKEN_STRING)
    return cs_ptx_expected(p, "a string");
  node->name = cs_ptx_take(p);
  return cs_ptx_expect(p, ';');
}

/* A head without a name: "{(results)} _ {(parameters)}" */
static int parse_prototype(struct cs_ptx_parser *p, struct cs_ptx_node *node) {
  struct cs_ptx_function *f = node->prototype = cs_ptx_allocate(&p->module->arena, sizeof *f);
  cs_ptx_advance(p);
  if (cs_ptx_is_mark(p, '(') && cs_ptx_parameters(p, &f->results, &f->result_count))
    return -1;
  if (cs_ptx_name(p, "'_'") == NULL)
    return -1;
  if (cs_ptx_is_mark(p, '(') && cs_ptx_parameters(p, &f->parameters, &f->parameter_count))
    return -1;
  f->attribute = cs_ptx_is_word(p, ".noreturn") ? cs_ptx_take(p) : NULL;
  return cs_ptx_expect(p, ';');
}

static int parse_label(struct cs_ptx_parser *p, struct cs_ptx_function *f) {
  struct cs_ptx_node *node = add_node(p, f, CS_PTX_LABEL);
  node->name = cs_ptx_take(p);
  p->construct = node->name;
  cs_ptx_advance(p); /* the colon */
  if (cs_ptx_is_word(p, ".callprototype")) {
    node->kind = CS_PTX_PROTOTYPE;
    return parse_prototype(p, node);
  }
  if (!cs_ptx_is_word(p, ".branchtargets") && !cs_ptx_is_word(p, ".calltargets"))
    return 0;
  node->kind = CS_PTX_TARGETS;
  node->list = cs_ptx_take(p);
  return cs_ptx_operands(p, &node->instruction.operands, &node->instruction.operand_count) || cs_ptx_expect(p, ';') ? -1
                                                                                                                    : 0;
}

/* After a word that is no directive: a label has a colon next. */
static int is_label(const struct cs_ptx_parser *p) {
  struct cs_ptx_lexer ahead = p->lexer;
  struct cs_ptx_token next = cs_ptx_next(&ahead);
  return next.kind == CS_PTX_TOKEN_MARK && *next.text == ':';
}

static int parse_statement(struct cs_ptx_parser *p, struct cs_ptx_function *f) {
  p->construct = f->name ? f->name : "a function";
  if (cs_ptx_is_word(p, ".loc")) {
    struct cs_ptx_loc *loc = cs_ptx_allocate(&p->module->arena, sizeof *loc);
    add_node(p, f, CS_PTX_LOC)->loc = loc;
    return parse_loc(p, loc);
  }
  if (cs_ptx_is_word(p, ".pragma"))
    return parse_pragma(p, f);
  if (cs_ptx_is_space(p))
    return parse_declarations(p, f);
  if (cs_ptx_is_mark(p, '@'))
    return parse_predicated(p, &add_node(p, f, CS_PTX_INSTRUCTION)->instruction);
  if (p->now.kind != CS_PTX_TOKEN_WORD || *p->now.text == '.')
    return cs_ptx_expected(p, "a statement");
  return is_label(p) ? parse_label(p, f) : parse_instruction(p, &add_node(p, f, CS_PTX_INSTRUCTION)->instruction);
}

/* The body after its '{', up to and past the matching '}'. */
static int parse_body(struct cs_ptx_parser *p, struct cs_ptx_function *f) {
  unsigned depth = 1;
  while (depth) {
    if (cs_ptx_accept(p, ';'))
      continue;
    if (cs_ptx_is_mark(p, '{')) {
      add_node(p, f, CS_PTX_OPEN);
      depth++;
      cs_ptx_advance(p);
    } else if (cs_ptx_is_mark(p, '}')) {
      if (--depth)
        add_node(p, f, CS_PTX_CLOSE);
      cs_ptx_advance(p);
    } else if (parse_statement(p, f)) {
      return -1;
    }
  }
  return 0;
}

/* A scope may be open at the end, or have begun in another asm statement. */
const char *cs_ptx_parse_statements(struct cs_ptx_parser *p, struct cs_ptx_function *to) {
  while (p->now.kind != CS_PTX_TOKEN_END) {
    const char *start = p->now.text;
    unsigned count = to->node_count;
    if (cs_ptx_accept(p, ';'))
      continue;
    if (cs_ptx_is_mark(p, '{') || cs_ptx_is_mark(p, '}')) {
      add_node(p, to, *start == '{' ? CS_PTX_OPEN : CS_PTX_CLOSE);
      cs_ptx_advance(p);
    } else if (parse_statement(p, to)) {
      to->node_count = count;
      return start;
    }
    for (; count < to->node_count; count++)
      to->nodes[count].text = start;
  }
  return NULL;
}

/* --- The head --- */

/* ".maxntid 256, 1, 1": numbers follow, or a string, or nothing. */
static int parse_directive(struct cs_ptx_parser *p, struct cs_ptx_function *f) {
  f->directives = cs_ptx_grow(&p->module->arena, f->directives, f->directive_count, sizeof *f->directives);
  struct cs_ptx_directive *to = &f->directives[f->directive_count++];
  memset(to, 0, sizeof *to);
  to->name = cs_ptx_take(p);
  p->construct = to->name;
  if (p->now.kind == CS_PTX_TOKEN_STRING) {
    to->text = cs_ptx_take(p);
    return cs_ptx_expect(p, ';');
  }
  if (p->now.kind != CS_PTX_TOKEN_NUMBER)
    return 0;
  do {
    if (to->count == 3)
      return cs_ptx_expected(p, "at most three numbers");
    if (cs_ptx_number(p, &to->values[to->count++]))
      return -1;
  } while (cs_ptx_accept(p, ','));
  return 0;
}

/* .attribute(.unified(0, 1)) */
static int parse_function_attribute(struct cs_ptx_parser *p, struct cs_ptx_function *f) {
  const char *start = p->now.text;
  int depth = 0;
  do {
    cs_ptx_advance(p);
    depth += cs_ptx_is_mark(p, '(') - cs_ptx_is_mark(p, ')');
    if (p->now.kind == CS_PTX_TOKEN_END || (depth == 0 && !cs_ptx_is_mark(p, ')')))
      return cs_ptx_expected(p, "an attribute in parentheses");
  } while (depth);
  f->attribute = cs_ptx_copy(&p->module->arena, start, (size_t)(p->now.text + 1 - start));
  cs_ptx_advance(p);
  return 0;
}

int cs_ptx_parse_function(struct cs_ptx_parser *p, struct cs_ptx_function *to) {
  to->line = p->now.line;
  to->is_entry = cs_ptx_is_word(p, ".entry");
  p->construct = to->is_entry ? ".entry" : ".func";
  cs_ptx_advance(p);
  if (cs_ptx_is_word(p, ".attribute") && parse_function_attribute(p, to))
    return -1;
  if (cs_ptx_is_mark(p, '(') && cs_ptx_parameters(p, &to->results, &to->result_count))
    return -1;
  to->name = cs_ptx_name(p, "a name");
  if (to->name == NULL || (cs_ptx_is_mark(p, '(') && cs_ptx_parameters(p, &to->parameters, &to->parameter_count)))
    return -1;
  while (p->now.kind == CS_PTX_TOKEN_WORD && *p->now.text == '.')
    if (parse_directive(p, to))
      return -1;
  if (cs_ptx_accept(p, ';'))
    return 0;
  p->construct = to->name;
  to->is_defined = 1;
  return cs_ptx_expect(p, '{') ? -1 : parse_body(p, to);
}
