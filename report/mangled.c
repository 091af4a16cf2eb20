/* mangled.c: bounds the length of a demangled name, in one pass over the mangled one, without demangling it.
 *
 * Only references make a name longer than a multiple of its mangled form. Which part a reference means depends on the
 * whole grammar of the Itanium C++ ABI, so each counts as the largest part that is complete before it. A part is an
 * element of a list (template arguments, parameters), a prefix of a qualified name, or what brackets enclose; the scan
 * knows just enough of the grammar to find these. */
#include "report/mangled.h"
#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { LENGTH_MAX = 4096, EXPANDED_MAX = 1 << 20, DEPTH_MAX = 256 };

/* What is between a letter and its E. */
struct level {
  char kind;              /* the letter; 0: the whole name */
  size_t bytes;           /* of the complete elements */
  size_t element;         /* of the current one */
  unsigned count, joined; /* complete elements; how many more belong to the current one */
};

struct scan {
  const char *at;
  struct level levels[DEPTH_MAX];
  size_t depth;
  size_t largest;     /* complete part */
  size_t most, total; /* the most elements in brackets; an estimate of all references */
};

static struct level *level(struct scan *s) {
  return &s->levels[s->depth];
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* In these, each element is a separate part; in others, such as a qualified name, all elements before form one, too. */
static int is_list(const struct level *l) {
  return !l->kind || strchr("IJFULZ", l->kind);
}

static void add(struct scan *s, size_t bytes) {
  level(s)->element += bytes;
  s->total += bytes;
}

/* Template arguments continue their element. */
static void end_element(struct scan *s) {
  struct level *l = level(s);
  s->largest = larger(s->largest, l->element);
  if (l->joined)
    l->joined--;
  else if (is_list(l) && *s->at != 'I') {
    l->bytes += l->element;
    l->element = 0;
    s->most = larger(s->most, ++l->count);
  }
}

static void skip_number(struct scan *s) {
  while (isdigit((unsigned char)*s->at))
    s->at++;
  s->at += *s->at == '_';
}

static void open_level(struct scan *s, char kind) {
  if (s->depth + 1 == DEPTH_MAX)
    s->total = EXPANDED_MAX;
  else
    s->levels[++s->depth] = (struct level){.kind = kind};
}

static void close_level(struct scan *s) {
  struct level closed = *level(s);
  if (!s->depth)
    return;
  s->depth--;
  level(s)->element += closed.bytes + closed.element;
  if (closed.kind == 'U')
    skip_number(s);
  if (closed.kind == 'Z') /* a name in the function follows */
    level(s)->joined++;
  end_element(s);
}

static void take_name(struct scan *s) {
  size_t length = 0, rest = strlen(s->at);
  for (; isdigit((unsigned char)*s->at) && length <= rest; s->at++)
    length = 10 * length + (size_t)(*s->at - '0');
  rest = strlen(s->at);
  length = length < rest ? length : rest;
  s->at += length;
  add(s, length + 2);
  end_element(s);
}

static void take_reference(struct scan *s) {
  skip_number(s);
  add(s, larger(s->largest, 1));
  end_element(s);
}

/* S_ and S1A_ are references; St is std::, and others abbreviate a type of the library. */
static void take_substitution(struct scan *s) {
  size_t digits = strspn(s->at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (s->at[digits] == '_') {
    s->at += digits;
    take_reference(s);
  } else if (*s->at) {
    int is_prefix = *s->at++ == 't';
    add(s, 4);
    if (!is_prefix)
      end_element(s);
  }
}

/* T_ and T1_ are references; a virtual table, a thunk and similar begin with T, too. */
static void take_parameter(struct scan *s) {
  size_t digits = strspn(s->at, "0123456789");
  if (s->at[digits] == '_')
    take_reference(s);
  else if (*s->at == 'h' || *s->at == 'v' || *s->at == 'c')
    s->at += strcspn(s->at, "_");
}

/* Two letters. The expansion of a pack repeats everything in it. */
static void take_d(struct scan *s) {
  char second = *s->at;
  s->at += second != 0;
  if (second == 't' || second == 'T')
    open_level(s, 'X');
  else if (second == 'v')
    skip_number(s);
  else if (second == 'p')
    s->largest = larger(s->largest, 1) * larger(s->most, 2);
  else {
    add(s, 2);
    end_element(s);
  }
}

static int is_value(const struct level *l, char c) {
  return l->kind == 'L' && l->count && c != 'E';
}

static void take_letter(struct scan *s) {
  char c = *s->at++;
  add(s, 1);
  if (is_value(level(s), c))
    return;
  if (c == 'E')
    close_level(s);
  else if (c == '_' && *s->at == 'Z')
    s->at++; /* a whole name */
  else if (c == 'L' && !strchr("IJX", level(s)->kind))
    return; /* a static name */
  else if (strchr("INFXJZL", c))
    open_level(s, c);
  else if (c == 'U' && *s->at == 'l')
    s->at++, open_level(s, c);
  else if (c == 'U' && *s->at == 't')
    s->at++, skip_number(s), end_element(s);
  else if (c == 'S')
    take_substitution(s);
  else if (c == 'T')
    take_parameter(s);
  else if (c == 'D')
    take_d(s);
  else if (c == 'C' && isdigit((unsigned char)*s->at))
    s->at++, end_element(s);
  else if (c == 'A')
    skip_number(s);
  else if (c == 'M')
    level(s)->joined++;
  else if (islower((unsigned char)c) && c != 'r')
    end_element(s);
}

int cs_report_mangled_is_short(const char *name) {
  struct scan s = {.at = name + 2}; /* after _Z */
  if (strnlen(name, LENGTH_MAX + 1) > LENGTH_MAX)
    return 0;
  while (*s.at && s.total < EXPANDED_MAX && s.largest < EXPANDED_MAX)
    if (isdigit((unsigned char)*s.at) && !is_value(level(&s), *s.at))
      take_name(&s);
    else
      take_letter(&s);
  return !*s.at && s.total < EXPANDED_MAX && s.largest < EXPANDED_MAX;
}
