/* shared_objects.c: shared variables with a constructor: nvcc does not call it, clang rejects the declaration.
 *
 * clang accepts a shared union whose constructor is empty, whatever its members are. So after clang has rejected
 * `__shared__ T x[4];`, it reads
 *
 *   __shared__ ::cusafe_nvcc::unset< T[4] > cusafe_x; constexpr auto &x = cusafe_x.value;
 *
 * in its place (repair.h). A constexpr reference is not captured by lambdas, and code that uses it accesses the
 * variable itself, also at -O0. The pass omits the prefix where it names the variable.
 *
 * Where a goto or a case bypasses the declaration, which clang rejects next, the reference is static. Only there:
 * without optimisation a static reference is a variable in PTX, with a value that ptxas rejects. */
#include "cli/cc/shared_objects.h"
#include "cli/cc/opaque.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "cusafe_"

static int is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static size_t skip_blanks(const char *text, size_t at) {
  return at + strspn(text + at, " \t\r\n");
}

static size_t word_length(const char *at) {
  size_t n = 0;
  while (is_word(at[n]))
    n++;
  return n;
}

static int word_is(const char *at, size_t length, const char *word) {
  return length == strlen(word) && !strncmp(at, word, length);
}

/* The text with blanks in place of its comments: malloc'ed. All other characters stay where they are. */
static char *without_comments(const char *text) {
  char *plain = strdup(text);
  if (!plain)
    abort();
  for (const char *at = text, *after; *at; at = after > at ? after : at + 1) {
    after = cs_cli_skip_opaque(at);
    for (const char *c = at; *at == '/' && c < after; c++)
      if (!isspace((unsigned char)*c))
        plain[c - text] = ' ';
  }
  return plain;
}

/* --- The declaration --- */

struct declarator {
  size_t name, name_end, end; /* the dimensions are between name_end and end */
};

enum { MAX_DECLARATORS = 32 };

struct declaration {
  size_t shared, type, type_end, end; /* shared: of the word __shared__; end: of the semicolon */
  size_t count;
  struct declarator declarators[MAX_DECLARATORS];
};

/* After the parentheses or brackets that open at `at`; 0 without their end. */
static size_t skip_group(const char *text, size_t at) {
  int depth = 0;
  for (; text[at] && text[at] != ';'; at++) {
    depth += text[at] == '(' || text[at] == '[';
    depth -= text[at] == ')' || text[at] == ']';
    if (depth == 0)
      return at + 1;
  }
  return 0;
}

/* The last __shared__ of the statement that contains `at`; SIZE_MAX if there is none. */
static size_t find_shared(const char *text, size_t at) {
  static const char word[] = "__shared__";
  for (size_t i = at; i-- > 0 && !strchr(";{}#", text[i]);)
    if (!strncmp(text + i, word, sizeof word - 1) && !is_word(text[i + sizeof word - 1]) &&
        (!i || !is_word(text[i - 1])))
      return i;
  return SIZE_MAX;
}

/* What may precede the type and belongs to the variable. Returns where the type starts, or 0. */
static size_t skip_specifiers(const char *text, size_t at) {
  for (;;) {
    at = skip_blanks(text, at);
    size_t length = word_length(text + at);
    if (word_is(text + at, length, "static"))
      at += length;
    else if (text[at] == '[' || word_is(text + at, length, "alignas") || word_is(text + at, length, "__align__") ||
             word_is(text + at, length, "__attribute__"))
      at = skip_blanks(text, at + length);
    else
      return at;
    if ((text[at] == '(' || text[at] == '[') && !(at = skip_group(text, at)))
      return 0;
  }
}

