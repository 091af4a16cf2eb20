/* argv.c: growable argument lists and formatted strings. */
#include "cli/base/argv.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void *or_die(void *memory) {
  if (!memory) {
    fputs("cusafe: out of memory.\n", stderr);
    exit(1);
  }
  return memory;
}

static char *format_list(const char *format, va_list args) {
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0)
    text = NULL;
  return or_die(text);
}

char *cs_cli_format(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = format_list(format, args);
  va_end(args);
  return text;
}

static void push_owned(struct cs_cli_argv *list, char *text) {
  if (list->count + 2 > list->room) {
    list->room = list->room ? 2 * list->room : 32;
    list->items = or_die(realloc(list->items, list->room * sizeof *list->items));
  }
  list->items[list->count++] = text;
  list->items[list->count] = NULL;
}

void cs_cli_argv_push(struct cs_cli_argv *list, const char *text) {
  push_owned(list, cs_cli_format("%s", text));
}

void cs_cli_argv_pushf(struct cs_cli_argv *list, const char *format, ...) {
  va_list args;
  va_start(args, format);
  push_owned(list, format_list(format, args));
  va_end(args);
}

void cs_cli_argv_push_all(struct cs_cli_argv *list, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    cs_cli_argv_push(list, words[i]);
}

void cs_cli_argv_append(struct cs_cli_argv *list, const struct cs_cli_argv *more) {
  for (size_t i = 0; i < more->count; i++)
    cs_cli_argv_push(list, more->items[i]);
}

void cs_cli_argv_free(struct cs_cli_argv *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i]);
  free(list->items);
  *list = (struct cs_cli_argv){0};
}
