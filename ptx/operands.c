/* operands.c: parses operands and initialisers. */
#include "ptx/operands.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 8 };

static int any_operand(struct cs_ptx_parser *p, struct cs_ptx_operand *to, int depth);

static struct cs_ptx_operand *add_operand(struct cs_ptx_parser *p, struct cs_ptx_operand **items, unsigned *count) {
  *items = cs_ptx_grow(&p->module->arena, *items, *count, sizeof **items);
  struct cs_ptx_operand *made = &(*items)[(*count)++];
  memset(made, 0, sizeof *made);
  return made;
}

/* "a, b" up to, and past, the closing mark. */
static int list(struct cs_ptx_parser *p, struct cs_ptx_operand *to, char close, int depth) {
  if (cs_ptx_accept(p, close))
    return 0;
  do {
    if (any_operand(p, add_operand(p, &to->items, &to->count), depth + 1))
      return -1;
  } while (cs_ptx_accept(p, ','));
  return cs_ptx_expect(p, close);
}

/* 0f3F800000 and 0d3FF0000000000000 are bits; "1.5" is a double. */
static int read_number(const char *text, struct cs_ptx_operand *to) {
  int negative = *text == '-';
  const char *at = text + negative;
  char *end = NULL;
  if (at[0] == '0' && at[1] && strchr("fFdD", at[1])) {
    to->kind = CS_PTX_FLOAT;
    to->bits = at[1] == 'f' || at[1] == 'F' ? 32 : 64;
    to->value = strtoull(at + 2, &end, 16);
    if (negative)
      to->value ^= 1ull << (to->bits - 1);
    return *end || strlen(at + 2) != to->bits / 4 ? -1 : 0;
  }
  if (strpbrk(at, ".eE") && !(at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))) {
    double value = strtod(text, &end);
    to->kind = CS_PTX_FLOAT;
    to->bits = 64;
    memcpy(&to->value, &value, sizeof value);
    return *end ? -1 : 0;
  }
  int binary = at[0] == '0' && (at[1] == 'b' || at[1] == 'B');
  to->kind = CS_PTX_INTEGER;
  to->value = strtoull(binary ? at + 2 : at, &end, binary ? 2 : 0);
  if (negative)
    to->value = 0 - to->value;
  return end == at || (*end == 'U' ? end[1] : *end) ? -1 : 0;
}

static int number(struct cs_ptx_parser *p, struct cs_ptx_operand *to, int negative) {
  if (p->now.kind != CS_PTX_TOKEN_NUMBER)
    return cs_ptx_expected(p, "a number");
  char *text = cs_ptx_allocate(&p->module->arena, p->now.length + 2);
  snprintf(text, p->now.length + 2, "%s%.*s", negative ? "-" : "", (int)p->now.length, p->now.text);
  to->name = text;
  if (read_number(text, to))
    return cs_ptx_expected(p, "a number");
  cs_ptx_advance(p);
  return 0;
}

/* "+8", "+-8", "-8", or nothing. */
static int offset(struct cs_ptx_parser *p, struct cs_ptx_operand *to) {
  int negative = 0;
  if (cs_ptx_accept(p, '-'))
    negative = 1;
  else if (!cs_ptx_accept(p, '+'))
    return 0;
  negative ^= cs_ptx_accept(p, '-');
  struct cs_ptx_operand by = {0};
  if (number(p, &by, negative))
    return -1;
  if (by.kind != CS_PTX_INTEGER)
    return cs_ptx_expected(p, "an integer offset");
  to->has_offset = 1;
  to->offset = (long long)by.value;
  return 0;
}

static int name(struct cs_ptx_parser *p, struct cs_ptx_operand *to) {
  to->kind = CS_PTX_NAME;
  to->negated = cs_ptx_accept(p, '!');
  to->name = cs_ptx_name(p, "an operand");
  return to->name == NULL ? -1 : 0;
}

/* generic(x), or 0xFF00(x): the bytes of an address that the mask selects. */
static int applied(struct cs_ptx_parser *p, struct cs_ptx_operand *to, int depth) {
  to->kind = CS_PTX_APPLIED;
  cs_ptx_advance(p);
  if (depth >= MAX_DEPTH)
    return cs_ptx_expected(p, "an operand that is less deeply nested");
  return any_operand(p, add_operand(p, &to->items, &to->count), depth + 1) || cs_ptx_expect(p, ')') ? -1 : 0;
}

static int single(struct cs_ptx_parser *p, struct cs_ptx_operand *to, int depth) {
  int is_number = p->now.kind == CS_PTX_TOKEN_NUMBER;
  if (cs_ptx_accept(p, '-'))
    return number(p, to, 1);
  if (is_number ? number(p, to, 0) : name(p, to))
    return -1;
  if (cs_ptx_is_mark(p, '(') && applied(p, to, depth))
    return -1;
  return is_number && to->kind != CS_PTX_APPLIED ? 0 : offset(p, to);
}

static int bracketed(struct cs_ptx_parser *p, struct cs_ptx_operand *to, int depth) {
  static const struct {
    char open, close;
    enum cs_ptx_operand_kind kind;
  } brackets[] = {{'[', ']', CS_PTX_ADDRESS}, {'{', '}', CS_PTX_VECTOR}, {'(', ')', CS_PTX_ARGUMENTS}};
  for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
    if (cs_ptx_is_mark(p, brackets[i].open)) {
      if (depth >= MAX_DEPTH)
        return cs_ptx_expected(p, "an operand that is less deeply nested");
      to->kind = brackets[i].kind;
      cs_ptx_advance(p);
      return list(p, to, brackets[i].close, depth);
    }
  return single(p, to, depth);
}

static int any_operand(struct cs_ptx_parser *p, struct cs_ptx_operand *to, int depth) {
  memset(to, 0, sizeof *to);
  if (bracketed(p, to, depth))
    return -1;
  if (!cs_ptx_accept(p, '|'))
    return 0;
  struct cs_ptx_operand first = *to;
  memset(to, 0, sizeof *to);
  to->kind = CS_PTX_PAIR;
  *add_operand(p, &to->items, &to->count) = first;
  return single(p, add_operand(p, &to->items, &to->count), depth);
}

int cs_ptx_operand(struct cs_ptx_parser *p, struct cs_ptx_operand *to) {
  return any_operand(p, to, 0);
}

int cs_ptx_operands(struct cs_ptx_parser *p, struct cs_ptx_operand **items, unsigned *count) {
  do {
    if (cs_ptx_operand(p, add_operand(p, items, count)))
      return -1;
  } while (cs_ptx_accept(p, ','));
  return 0;
}

int cs_ptx_number(struct cs_ptx_parser *p, unsigned long long *value) {
  struct cs_ptx_operand number;
  if (p->now.kind != CS_PTX_TOKEN_NUMBER)
    return cs_ptx_expected(p, "a number");
  if (cs_ptx_operand(p, &number))
    return -1;
  *value = number.value;
  return 0;
}