/* The type ends before the first declared name, the last word before its dimensions. */
static int read_type(const char *text, struct declaration *d) {
  size_t at = d->type, name = 0, end;
  for (int depth = 0; depth || !strchr(",[;={(", text[at]); at++) {
    if (!text[at] || strchr(";{}#\"'\\", text[at]))
      return 0;
    if (text[at] == '(' && (end = skip_group(text, at)))
      at = end - 1; /* a comparison among template arguments */
    depth += text[at] == '<';
    depth -= text[at] == '>';
    if (!depth && is_word(text[at]) && !is_word(text[at - 1]))
      name = at;
  }
  d->type_end = name;
  while (d->type_end > d->type && isspace((unsigned char)text[d->type_end - 1]))
    d->type_end--;
  return d->type_end > d->type && !strchr("*&:", text[d->type_end - 1]);
}

/* Returns where the declarator ends, or 0. */
static size_t read_declarator(const char *text, size_t at, struct declarator *d) {
  d->name = skip_blanks(text, at);
  d->name_end = d->name + word_length(text + d->name);
  if (d->name == d->name_end || !strncmp(text + d->name, PREFIX, strlen(PREFIX)))
    return 0;
  for (at = skip_blanks(text, d->name_end); text[at] == '['; at = skip_blanks(text, at))
    if (!(at = skip_group(text, at)))
      return 0;
  return d->end = at;
}

static int read_declaration(const char *text, size_t inside, struct declaration *d) {
  if ((d->shared = find_shared(text, inside)) == SIZE_MAX ||
      !(d->type = skip_specifiers(text, d->shared + strlen("__shared__"))) || !read_type(text, d))
    return 0;
  for (size_t at = d->type_end; d->count < MAX_DECLARATORS;) {
    if (!(at = read_declarator(text, at, &d->declarators[d->count++])))
      return 0;
    if (text[at] == ';')
      return d->end = at, at > inside;
    if (text[at++] != ',')
      return 0;
  }
  return 0;
}

/* --- What clang reads in its place --- */

/* On one line. */
static void print_flat(FILE *out, const char *text, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    putc(isspace((unsigned char)text[i]) ? ' ' : text[i], out);
}

static void print_variable(FILE *out, const char *text, const struct declaration *d, const struct declarator *v) {
  print_flat(out, text, d->shared, d->type);
  fputs("::cusafe_nvcc::unset< ", out);
  print_flat(out, text, d->type, d->type_end);
  print_flat(out, text, v->name_end, v->end);
  int length = (int)(v->name_end - v->name);
  fprintf(out, " > " PREFIX "%.*s; constexpr auto &%.*s = " PREFIX "%.*s.value; ", length, text + v->name, length,
          text + v->name, length, text + v->name);
}

/* plain: the text without its comments. */
static char *wrap(const char *text, const char *plain, size_t at) {
  struct declaration d = {0};
  size_t room;
  if (!read_declaration(plain, at, &d))
    return NULL;
  char *wrapped = NULL;
  FILE *out = open_memstream(&wrapped, &room);
  if (!out)
    return NULL;
  fwrite(text, 1, d.shared, out);
  for (size_t i = 0; i < d.count; i++)
    print_variable(out, plain, &d, &d.declarators[i]);
  for (size_t i = d.shared; i < d.end; i++)
    if (text[i] == '\n')
      putc('\n', out);
  fputs(text + d.end + 1, out);
  return fclose(out) ? NULL : wrapped;
}

char *cs_cli_shared_objects_wrap(const char *text, size_t at) {
  char *plain = without_comments(text), *wrapped = wrap(text, plain, at);
  free(plain);
  return wrapped;
}

char *cs_cli_shared_objects_keep(const char *text, size_t at) {
  static const char before[] = "constexpr auto &", after[] = " = " PREFIX, keeps[] = "static ";
  size_t length = word_length(text + at), head = sizeof before - 1, kept = sizeof keeps - 1;
  if (at < head + 2 || strncmp(text + at - head, before, head) ||
      strncmp(text + at + length, after, sizeof after - 1) || strncmp(text + at - head - 2, "; ", 2))
    return NULL;
  char *changed = malloc(strlen(text) + kept + 1);
  if (!changed)
    abort();
  memcpy(changed, text, at - head);
  memcpy(changed + at - head, keeps, kept);
  strcpy(changed + at - head + kept, text + at - head);
  return changed;
}
