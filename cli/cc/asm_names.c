/* asm_names.c: `asm("mov.u32 %0, %laneid;" : "=r"(lane))`: nvcc takes a name after % for itself, clang requires %%. */
#include "cli/cc/asm_names.h"
#include "cli/cc/opaque.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_one_of(const char *word, size_t length, const char *const *words) {
  for (; *words; words++)
    if (length == strlen(*words) && !strncmp(word, *words, length))
      return 1;
  return 0;
}

/* Also comments, and the ends of lines of a macro. */
static const char *skip_blanks(const char *at) {
  for (const char *from = NULL; from != at;) {
    from = at;
    at += strspn(at, " \t\r\n\\");
    if (*at == '/')
      at = cs_cli_skip_opaque(at);
  }
  return at;
}

/* After the parenthesis of an asm statement whose first word is from `at` to `after`; NULL if it is another word. */
static const char *find_template(const char *at, const char *after) {
  static const char *const words[] = {"asm", "__asm", "__asm__", NULL};
  static const char *const qualifiers[] = {"volatile", "__volatile__", "__volatile", "goto", "inline", NULL};
  if (!is_one_of(at, (size_t)(after - at), words))
    return NULL;
  for (at = skip_blanks(after); *at != '('; at = skip_blanks(after)) {
    after = cs_cli_skip_opaque(at);
    if (!is_one_of(at, (size_t)(after - at), qualifiers))
      return NULL;
  }
  return at + 1;
}

/* Where the strings of the template end, and the whole statement. */
static const char *find_ends(const char *at, const char **template_end) {
  *template_end = NULL;
  for (int depth = 1; *at && depth;) {
    const char *after = cs_cli_skip_opaque(at);
    if (after != at) {
      at = after;
      continue;
    }
    if (!*template_end && depth == 1 && (*at == ':' || *at == ')'))
      *template_end = at;
    depth += *at == '(';
    depth -= *at == ')';
    at++;
  }
  return at;
}

/* Returns how many names there were. */
static int print_escaped(FILE *out, const char *from, const char *to) {
  int count = 0;
  for (const char *at = from; at < to; at++) {
    putc(*at, out);
    if (*at != '%' || at + 1 >= to)
      continue;
    if (isalpha((unsigned char)at[1]) || at[1] == '_' || at[1] == '$') {
      putc('%', out);
      count++;
    } else if (at[1] == '%') {
      putc(*++at, out);
    }
  }
  return count;
}

static char *escape(const char *text, const char *from, const char *to) {
  char *escaped = NULL;
  size_t room;
  FILE *out = open_memstream(&escaped, &room);
  if (!out)
    return NULL;
  fwrite(text, 1, (size_t)(from - text), out);
  int count = print_escaped(out, from, to);
  fputs(to, out);
  if (fclose(out) == 0 && count)
    return escaped;
  free(escaped);
  return NULL;
}

char *cs_cli_asm_names_escape(const char *text, size_t at) {
  for (const char *here = text, *after; *here && here <= text + at; here = after > here ? after : here + 1) {
    after = cs_cli_skip_opaque(here);
    const char *from = find_template(here, after), *to, *end = from ? find_ends(from, &to) : NULL;
    if (end && text + at < end)
      return to ? escape(text, from, to) : NULL;
    if (end)
      after = end;
  }
  return NULL;
}
