/* spellings.c: `typename Traits::rebind<T>` without `template`; `#define UNROLL #pragma unroll`, whose pragma nvcc
 * finds in the preprocessed text; and specialisations for the device of templates for both sides. */
#include "cli/cc/spellings.h"
#include "cli/base/argv.h"
#include <ctype.h>
#include <string.h>

char *cs_cli_spellings_template(const char *text, size_t at) {
  if (!isalpha((unsigned char)text[at]) && text[at] != '_')
    return NULL;
  return cs_cli_format("%.*stemplate %s", (int)at, text, text + at);
}

/* Code of the side for which the specialisation was not written is not emitted unless it is called. */
char *cs_cli_spellings_both(const char *text, size_t at) {
  static const char both[] = "__host__ __device__ ";
  size_t length = strlen(both);
  if ((!isalpha((unsigned char)text[at]) && text[at] != '_') ||
      (at >= length && !strncmp(text + at - length, both, length)))
    return NULL;
  return cs_cli_format("%.*s%s%s", (int)at, text, both, text + at);
}

/* Whether the offset is in the replacement of `#define NAME` on one line. */
static int is_in_macro(const char *text, size_t at) {
  static const char define[] = "define";
  const char *line = text + at;
  while (line > text && line[-1] != '\n')
    line--;
  line += strspn(line, " \t");
  if (*line++ != '#')
    return 0;
  line += strspn(line, " \t");
  return !strncmp(line, define, strlen(define)) && line < text + at;
}

char *cs_cli_spellings_pragma(const char *text, size_t at) {
  static const char pragma[] = "pragma";
  const char *from = text + at + 1;
  if (text[at] != '#' || !is_in_macro(text, at))
    return NULL;
  from += strspn(from, " \t");
  if (strncmp(from, pragma, strlen(pragma)) != 0 || !strchr(" \t", from[strlen(pragma)]))
    return NULL;
  from += strlen(pragma);
  from += strspn(from, " \t");
  size_t length = strcspn(from, "\"\\\r\n"); /* a string would need escapes, and another line its own macro */
  if (!length || !strchr("\r\n", from[length]))
    return NULL;
  return cs_cli_format("%.*s_Pragma(\"%.*s\")%s", (int)at, text, (int)length, from, from + length);
}
