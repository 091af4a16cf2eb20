/* launch_lists.c: `k<<<{2, 2}, {32}>>>(p)`: clang requires the type, as in `k<<<dim3{2, 2}, dim3{32}>>>(p)`. */
#include "cli/cc/launch_lists.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the offset is in the configuration of a launch, after <<< or a comma. */
static int is_argument(const char *text, size_t at) {
  size_t before = at;
  while (before && strchr(" \t\r\n", text[before - 1]))
    before--;
  if (!before || !strchr("<,", text[before - 1]))
    return 0;
  for (size_t i = before; i >= 3 && !strchr(";>", text[i - 1]); i--)
    if (!strncmp(text + i - 3, "<<<", 3))
      return 1;
  return 0;
}

char *cs_cli_launch_lists_name(const char *text, size_t at) {
  static const char type[] = "dim3";
  size_t length = strlen(text);
  if (text[at] != '{' || !is_argument(text, at))
    return NULL;
  char *named = malloc(length + sizeof type);
  if (!named)
    return NULL;
  memcpy(named, text, at);
  strcpy(named + at, type);
  strcat(named + at, text + at);
  return named;
}
